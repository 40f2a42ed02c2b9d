enum { SIZE = 32, TAPS = 3, CHANNELS = 64, WIDE = SIZE + TAPS - 1 };

void depthwise_convolution_3x3(const float *restrict x, const float *restrict w, float *restrict out) {
  for (int h = 0; h < SIZE; h++)
    for (int v = 0; v < SIZE; v++) {
      float sums[CHANNELS] = {0};
      for (int i = 0; i < TAPS; i++)
        for (int j = 0; j < TAPS; j++)
          for (int c = 0; c < CHANNELS; c++)
            sums[c] += x[((h + i) * WIDE + v + j) * CHANNELS + c] * w[(i * TAPS + j) * CHANNELS + c];
      for (int c = 0; c < CHANNELS; c++) out[(h * SIZE + v) * CHANNELS + c] = sums[c];
    }
}
