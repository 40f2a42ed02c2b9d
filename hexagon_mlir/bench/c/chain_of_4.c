#include "functions.h"

void chain_of_4(const float *restrict x, const float *restrict y, float *restrict out) {
  for (int i = 0; i < 1 << 18; i++) out[i] = largest(x[i] * y[i] + x[i], y[i]) - x[i];
}
