enum { ROWS = 512, COLUMNS = 384, BLOCK = 32 };

// A block at a time, so that lines are still in the cache when their next element is read.
void transpose(const float *restrict x, float *restrict out) {
  for (int column = 0; column < COLUMNS; column += BLOCK)
    for (int row = 0; row < ROWS; row += BLOCK)
      for (int j = column; j < column + BLOCK; j++)
        for (int i = row; i < row + BLOCK; i++) out[j * ROWS + i] = x[i * COLUMNS + j];
}
