/* The matrix engine's routines in C, for machines without one: bit for bit what v73 to v79 compute with USR bits 20 and
 * 21 clear, that is without infinities and NaN.
 *
 * Sums: the products of eight channels are aligned to the largest of their exponents, added, and their sum is added to
 * a cell of 30 bits; what is shifted out leaves a 1 in the last place. Results: the cell and a bias, cut to 15 bits,
 * times a scale, and another bias, rounded to the nearest. After target/hexagon of the public QEMU trees.
 */
#include <string.h>

#include "engine.h"

enum {
  SIDE = 32,   /* rows, columns and channels of a tile */
  GROUP = 8,   /* channels that are summed before the cell is touched */
  GUARD = 4,   /* places of a cell below those of a product */
  PLACES = 3,  /* most that one addition normalizes */
  CELL = 30,   /* bits of a significand */
  SMALLEST = -62, /* exponent of a cell: 7 bits. No K that fits into TCM comes near the largest. */
  UNIT = 20 + GUARD, /* a significand counts 2**(exponent - UNIT) */
  CUT = 15,    /* bits that the scale multiplies */
  SUM_BIAS_ZEROS = 8, /* below the significand of a bias, so that it has the units of a cell or of a product */
  RESULT_BIAS_ZEROS = 13,
  LEAST = -1024, /* the exponent of a bias or product that is 0 */
  HALF_FRACTION = 10,
  HALF_SMALLEST = -14,
  HALF_LARGEST = 0x7FFF,
  TILE = SIDE * SIDE, /* halves */
};

void hexmlir_rt_engine_lock(void) {}
void hexmlir_rt_engine_unlock(void) {}
void hexmlir_rt_engine_wait(void) {} /* results are there when a routine returns */

/* significand * 2**exponent */
typedef struct Number {
  int64_t significand;
  int32_t exponent;
} Number;

typedef struct Half {
  int32_t significand; /* signed, 11 bits, normalized */
  int32_t exponent;    /* of the first of them */
} Half;

typedef struct Cell {
  int32_t significand, exponent;
} Cell;

static Half half(uint16_t bits) {
  int32_t exponent = bits >> 10 & 31, significand = (bits & 0x3FF) | (exponent ? 0x400 : 0);
  exponent = (exponent ? exponent : 1) - 15;
  while (significand && significand < 0x400) significand <<= 1, exponent--;
  return (Half){bits >> 15 ? -significand : significand, exponent};
}

/* Move right; the last place is 1 when ones were lost. */
static int64_t sticky(int64_t value, int32_t places) {
  if (places <= 0) return value;
  if (places > 62) places = 62;
  int64_t moved = value >> places;
  return moved | (moved * ((int64_t)1 << places) != value);
}

/* A word whose first one is where that of a + b (or of its complement) is, or one place above, found without a carry
 * chain: the smaller guess counts where the signs differ, since that of the sum is not known yet. */
static uint32_t anticipated(int32_t first, int32_t second) {
  const uint32_t mask = (1u << (CELL + 1)) - 1;
  uint32_t a = (uint32_t)first, b = (uint32_t)second, differ = a ^ b;
  uint32_t positive = (differ ^ ((a | b) << 1 | 1)) & mask, negative = (differ ^ ~((a & b) << 1)) & mask;
  if (differ >> 31) return positive < negative ? positive : negative;
  return first < 0 ? negative : positive;
}

static void add_group(Cell *cell, const Half *activations, const Half *weights) {
  int32_t products[GROUP], exponents[GROUP], largest = SMALLEST;
  bool idle_activations = true, idle_weights = true;
  for (int i = 0; i < GROUP; i++) {
    products[i] = activations[i].significand * weights[i].significand;
    exponents[i] = products[i] ? activations[i].exponent + weights[i].exponent : SMALLEST;
    if (exponents[i] > largest) largest = exponents[i];
    idle_activations &= !activations[i].significand;
    idle_weights &= !weights[i].significand;
  }
  if (idle_activations || idle_weights) return;
  int64_t sum = 0;
  for (int i = 0; i < GROUP; i++) sum += sticky((int64_t)products[i] * (1 << GUARD), largest - exponents[i]);
  int32_t exponent = largest > cell->exponent ? largest : cell->exponent;
  int32_t a = (int32_t)sticky(sum, exponent - largest);
  int32_t b = (int32_t)sticky(cell->significand, exponent - cell->exponent);
  uint32_t leading = anticipated(a, b);
  int32_t places = 0;
  while (places < PLACES && leading < 1u << (CELL - 1 - places)) places++;
  exponent++;
  if (places > exponent - SMALLEST) places = exponent - SMALLEST;
  cell->significand = (int32_t)(sticky((int64_t)a + b, 1) * (1 << places));
  cell->exponent = exponent - places;
}

static int32_t bits_of(int64_t value) {
  uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
  return size ? 64 - __builtin_clzll(size) : 0;
}

/* The sum in units of the one with the larger exponent; what the other loses is a sticky last bit. */
static Number sum(Number a, Number b) {
  if (a.exponent < b.exponent) return sum(b, a);
  return (Number){a.significand + sticky(b.significand, a.exponent - b.exponent), a.exponent};
}

/* A half with `count` more bits of mantissa and `zeros` below. */
static Number extended(uint32_t bits, uint32_t more, int32_t count, int32_t zeros) {
  int32_t exponent = bits >> 10 & 31;
  int64_t significand = (int64_t)((bits & 0x3FF) | (exponent ? 0x400 : 0)) << count | more;
  if (!significand) return (Number){0, LEAST};
  if (bits >> 15 & 1) significand = -significand;
  return (Number){significand * (1 << zeros), (exponent ? exponent : 1) - 25 - count - zeros};
}

/* The leading CUT bits and the sign. */
static Number normalized(Number number) {
  int32_t places = bits_of(number.significand < 0 ? ~number.significand : number.significand) - CUT;
  if (!number.significand) return number;
  if (places <= 0) return (Number){number.significand * (1 << -places), number.exponent + places};
  return (Number){sticky(number.significand, places), number.exponent + places};
}

/* Nearest, ties to even. */
static uint16_t rounded(Number number) {
  uint64_t size = number.significand < 0 ? -(uint64_t)number.significand : (uint64_t)number.significand;
  if (!size) return 0;
  int32_t leading = bits_of(number.significand) - 1 + number.exponent;
  if (leading < HALF_SMALLEST) leading = HALF_SMALLEST;
  int32_t places = leading - HALF_FRACTION - number.exponent;
  uint64_t whole;
  if (places > 62) {
    whole = 0;
  } else if (places > 0) {
    uint64_t rest = size & (((uint64_t)1 << places) - 1), tie = (uint64_t)1 << (places - 1);
    whole = size >> places;
    whole += rest > tie || (rest == tie && (whole & 1));
  } else {
    whole = size << -places;
  }
  uint64_t pattern = whole + ((uint64_t)(leading - HALF_SMALLEST) << HALF_FRACTION);
  return (uint16_t)((number.significand < 0) << 15 | (pattern < HALF_LARGEST ? pattern : HALF_LARGEST));
}

/* `low` and `high` are the column's words: low half scale, high half bias of the result; in the high word low bits of
 * their mantissas, shape, sign, and the bias of the sum with low bits of its own. */
static uint16_t converted(Cell cell, uint32_t low, uint32_t high, bool relu) {
  Number value = {cell.significand, cell.exponent - UNIT};
  value = normalized(sum(value, extended(high >> 16, high >> 11 & 31, 5, SUM_BIAS_ZEROS)));
  uint32_t shape = high >> 8 & 3; /* as it is, minimum with 0, maximum with 0, magnitude */
  bool negative = value.significand < 0;
  if ((shape == 1 && !negative) || (shape == 2 && negative)) value.significand = 0;
  if (shape == 3 && negative) value.significand = -value.significand;
  Number scale = extended(low & 0xFFFF, high & 15, 4, 0);
  value = (Number){value.significand * scale.significand, value.exponent + scale.exponent};
  if (!value.significand) value.exponent = LEAST;
  if (high >> 10 & 1) value.significand = -value.significand;
  value = sum(value, extended(low >> 16, high >> 4 & 15, 4, RESULT_BIAS_ZEROS));
  return relu && value.significand < 0 ? 0 : rounded(value);
}

static void multiply_tile(Cell cells[SIDE][SIDE], const uint16_t *activation, const uint16_t *weight) {
  Half rows[SIDE][SIDE], columns[SIDE][SIDE];
  for (int i = 0; i < SIDE; i++)
    for (int channel = 0; channel < SIDE; channel++) {
      rows[i][channel] = half(activation[(i >> 1) * 64 + channel * 2 + (i & 1)]);
      columns[i][channel] = half(weight[(channel >> 1) * 64 + i * 2 + (channel & 1)]);
    }
  for (int channel = 0; channel < SIDE; channel += GROUP)
    for (int row = 0; row < SIDE; row++)
      for (int column = 0; column < SIDE; column++)
        add_group(&cells[row][column], &rows[row][channel], &columns[column][channel]);
}

static void clear(Cell cells[SIDE][SIDE]) {
  for (int i = 0; i < TILE; i++) cells[i / SIDE][i % SIDE] = (Cell){0, SMALLEST};
}

/* Add the products of one column of tiles. */
static void multiply_column(Cell cells[SIDE][SIDE], const uint16_t *activations, const uint16_t *weights,
                            int32_t tiles) {
  for (int32_t tile = 0; tile < tiles; tile++)
    multiply_tile(cells, activations + (size_t)tile * TILE, weights + (size_t)tile * TILE);
}

static void convert_tile(uint16_t *results, Cell cells[SIDE][SIDE], const uint32_t *bias, bool relu) {
  for (int row = 0; row < SIDE; row++)
    for (int i = 0; i < SIDE; i++)
      results[(row >> 1) * 64 + i * 2 + (row & 1)] = converted(cells[row][i], bias[i], bias[SIDE + i], relu);
}

static void multiply_row(const uint16_t *activations, const uint16_t *weights, uint16_t *results, int32_t tiles,
                         int32_t columns, const uint32_t *bias, bool relu) {
  if (tiles <= 0) return;
  for (int32_t column = 0; column < columns; column++) {
    Cell cells[SIDE][SIDE];
    clear(cells);
    multiply_column(cells, activations, weights + (size_t)column * tiles * TILE, tiles);
    convert_tile(results + (size_t)column * TILE, cells, bias + (size_t)column * 2 * SIDE, relu);
  }
}

void hexmlir_engine_hf(const void *activations, const void *weights, void *results, int32_t tiles, int32_t columns,
                       const void *bias) {
  multiply_row(activations, weights, results, tiles, columns, bias, false);
}

void hexmlir_engine_hf_relu(const void *activations, const void *weights, void *results, int32_t tiles,
                            int32_t columns, const void *bias) {
  multiply_row(activations, weights, results, tiles, columns, bias, true);
}

void hexmlir_engine_hf_runs(const void *activations, const void *weights, void *results, int32_t run, int32_t row,
                            const void *bias) {
  const int32_t tiles = run & 0xFFFF, runs = run >> 16, columns = row & 0xFFFF, distance = row >> 16;
  const uint16_t *weight = weights;
  if (!tiles || !runs) return;
  for (int32_t column = 0; column < columns; column++) {
    Cell cells[SIDE][SIDE];
    clear(cells);
    for (int32_t i = 0; i < runs; i++, weight += (size_t)tiles * TILE)
      multiply_column(cells, (const uint16_t *)activations + (size_t)i * distance * TILE, weight, tiles);
    convert_tile((uint16_t *)results + (size_t)column * TILE, cells, (const uint32_t *)bias + (size_t)column * 2 * SIDE,
                 false);
  }
}

void hexmlir_engine_hf_pieces(const void *activations, const void *weights, void *results, int32_t tiles,
                              int32_t columns, const void *pieces) {
  const uint16_t *subtracted = pieces;
  const uint32_t *first = (const uint32_t *)(subtracted + TILE), *second = first + 2 * SIDE;
  if (tiles <= 0) return;
  for (int32_t column = 0; column < columns; column++) {
    uint16_t *tile = (uint16_t *)results + (size_t)column * 2 * TILE;
    Cell cells[SIDE][SIDE];
    clear(cells);
    multiply_column(cells, activations, (const uint16_t *)weights + (size_t)column * tiles * TILE, tiles);
    convert_tile(tile, cells, first, false);
    multiply_tile(cells, tile, subtracted);
    convert_tile(tile + TILE, cells, second, false);
  }
}
