// 64-bit arithmetic: division and remainder of both signs, gcd, modular power, shifts, comparisons.
#include <stdint.h>
#include <stdio.h>

static const int64_t values[] = {1, -1, 7, -7, 10, 1000000007, -1000000007, 0x123456789abcdefLL, -0x123456789abcdefLL, INT64_MAX, INT64_MIN + 1, 4294967296LL, 4294967295LL};
enum { N = sizeof values / sizeof *values };
__attribute__((noinline)) static int64_t quotient(int64_t a, int64_t b) { return a / b; }
__attribute__((noinline)) static int64_t rest(int64_t a, int64_t b) { return a % b; }
__attribute__((noinline)) static uint64_t uquotient(uint64_t a, uint64_t b) { return a / b; }
__attribute__((noinline)) static uint64_t urest(uint64_t a, uint64_t b) { return a % b; }
static uint64_t gcd(uint64_t a, uint64_t b) { while (b) { uint64_t t = a % b; a = b; b = t; } return a; }
static uint64_t power(uint64_t base, uint64_t e, uint64_t m) {
  uint64_t r = 1;
  for (; e; e >>= 1, base = base * base % m) if (e & 1) r = r * base % m;
  return r;
}
int main(void) {
  uint64_t hash = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      int64_t a = values[i], b = values[j];
      hash = hash * 1099511628211u ^ (uint64_t)quotient(a, b) ^ (uint64_t)rest(a, b) << 7 ^ uquotient((uint64_t)a, (uint64_t)b) ^ urest((uint64_t)a, (uint64_t)b) << 13;
    }
    printf("%20lld / 1000003 = %lld rest %lld; %llu\n", (long long)values[i], (long long)quotient(values[i], 1000003), (long long)rest(values[i], 1000003),
           (unsigned long long)uquotient((uint64_t)values[i], 12345));
  }
  printf("%016llx\n", (unsigned long long)hash);
  printf("%llu %llu\n", (unsigned long long)gcd(1071000000000ull, 462000000ull), (unsigned long long)power(3, 1000000, 1000000007));
  for (unsigned s = 0; s < 64; s += 9) {
    volatile unsigned n = s;
    printf("%2u %016llx %016llx %016llx\n", s, 0x8123456789abcdefull << n, 0x8123456789abcdefull >> n, (unsigned long long)((int64_t)0x8123456789abcdefull >> n));
  }
  int order = 0;
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) order = order * 3 + (values[i] < values[j]) + 2 * ((uint64_t)values[i] < (uint64_t)values[j]);
  printf("%d\n", order);
  return 0;
}
