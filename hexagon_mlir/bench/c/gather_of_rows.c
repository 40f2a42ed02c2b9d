enum { ROWS = 512, COLUMNS = 256 };

void gather_of_rows(const float *restrict table, const int *restrict numbers, float *restrict out) {
  for (int row = 0; row < ROWS; row++)
    for (int i = 0; i < COLUMNS; i++) out[row * COLUMNS + i] = table[numbers[row] * COLUMNS + i];
}
