// The conversions of printf: flags, width, precision, lengths, floats, limits of snprintf.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  volatile int zero = 0;
  int i = 42 + zero;
  printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%8.4d] [%-8.4d|]\n", i, i, i, i, i, i, i, i, i);
  printf("[%d] [%i] [%.0d] [%+.0d] [%*d] [%-*d|] [%.*d]\n", -i, -1, zero, zero, 6, i, 6, i, 5, i);
  printf("[%u] [%x] [%X] [%#x] [%#X] [%o] [%#o] [%08x] [%#010x] [%#x] [%#o]\n", -i, i, 0xBEEF, i, 0xBEEF, i, i, i, i, zero, zero);
  printf("[%hhd] [%hd] [%hhu] [%hu] [%ld] [%lld] [%llu] [%zu] [%jd] [%td]\n", 300 + i, 70000 + i, -1, -1, 1L << 30, INT64_MIN, UINT64_MAX, sizeof i, (intmax_t)-5, (ptrdiff_t)9);
  printf("[%c] [%3c] [%-3c|] [%s] [%8s] [%-8s|] [%.2s] [%8.3s] [%%]\n", 'a', 'b', 'c', "text", "text", "text", "text", "text");
  double x = 3.14159265358979 + zero, y = -0.000123456;
  printf("[%f] [%.2f] [%10.3f] [%-10.3f|] [%010.3f] [%+f] [% f] [%.0f] [%#.0f]\n", x, x, x, x, x, x, x, x, x);
  printf("[%e] [%.2e] [%E] [%12.4e] [%g] [%G] [%.10g] [%#g] [%g]\n", x, y, x * 1e100, y, x, y, x, x, 1e6);
  printf("[%g] [%g] [%g] [%g] [%g] [%.3g]\n", 1e-5, 123456.0, 1234567.0, 100000.0, 0.0001, 0.00012345);
  printf("[%f] [%F] [%5.1f] [%05f] [%e] [%g] [%-6f|]\n", (double)INFINITY, (double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY, (double)INFINITY, (double)INFINITY);
  printf("[%.0f] [%.0f] [%.0f] [%.1f] [%.3f] [%f]\n", 0.5, 1.5, 2.5, 0.25, 2.0005, 1e15);
  printf("[%f] [%g] [%.20f] [%f]\n", -0.0 * (1 + zero), -0.0, 0.1, 123456789012345678.0);
  printf("[%a] [%a] [%a] [%A]\n", 1.0, 0.5 * x, -2.5, 1024.0);
  char b[16];
  int n = snprintf(b, sizeof b, "%s", "exactly fifteen and more");
  printf("%d [%s]\n", n, b);
  printf("%d\n", snprintf(NULL, 0, "%d-%d", 12345, i));
  n = sprintf(b, "%d", i);
  printf("%d %s %s %d\n", n, b, "end", printf("nested\n"));
  int seen = 0;
  printf("count%n\n", &seen);
  printf("%d %d\n", seen, (int)sizeof(void *));
  return 0;
}
