enum { ROWS = 512, COLUMNS = 384 };

void transpose(const float *restrict x, float *restrict out) {
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ROWS; i++) out[j * ROWS + i] = x[i * COLUMNS + j];
}
