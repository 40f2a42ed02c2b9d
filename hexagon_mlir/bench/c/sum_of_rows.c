enum { ROWS = 256, COLUMNS = 1000 };

void sum_of_rows(const float *restrict x, float *restrict out) {
  for (int row = 0; row < ROWS; row++, x += COLUMNS) {
    float sum = 0;
    for (int i = 0; i < COLUMNS; i++) sum += x[i];
    out[row] = sum;
  }
}
