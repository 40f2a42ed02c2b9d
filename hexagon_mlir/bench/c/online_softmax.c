#include "functions.h"

enum { ROWS = 64, COLUMNS = 4096, BLOCK = 512 };

void online_softmax(const float *restrict x, float *restrict out) {
  for (int row = 0; row < ROWS; row++, x += COLUMNS, out += COLUMNS) {
    float most = x[0], total = 0;
    for (int start = 0; start < COLUMNS; start += BLOCK) {
      int highest = ordered(most);
      for (int i = start; i < start + BLOCK; i++) highest = ordered(x[i]) > highest ? ordered(x[i]) : highest;
      float now = of_ordered(highest), sum = 0;
      for (int i = start; i < start + BLOCK; i++) sum += exponential(x[i] - now);
      total = total * exponential(most - now) + sum;
      most = now;
    }
    float scale = reciprocal(total);
    for (int i = 0; i < COLUMNS; i++) out[i] = exponential(x[i] - most) * scale;
  }
}
