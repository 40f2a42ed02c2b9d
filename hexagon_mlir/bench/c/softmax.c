#include "functions.h"

enum { ROWS = 64, COLUMNS = 781 };

void softmax(const float *restrict x, float *restrict out) {
  for (int row = 0; row < ROWS; row++, x += COLUMNS, out += COLUMNS) {
    int highest = ordered(x[0]);
    for (int i = 0; i < COLUMNS; i++) highest = ordered(x[i]) > highest ? ordered(x[i]) : highest;
    float most = of_ordered(highest), sum = 0;
    for (int i = 0; i < COLUMNS; i++) out[i] = exponential(x[i] - most);
    for (int i = 0; i < COLUMNS; i++) sum += out[i];
    float scale = reciprocal(sum);
    for (int i = 0; i < COLUMNS; i++) out[i] *= scale;
  }
}
