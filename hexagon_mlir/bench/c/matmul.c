enum { M = 128, K = 256, N = 192 };

void matmul(const float *restrict a, const float *restrict b, float *restrict out) {
  for (int i = 0; i < M; i++) {
    float sums[N] = {0};
    for (int k = 0; k < K; k++) {
      float factor = a[i * K + k];
      for (int j = 0; j < N; j++) sums[j] += factor * b[k * N + j];
    }
    for (int j = 0; j < N; j++) out[i * N + j] = sums[j];
  }
}
