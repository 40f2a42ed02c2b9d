#include "functions.h"

void chain_of_12(const float *restrict x, const float *restrict y, const float *restrict z, float *restrict out) {
  for (int i = 0; i < 1 << 17; i++) {
    float t = least(largest(x[i] * y[i] + z[i], x[i] - y[i]), 4.0f);
    float u = magnitude(t) * z[i] - x[i];
    out[i] = largest(u * t + y[i], u) * 0.5f;
  }
}
