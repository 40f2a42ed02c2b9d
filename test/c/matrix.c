// Integer matrices: product, power, determinant modulo a prime, transpose, a convolution in 16 bits.
#include <stdint.h>
#include <stdio.h>

enum { N = 24, P = 1000003 };
static int32_t a[N][N], b[N][N], c[N][N];
static int16_t signal[300], kernel[16];
static void product(int32_t (*restrict r)[N], int32_t (*restrict x)[N], int32_t (*restrict y)[N]) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
    int64_t s = 0;
    for (int k = 0; k < N; k++) s += (int64_t)x[i][k] * y[k][j];
    r[i][j] = (int32_t)(s % P);
  }
}
static uint32_t hash(int32_t (*m)[N]) { uint32_t h = 1; for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) h = h * 16777619u ^ (uint32_t)m[i][j]; return h; }
static int64_t inverse(int64_t x) { int64_t r = 1; for (int e = P - 2; e; e >>= 1, x = x * x % P) if (e & 1) r = r * x % P; return r; }
static int64_t determinant(void) {
  int64_t d = 1;
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) c[i][j] = ((a[i][j] % P) + P) % P;
  for (int i = 0; i < N; i++) {
    int p = i;
    while (p < N && !c[p][i]) p++;
    if (p == N) return 0;
    if (p != i) { for (int j = 0; j < N; j++) { int32_t t = c[i][j]; c[i][j] = c[p][j]; c[p][j] = t; } d = P - d; }
    d = d * c[i][i] % P;
    int64_t v = inverse(c[i][i]);
    for (int r = i + 1; r < N; r++) {
      int64_t f = c[r][i] * v % P;
      for (int j = i; j < N; j++) c[r][j] = (int32_t)(((c[r][j] - f * c[i][j]) % P + P) % P);
    }
  }
  return d;
}
int main(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = (i * 37 + j * 91 + i * j * 5) % 201 - 100; b[i][j] = i == j ? 3 : (i ^ j) & 7; }
  product(c, a, b);
  printf("%08x %d %d\n", hash(c), c[0][0], c[N - 1][N - 1]);
  for (int i = 0; i < 5; i++) { product(c, b, a); product(b, c, a); }
  printf("%08x\n", hash(b));
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) c[j][i] = a[i][j];
  printf("%08x\n", hash(c));
  for (int i = 0; i < N; i++) a[i][i] += 1000;
  printf("determinant %lld\n", (long long)determinant());
  for (int i = 0; i < 300; i++) signal[i] = (int16_t)(i * i * 13 - 5000);
  for (int i = 0; i < 16; i++) kernel[i] = (int16_t)(i * 100 - 700);
  uint32_t h = 0;
  for (int i = 0; i + 16 <= 300; i++) {
    int32_t s = 0;
    for (int k = 0; k < 16; k++) s += signal[i + k] * kernel[k];
    h = h * 31 + (uint32_t)(s >> 7);
  }
  printf("%08x\n", h);
  return 0;
}
