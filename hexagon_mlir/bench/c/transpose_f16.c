#include "functions.h"

enum { ROWS = 512, COLUMNS = 512 };

void transpose_f16(const half *restrict x, half *restrict out) {
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ROWS; i++) out[j * ROWS + i] = x[i * COLUMNS + j];
}
