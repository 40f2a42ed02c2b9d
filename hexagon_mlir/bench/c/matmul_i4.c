#include "functions.h"

enum { M = 128, K = 256, N = 256 };

// A byte of b has the numbers of two rows, the even one's in its lower half.
void matmul_i4(const byte *restrict a, const byte *restrict b, int *restrict out) {
  for (int i = 0; i < M; i++) {
    int sums[N] = {0};
    for (int k = 0; k < K; k += 2) {
      int even = a[i * K + k], odd = a[i * K + k + 1];
      for (int j = 0; j < N; j++) {
        byte both = b[k / 2 * N + j];
        sums[j] += even * ((byte)(both << 4) >> 4) + odd * (both >> 4);
      }
    }
    for (int j = 0; j < N; j++) out[i * N + j] = sums[j];
  }
}
