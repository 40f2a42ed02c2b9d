#include "functions.h"

enum { ROWS = 512, COLUMNS = 768 };

void matrix_by_vector_f16(const half *restrict a, const half *restrict x, float *restrict out) {
  for (int row = 0; row < ROWS; row++, a += COLUMNS) {
    float sum = 0;
    for (int i = 0; i < COLUMNS; i++) sum += (float)a[i] * (float)x[i];
    out[row] = sum;
  }
}
