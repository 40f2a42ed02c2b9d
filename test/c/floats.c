// Scalar float and double: arithmetic, conversions, comparisons, mathematics to six digits.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HIDE __attribute__((noinline)) static
HIDE float divide(float a, float b) { return a / b; }
HIDE double divided(double a, double b) { return a / b; }
HIDE float root(float a) { return sqrtf(a); }
HIDE int truncated(double a) { return (int)a; }
HIDE unsigned utruncated(float a) { return (unsigned)a; }
HIDE long long wide(double a) { return (long long)a; }
HIDE double from_wide(unsigned long long a) { return (double)a; }
HIDE int order(double a, double b) { return (a < b) + 2 * (a > b) + 4 * (a == b) + 8 * (a != b) + 16 * isunordered(a, b); }
static uint32_t bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }

int main(void) {
  const double values[] = {0.0, 1.0, -2.5, 3.14159265, 1e10, -1e-3, 12345.678};
  for (int i = 0; i < 7; i++) {
    double v = values[i];
    float f = (float)v;
    printf("%08x %08x %08x %d %u %lld\n", bits(divide(f, 3.7f)), bits(f * f - f), bits(root(f * f + 1)), truncated(v < 2e9 ? v : 0), utruncated(fabsf(f) < 4e9f ? fabsf(f) : 0), wide(v * 1e6));
    printf("%.15g %.15g %.15g\n", divided(v, 7.0), v * v + v, from_wide((unsigned long long)fabs(v) << 20));
    printf("%.6f %.6f %.6f %.6f\n", sin(v), cos(v), exp(-fabs(v) / 10), atan2(v, 2.0));
    printf("%.6f %.6f %.6f %g %g %g %g\n", log(fabs(v) + 1), pow(fabs(v) + 1, 0.25), tanh(v), floor(v), ceil(v), trunc(v), round(v));
    printf("%.4f %.4f %.4f %g\n", sinf(f), expf(-fabsf(f) / 10), logf(fabsf(f) + 1), fmod(v, 1.75));
    for (int j = 0; j < 7; j++) printf("%d ", order(v, values[j]));
    puts("");
  }
  printf("%d %d\n", order(NAN, 1.0), order(INFINITY, 1e308));
  double sum = 0, term = 1;
  for (int i = 1; i < 20; term /= i++) sum += term;
  printf("%.12f\n", sum);
  int e;
  double m = frexp(1234.5, &e);
  printf("%.6f %d %g %.6f\n", m, e, ldexp(0.75, 5), hypot(3, 4));
  return 0;
}
