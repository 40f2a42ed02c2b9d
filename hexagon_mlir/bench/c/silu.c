#include "functions.h"

void silu(const float *restrict x, float *restrict out) {
  for (int i = 0; i < 16 * 16384; i++) out[i] = x[i] * reciprocal(1.0f + exponential(-x[i]));
}
