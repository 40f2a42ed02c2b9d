// Numbers of many digits: factorial, Fibonacci, powers, division by a small number.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LIMBS = 40, BASE = 1000000000 };
typedef struct { uint32_t limb[LIMBS]; int n; } Big;
static void set(Big *a, uint32_t v) { memset(a, 0, sizeof *a); a->limb[0] = v; a->n = 1; }
static void times(Big *a, uint32_t m) {
  uint64_t carry = 0;
  for (int i = 0; i < a->n; i++) { uint64_t t = (uint64_t)a->limb[i] * m + carry; a->limb[i] = (uint32_t)(t % BASE); carry = t / BASE; }
  if (carry) a->limb[a->n++] = (uint32_t)carry;
}
static void plus(Big *a, const Big *b) {
  uint32_t carry = 0;
  int n = a->n > b->n ? a->n : b->n;
  for (int i = 0; i < n; i++) { uint32_t t = a->limb[i] + b->limb[i] + carry; carry = t >= BASE; a->limb[i] = carry ? t - BASE : t; }
  a->n = n;
  if (carry) a->limb[a->n++] = 1;
}
static uint32_t by(Big *a, uint32_t d) {
  uint64_t rest = 0;
  for (int i = a->n; i-- > 0;) { uint64_t t = rest * BASE + a->limb[i]; a->limb[i] = (uint32_t)(t / d); rest = t % d; }
  while (a->n > 1 && !a->limb[a->n - 1]) a->n--;
  return (uint32_t)rest;
}
static void show(const char *name, const Big *a) {
  printf("%s %u", name, a->limb[a->n - 1]);
  for (int i = a->n - 1; i-- > 0;) printf("%09u", a->limb[i]);
  puts("");
}
int main(void) {
  Big a, b, c;
  set(&a, 1);
  for (uint32_t i = 2; i <= 100; i++) times(&a, i);
  show("100!", &a);
  for (uint32_t i = 100; i > 90; i--) if (by(&a, i)) puts("not exact");
  show("90!", &a);
  printf("rest %u\n", by(&a, 1000003));
  set(&a, 0);
  set(&b, 1);
  for (int i = 0; i < 500; i++) { c = b; plus(&b, &a); a = c; }
  show("fib(500)", &a);
  set(&a, 1);
  for (int i = 0; i < 256; i++) times(&a, 2);
  show("2^256", &a);
  return 0;
}
