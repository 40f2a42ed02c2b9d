void vector_add(const float *restrict x, const float *restrict y, float *restrict out) {
  for (int i = 0; i < 64 * 16384; i++) out[i] = x[i] + y[i];
}
