void exponent_series_of_16_terms(const float *restrict x, float *restrict out) {
  static const double factorial[16] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600,
                                       6227020800.0, 87178291200.0, 1307674368000.0};
  for (int i = 0; i < 1 << 18; i++) {
    float value = (float)(1 / factorial[15]);
    for (int n = 14; n >= 0; n--) value = value * x[i] + (float)(1 / factorial[n]);
    out[i] = value;
  }
}
