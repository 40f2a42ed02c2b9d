#include "functions.h"

enum { ROWS = 256, COLUMNS = 768 };

void layer_norm(const float *restrict x, const float *restrict weight, const float *restrict bias,
                float *restrict out) {
  for (int row = 0; row < ROWS; row++, x += COLUMNS, out += COLUMNS) {
    float sum = 0, squares = 0;
    for (int i = 0; i < COLUMNS; i++) sum += x[i];
    float mean = sum / COLUMNS;
    for (int i = 0; i < COLUMNS; i++) squares += (x[i] - mean) * (x[i] - mean);
    float scale = reciprocal_root(squares / COLUMNS + 1e-5f);
    for (int i = 0; i < COLUMNS; i++) out[i] = (x[i] - mean) * scale * weight[i] + bias[i];
  }
}
