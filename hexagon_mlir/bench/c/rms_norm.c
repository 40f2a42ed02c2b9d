#include "functions.h"

enum { ROWS = 127, COLUMNS = 513 };

void rms_norm(const float *restrict x, float *restrict out) {
  for (int row = 0; row < ROWS; row++, x += COLUMNS, out += COLUMNS) {
    float sum = 0;
    for (int i = 0; i < COLUMNS; i++) sum += x[i] * x[i];
    float scale = reciprocal_root(sum / COLUMNS + 1e-5f);
    for (int i = 0; i < COLUMNS; i++) out[i] = x[i] * scale;
  }
}
