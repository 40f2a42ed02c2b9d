/* The matrix engine: one holder at a time, and products of small integers, which are exact. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "hexmlir_rt.h"

enum { THREADS = 5, ROUNDS = 300, TILES = 2, COLUMNS = 2, SIDE = 32, HALVES = SIDE * SIDE };

static volatile int32_t inside, turns; /* not atomic: the holder alone touches them */

static void take_turns(void *argument) {
  (void)argument;
  for (int round = 0; round < ROUNDS; round++) {
    hexmlir_rt_engine_acquire();
    CHECK(++inside == 1);
    turns = turns + 1;
    CHECK(--inside == 0);
    hexmlir_rt_engine_release();
  }
}

/* f16 of a number of magnitude below 2048. */
static uint16_t half(int32_t number) {
  uint32_t size = (uint32_t)(number < 0 ? -number : number);
  if (!size) return 0;
  int32_t leading = 31 - __builtin_clz(size);
  return (uint16_t)((number < 0) << 15 | (leading + 15) << 10 | ((size << (10 - leading)) & 0x3FF));
}

static int32_t activation(int32_t row, int32_t channel) { return (row * 3 + channel * 5) % 7 - 3; }
static int32_t weight(int32_t channel, int32_t column) { return (channel * 2 + column * 3) % 5 - 2; }

static uint16_t activations[TILES][HALVES], weights[COLUMNS][TILES][HALVES], results[COLUMNS][HALVES];
static uint32_t bias[COLUMNS][2][SIDE];
static uint16_t pieces[HALVES + 2 * 2 * SIDE * 2], both[COLUMNS][2][HALVES];

static void multiply(void) {
  for (int32_t channel = 0; channel < TILES * SIDE; channel++)
    for (int32_t i = 0; i < SIDE; i++) {
      int32_t tile = channel / SIDE, k = channel % SIDE;
      activations[tile][(i >> 1) * 64 + k * 2 + (i & 1)] = half(activation(i, channel));
      for (int32_t column = 0; column < COLUMNS; column++)
        weights[column][tile][(k >> 1) * 64 + i * 2 + (k & 1)] = half(weight(channel, column * SIDE + i));
    }
  for (int32_t column = 0; column < COLUMNS * SIDE; column++) bias[column / SIDE][0][column % SIDE] = half(1);
}

static void compare(bool relu) {
  for (int32_t row = 0; row < SIDE; row++)
    for (int32_t column = 0; column < COLUMNS * SIDE; column++) {
      int32_t expected = 0;
      for (int32_t channel = 0; channel < TILES * SIDE; channel++)
        expected += activation(row, channel) * weight(channel, column);
      if (relu && expected < 0) expected = 0;
      CHECK(results[column / SIDE][(row >> 1) * 64 + column % SIDE * 2 + (row & 1)] == half(expected));
    }
}

/* Factors times 32, and some of 1: sums of more than 11 bits. First pieces count 2, second ones 1/2. */
static void multiply_exactly(void) {
  for (int32_t i = 0; i < SIDE; i++) pieces[(i >> 1) * 64 + i * 2 + (i & 1)] = half(-2);
  for (int32_t i = 0; i < SIDE; i++) {
    pieces[HALVES + 2 * i] = half(1) - (1 << 10); /* 1/2 */
    pieces[HALVES + 4 * SIDE + 2 * i] = half(2);
  }
  for (int32_t tile = 0; tile < TILES; tile++)
    for (int32_t i = 0; i < HALVES; i++) {
      if (activations[tile][i]) activations[tile][i] += 5 << 10; /* times 32 */
      for (int32_t column = 0; column < COLUMNS; column++)
        if (weights[column][tile][i]) weights[column][tile][i] += 5 << 10;
    }
  for (int32_t i = 0; i < SIDE; i++) activations[0][(i >> 1) * 64 + (i & 1)] = weights[0][0][i * 2] = half(1);
  hexmlir_engine_hf_pieces(activations, weights, both, TILES, COLUMNS, pieces);
  hexmlir_rt_engine_wait();
}

static double value(uint16_t bits) {
  int32_t exponent = bits >> 10 & 31;
  double size = (bits & 0x3FF) + (exponent ? 0x400 : 0);
  for (exponent = exponent ? exponent : 1; exponent < 25; exponent++) size /= 2;
  for (; exponent > 25; exponent--) size *= 2;
  return bits >> 15 ? -size : size;
}

static void compare_pieces(void) {
  int32_t seconds = 0;
  for (int32_t row = 0; row < SIDE; row++)
    for (int32_t column = 0; column < COLUMNS * SIDE; column++) {
      double expected = 0;
      int32_t tile = column / SIDE, i = column % SIDE, place = (row >> 1) * 64 + i * 2 + (row & 1);
      for (int32_t channel = 0; channel < TILES * SIDE; channel++) {
        int32_t k = channel % SIDE;
        expected += value(activations[channel / SIDE][(row >> 1) * 64 + k * 2 + (row & 1)]) *
                    value(weights[tile][channel / SIDE][(k >> 1) * 64 + i * 2 + (k & 1)]);
      }
      CHECK(value(both[tile][0][place]) * 2 + value(both[tile][1][place]) / 2 == expected);
      seconds += both[tile][1][place] != 0;
    }
  CHECK(seconds > 100);
}

int main(void) {
  int32_t numbers[THREADS];
  for (int i = 0; i < THREADS; i++) numbers[i] = hexmlir_rt_thread_create(take_turns, NULL);
  for (int i = 0; i < THREADS; i++) hexmlir_rt_thread_join(numbers[i]);
  CHECK(turns == THREADS * ROUNDS);

  multiply();
  hexmlir_rt_engine_acquire();
  hexmlir_engine_hf(activations, weights, results, TILES, COLUMNS, bias);
  hexmlir_rt_engine_wait();
  compare(false);
  hexmlir_engine_hf_relu(activations, weights, results, TILES, COLUMNS, bias);
  hexmlir_rt_engine_wait();
  compare(true);
  memset(results, 0x55, sizeof results);
  hexmlir_engine_hf_runs(activations, weights, results, 1 + (TILES << 16), COLUMNS + (1 << 16), bias);
  compare(false);
  memset(results, 0x55, sizeof results);
  hexmlir_engine_hf_runs(activations, weights, results, TILES + (1 << 16), COLUMNS + (TILES << 16), bias);
  compare(false);
  multiply_exactly();
  compare_pieces();
  memset(results, 0x55, sizeof results);
  hexmlir_engine_hf(activations, weights, results, 0, COLUMNS, bias);
  hexmlir_engine_hf(activations, weights, results, -1, COLUMNS, bias);
  hexmlir_engine_hf(activations, weights, results, TILES, 0, bias);
  hexmlir_engine_hf(activations, weights, results, TILES, -1, bias);
  hexmlir_engine_hf_runs(activations, weights, results, TILES, COLUMNS, bias);
  for (size_t i = 0; i < sizeof results; i++) CHECK(((unsigned char *)results)[i] == 0x55);
  hexmlir_rt_engine_release();
  puts("engine: ok");
  return 0;
}
