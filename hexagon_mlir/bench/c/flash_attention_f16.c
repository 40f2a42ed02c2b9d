#include "functions.h"

enum { TOKENS = 256, WIDTH = 64, BLOCK = 64 };

void flash_attention_f16(const half *restrict q, const half *restrict k, const half *restrict v, float *restrict out) {
  static float transposed[WIDTH * TOKENS];  // keys, so that scores of several keys are next to each other
  for (int n = 0; n < TOKENS; n++)
    for (int w = 0; w < WIDTH; w++) transposed[w * TOKENS + n] = k[n * WIDTH + w];
  for (int row = 0; row < TOKENS; row++) {
    float most = -1e30f, denominator = 0, total[WIDTH] = {0};
    for (int start = 0; start < TOKENS; start += BLOCK) {
      float scores[BLOCK] = {0};
      for (int w = 0; w < WIDTH; w++) {
        float query = (float)q[row * WIDTH + w] * 0.125f;
        for (int n = 0; n < BLOCK; n++) scores[n] += query * transposed[w * TOKENS + start + n];
      }
      int highest = ordered(most);
      for (int n = 0; n < BLOCK; n++) highest = ordered(scores[n]) > highest ? ordered(scores[n]) : highest;
      float now = of_ordered(highest), decay = exponential(most - now), sum = 0;
      for (int n = 0; n < BLOCK; n++) scores[n] = exponential(scores[n] - now);
      for (int n = 0; n < BLOCK; n++) sum += scores[n];
      for (int w = 0; w < WIDTH; w++) total[w] *= decay;
      for (int n = 0; n < BLOCK; n++)
        for (int w = 0; w < WIDTH; w++) total[w] += scores[n] * (float)v[(start + n) * WIDTH + w];
      denominator = denominator * decay + sum;
      most = now;
    }
    float scale = reciprocal(denominator);
    for (int w = 0; w < WIDTH; w++) out[row * WIDTH + w] = total[w] * scale;
  }
}
