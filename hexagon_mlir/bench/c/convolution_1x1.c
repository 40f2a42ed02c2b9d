enum { SIZE = 16, TAPS = 1, IN = 64, OUT = 64, WIDE = SIZE + TAPS - 1 };

void convolution_1x1(const float *restrict x, const float *restrict w, float *restrict out) {
  for (int h = 0; h < SIZE; h++)
    for (int v = 0; v < SIZE; v++) {
      float sums[OUT] = {0};
      for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++)
          for (int c = 0; c < IN; c++) {
            float pixel = x[((h + i) * WIDE + v + j) * IN + c];
            for (int f = 0; f < OUT; f++) sums[f] += pixel * (float)w[((i * TAPS + j) * IN + c) * OUT + f];
          }
      for (int f = 0; f < OUT; f++) out[(h * SIZE + v) * OUT + f] = sums[f];
    }
}
