#include "functions.h"

enum { M = 128, K = 256, N = 192 };

void matmul_i8(const byte *restrict a, const byte *restrict b, int *restrict out) {
  for (int i = 0; i < M; i++) {
    int sums[N] = {0};
    for (int k = 0; k < K; k++) {
      int factor = a[i * K + k];
      for (int j = 0; j < N; j++) sums[j] += factor * b[k * N + j];
    }
    for (int j = 0; j < N; j++) out[i * N + j] = sums[j];
  }
}
