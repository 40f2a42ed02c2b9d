// A recursive-descent calculator; strtol, atoi, strtoul, strtod, sscanf-free parsing, and an exit code through exit().
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;
static long expression(void);
static void space(void) { while (isspace((unsigned char)*at)) at++; }
static long atom(void) {
  space();
  if (*at == '(') { at++; long v = expression(); space(); if (*at == ')') at++; return v; }
  if (*at == '-') { at++; return -atom(); }
  char *end;
  long v = strtol(at, &end, 0);
  if (end == at) { printf("what is '%c'?\n", *at); exit(3); }
  at = end;
  return v;
}
static long term(void) {
  long v = atom();
  for (space(); *at == '*' || *at == '/' || *at == '%'; space()) {
    char op = *at++;
    long w = atom();
    v = op == '*' ? v * w : w == 0 ? 0 : op == '/' ? v / w : v % w;
  }
  return v;
}
static long expression(void) {
  long v = term();
  for (space(); *at == '+' || *at == '-'; space()) { char op = *at++; long w = term(); v = op == '+' ? v + w : v - w; }
  return v;
}
static void farewell(void) { puts("farewell"); }
int main(void) {
  static const char *const lines[] = {"1 + 2 * 3", "(1+2)*3 - -4", "0x10 * 010 / 3", "100 % 7 - 2*(3 - (4 - 5))", " 7 / (5-5) + 1", "2 * z"};
  atexit(farewell);
  char *end;
  printf("%d %d %ld\n", atoi("  -123abc"), atoi("x"), atol("+77"));
  printf("%ld %ld %lu %s\n", strtol("7fffffff", NULL, 16), strtol("-zz", &end, 36), strtoul("4294967295", NULL, 10), end);
  printf("%lld %llu\n", strtoll("-9223372036854775808", NULL, 10), strtoull("0xffffffffffffffff", &end, 0));
  printf("%ld %ld\n", strtol("99999999999", NULL, 10), strtol("-99999999999", NULL, 10));
  double d = strtod(" -12.5e2xyz", &end);
  printf("%g %s %g %g\n", d, end, atof("0.125"), strtod("0x1.8p3", NULL));
  printf("%d %ld\n", abs(-5), labs(-6L));
  for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
    at = lines[i];
    printf("%s = ", lines[i]);
    printf("%ld\n", expression());
  }
  return 0;
}
