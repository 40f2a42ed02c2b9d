// Variable arguments of mixed types past the registers, va_copy, and the v-family of printf.
#include <stdarg.h>
#include <stdio.h>

__attribute__((noinline)) static long long total(const char *types, ...) {
  va_list list, again;
  va_start(list, types);
  va_copy(again, list);
  long long sum = 0;
  for (const char *t = types; *t; t++) {
    if (*t == 'i') sum += va_arg(list, int);
    if (*t == 'l') sum += va_arg(list, long long);
    if (*t == 'd') sum += (long long)(va_arg(list, double) * 8);
    if (*t == 's') for (const char *s = va_arg(list, const char *); *s; s++) sum += *s;
  }
  if (*types == 'i') sum = sum * 10 + va_arg(again, int) % 10;
  va_end(again);
  va_end(list);
  return sum;
}
__attribute__((noinline, format(printf, 1, 2))) static int say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vprintf(format, list);
  va_end(list);
  return n;
}
__attribute__((noinline, format(printf, 4, 5))) static int into(char *buffer, int room, int prefix, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = snprintf(buffer, room, "%d:", prefix);
  n += vsnprintf(buffer + n, room - n, format, list);
  va_end(list);
  return n;
}
typedef struct { int a, b, c; } Triple;
__attribute__((noinline)) static int triples(int n, ...) {
  va_list list;
  va_start(list, n);
  int sum = 0;
  while (n--) { Triple t = va_arg(list, Triple); sum = sum * 7 + t.a + 2 * t.b + 3 * t.c; }
  va_end(list);
  return sum;
}
int main(void) {
  char buffer[40];
  printf("%lld\n", total("iiiiiiii", 1, 20, 300, 4000, 50000, 600000, 7000000, 80000000));
  printf("%lld\n", total("ilil", 1, 1LL << 40, -5, -(1LL << 35)));
  printf("%lld\n", total("iiiil", 1, 2, 3, 4, 5LL << 32));
  printf("%lld\n", total("idsdidl", 3, 0.125, "abc", 2.5, 9, -1e9, 7LL));
  printf("%lld\n", total("llldddiii", 1LL, 2LL, 3LL, 1.0, 2.0, 3.0, 1, 2, 3));
  printf("%d\n", say("%d %lld %s %.3f %c %llx\n", -7, 123456789012345LL, "text", 2.7182818, 'z', 0xfedcba9876543210ull));
  printf("%d\n", say("%d %d %d %d %d %d %lld %d %f\n", 1, 2, 3, 4, 5, 6, 7LL, 8, 9.5));
  int n = into(buffer, sizeof buffer, 42, "%s|%5d|%-5d|%05d", "row", 12, 34, 56);
  printf("%d [%s]\n", n, buffer);
  n = into(buffer, 12, 1, "%s", "cut because it is too long");
  printf("%d [%s]\n", n, buffer);
  Triple a = {1, 2, 3}, b = {-4, 5, 6};
  printf("%d\n", triples(2, a, b));
  return 0;
}
