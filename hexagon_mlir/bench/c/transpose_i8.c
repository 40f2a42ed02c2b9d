#include "functions.h"

enum { ROWS = 512, COLUMNS = 1024 };

void transpose_i8(const byte *restrict x, byte *restrict out) {
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ROWS; i++) out[j * ROWS + i] = x[i * COLUMNS + j];
}
