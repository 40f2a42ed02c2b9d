/* The matrix engine's routines for bytes in C, for machines without one: bit for bit what v73 to v79 compute.
 *
 * Sums wrap at 32 bits. Results: sum and bias, cut below 2**-12 of the binary point, times a scale, plus another bias,
 * rounded down. After target/hexagon of the public QEMU trees.
 */
#include <string.h>

#include "engine.h"

enum {
  ROWS = 64,
  SIDE = 32, /* columns and channels of a tile */
  TILE = ROWS * SIDE,
  WEIGHTS = SIDE * SIDE, /* of a tile */
  WORD = 4,     /* channels in a word of weights */
  PLANES = 4,   /* bytes of a sum */
  TABLE = 64,   /* words: 32 low, then 32 high ones */
  POINT = 32,   /* above it stand integers, once a sum is shifted */
  FRACTION = 12,
  LARGEST = 4095,
  ENTRY_FRACTION = 4, /* of a result, below what is stored */
};

/* As it is, minimum with 0, maximum with 0, magnitude; 4 to 7: the negatives. `before` is the number before shifts. */
static int64_t shaped(int64_t value, int64_t before, uint32_t shape) {
  switch (shape) {
    case 1: return value > 0 ? 0 : value;
    case 2: return value < 0 ? 0 : value;
    case 3: return value < 0 ? ~value : value;
    case 4: return before ? ~value : 0;
    case 5: return before >= 0 ? 0 : ~value;
    case 6: return before <= 0 ? 0 : ~value;
    case 7: return !before ? 0 : value < 0 ? value : ~value;
    default: return value;
  }
}

/* `low` is the column's low word: scale with its upper bit inverted, exponent, shape, bias of the result. */
static uint8_t converted(int32_t cell, uint32_t low, int32_t bias, bool wraps) {
  const int64_t upper = (int64_t)1 << (POINT + 1), sticky = (int64_t)1 << (POINT - 1 - FRACTION);
  int64_t value = (int64_t)cell + bias, moved = (int64_t)((uint64_t)value << (low >> 10 & 31));
  bool negative = value < 0;
  int64_t above = moved & -upper, kept = moved & (upper - ((int64_t)1 << (POINT - FRACTION)));
  if (negative ? above == -upper : above != 0) kept |= upper; /* one integer bit, a mark of range, and the sign */
  if (negative) kept |= upper << 1;
  if (kept) kept |= sticky;
  uint32_t shape = (low >> 17 & 3) | (low >> 15 & 1) << 2;
  if ((shape >= 4 || (shape == 3 && negative)) && !(shape == 7 && negative)) kept &= ~sticky;
  kept = (int64_t)((uint64_t)kept << (64 - POINT - 3)) >> (64 - POINT - 3 + POINT - 1 - FRACTION);
  int64_t scale = (low & 0x3FF) << 1 | low >> 31 | ((low >> 16 & 1) ^ 1) << 11;
  int64_t result = (shaped(kept, value, shape) * scale + ((int64_t)(low >> 19 & 0xFFF) << FRACTION)) >> FRACTION;
  if (!wraps) result = result < 0 ? 0 : result > LARGEST ? LARGEST : result;
  return (uint8_t)(result >> ENTRY_FRACTION);
}

/* Weights of a tile as [channel][column]. */
typedef void unpack_function(int8_t weights[SIDE][SIDE], const uint8_t *tile);

static void unpack_bytes(int8_t weights[SIDE][SIDE], const uint8_t *tile) {
  for (int channel = 0; channel < SIDE; channel++)
    for (int column = 0; column < SIDE; column++)
      weights[channel][column] = (int8_t)tile[channel / WORD * WORD * SIDE + column * WORD + channel % WORD];
}

/* A byte has a channel of one word, and in its upper half the same one of the next. */
static void unpack_nibbles(int8_t weights[SIDE][SIDE], const uint8_t *tile) {
  for (int channel = 0; channel < SIDE; channel++)
    for (int column = 0; column < SIDE; column++) {
      int nibble = tile[channel / (2 * WORD) * WORD * SIDE + column * WORD + channel % WORD];
      nibble = (channel / WORD % 2 ? nibble >> 4 : nibble) & 15;
      weights[channel][column] = (int8_t)(nibble < 8 ? nibble : nibble - 16);
    }
}

static void multiply_tile(int32_t cells[ROWS][SIDE], const uint8_t *activations, const uint8_t *tile,
                          unpack_function *unpack) {
  int8_t weights[SIDE][SIDE];
  unpack(weights, tile);
  for (int row = 0; row < ROWS; row++)
    for (int channel = 0; channel < SIDE; channel++)
      for (int column = 0; column < SIDE; column++)
        cells[row][column] = (int32_t)((uint32_t)cells[row][column] +
                                       (uint32_t)(activations[row * SIDE + channel] * weights[channel][column]));
}

static void store_column(uint8_t *results, int32_t cells[ROWS][SIDE], const uint32_t *tables, int32_t column,
                         bool planes) {
  for (int plane = 0; plane < (planes ? PLANES : 1); plane++, results += TILE) {
    const uint32_t *table = tables + (size_t)(planes ? plane : column) * TABLE;
    for (int row = 0; row < ROWS; row++)
      for (int i = 0; i < SIDE; i++)
        results[row * SIDE + i] = converted(cells[row][i], table[i], (int32_t)table[SIDE + i], planes);
  }
}

static void multiply_row(const uint8_t *activations, const uint8_t *weights, uint8_t *results, int32_t tiles,
                         int32_t columns, const uint32_t *tables, int weight_bytes, unpack_function *unpack,
                         bool planes) {
  if (tiles <= 0) return;
  for (int32_t column = 0; column < columns; column++, results += TILE * (planes ? PLANES : 1)) {
    int32_t cells[ROWS][SIDE];
    memset(cells, 0, sizeof cells);
    for (int32_t tile = 0; tile < tiles; tile++, weights += weight_bytes)
      multiply_tile(cells, activations + (size_t)tile * TILE, weights, unpack);
    store_column(results, cells, tables, column, planes);
  }
}

void hexmlir_engine_ub_b(const void *activations, const void *weights, void *results, int32_t tiles, int32_t columns,
                         const void *bias) {
  multiply_row(activations, weights, results, tiles, columns, bias, WEIGHTS, unpack_bytes, false);
}

void hexmlir_engine_ub_b_planes(const void *activations, const void *weights, void *results, int32_t tiles,
                                int32_t columns, const void *bias) {
  multiply_row(activations, weights, results, tiles, columns, bias, WEIGHTS, unpack_bytes, true);
}

void hexmlir_engine_ub_n(const void *activations, const void *weights, void *results, int32_t tiles, int32_t columns,
                         const void *bias) {
  multiply_row(activations, weights, results, tiles, columns, bias, WEIGHTS / 2, unpack_nibbles, false);
}

void hexmlir_engine_ub_n_planes(const void *activations, const void *weights, void *results, int32_t tiles,
                                int32_t columns, const void *bias) {
  multiply_row(activations, weights, results, tiles, columns, bias, WEIGHTS / 2, unpack_nibbles, true);
}

static void multiply_runs(const uint8_t *activations, const uint8_t *weights, uint8_t *results, int32_t run,
                          int32_t row, const uint32_t *tables, int weight_bytes, unpack_function *unpack,
                          bool planes) {
  const int32_t tiles = run & 0xFFFF, runs = run >> 16, columns = row & 0xFFFF, distance = row >> 16;
  if (!tiles || !runs) return;
  for (int32_t column = 0; column < columns; column++) {
    int32_t cells[ROWS][SIDE];
    memset(cells, 0, sizeof cells);
    for (int32_t i = 0; i < runs; i++)
      for (int32_t tile = 0; tile < tiles; tile++, weights += weight_bytes)
        multiply_tile(cells, activations + ((size_t)i * distance + tile) * TILE, weights, unpack);
    store_column(results + (size_t)column * (planes ? PLANES : 1) * TILE, cells, tables, column, planes);
  }
}

void hexmlir_engine_ub_b_runs(const void *activations, const void *weights, void *results, int32_t run, int32_t row,
                              const void *bias) {
  multiply_runs(activations, weights, results, run, row, bias, WEIGHTS, unpack_bytes, false);
}

void hexmlir_engine_ub_b_runs_planes(const void *activations, const void *weights, void *results, int32_t run,
                                     int32_t row, const void *bias) {
  multiply_runs(activations, weights, results, run, row, bias, WEIGHTS, unpack_bytes, true);
}

void hexmlir_engine_ub_n_runs(const void *activations, const void *weights, void *results, int32_t run, int32_t row,
                              const void *bias) {
  multiply_runs(activations, weights, results, run, row, bias, WEIGHTS / 2, unpack_nibbles, false);
}

void hexmlir_engine_ub_n_runs_planes(const void *activations, const void *weights, void *results, int32_t run,
                                     int32_t row, const void *bias) {
  multiply_runs(activations, weights, results, run, row, bias, WEIGHTS / 2, unpack_nibbles, true);
}
