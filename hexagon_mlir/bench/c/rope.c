enum { ROWS = 512, HALF = 64 };

void rope(const float *restrict x, const float *restrict cosine, const float *restrict sine, float *restrict out) {
  for (int row = 0; row < ROWS; row++) {
    const float *c = cosine + row * HALF, *s = sine + row * HALF, *a = x + row * 2 * HALF, *b = a + HALF;
    float *first = out + row * 2 * HALF, *second = first + HALF;
    for (int i = 0; i < HALF; i++) {
      first[i] = a[i] * c[i] - b[i] * s[i];
      second[i] = b[i] * c[i] + a[i] * s[i];
    }
  }
}
