#include "functions.h"

enum { ROWS = 512, COLUMNS = 1024, BLOCK = 16 };

// A block at a time, so that lines are still in the cache when their next element is read.
void transpose_i8(const byte *restrict x, byte *restrict out) {
  for (int column = 0; column < COLUMNS; column += BLOCK)
    for (int row = 0; row < ROWS; row += BLOCK)
      for (int j = column; j < column + BLOCK; j++)
        for (int i = row; i < row + BLOCK; i++) out[j * ROWS + i] = x[i * COLUMNS + j];
}
