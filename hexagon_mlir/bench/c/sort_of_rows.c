#include "functions.h"

enum { ROWS = 32, COLUMNS = 64 };

// A bitonic network, with the rows side by side. Loops of 32 lanes are kept: unrolled, clang does not vectorize them.
void sort_of_rows(const float *restrict x, float *restrict out) {
  static float columns[COLUMNS][ROWS];
  for (int i = 0; i < COLUMNS; i++)
#pragma clang loop vectorize(disable) unroll(disable)
    for (int row = 0; row < ROWS; row++) columns[i][row] = x[row * COLUMNS + i];
  for (int size = 2; size <= COLUMNS; size *= 2)
    for (int step = size / 2; step > 0; step /= 2)
#pragma clang loop unroll(disable)
      for (int i = 0; i < COLUMNS; i++) {
        if (i & step) continue;
        float *low = columns[i & size ? i + step : i], *high = columns[i & size ? i : i + step];
#pragma clang loop unroll(disable)
        for (int row = 0; row < ROWS; row++) {
          float a = low[row], b = high[row];
          low[row] = least(a, b);
          high[row] = largest(a, b);
        }
      }
  for (int row = 0; row < ROWS; row++)
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < COLUMNS; i++) out[row * COLUMNS + i] = columns[i][row];
}
