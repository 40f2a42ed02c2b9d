/* The user DMA of Hexagon v68 and later: descriptors, dmstart, dmlink, dmpoll.
 *
 * An engine belongs to a hardware thread. Field limits as in the public user-DMA headers: 24 bits of length, 16 bits
 * of row count, 16 bits of row size and stride (24 from v75 on); what one descriptor cannot say becomes a chain. Runs
 * on the simulator (`hexmlir sim`); never run on a device. Cached lines of a region must be written back by the
 * caller's system software, as for any user DMA.
 */
#include <stdlib.h>

#include "dma.h"

enum {
  MAX_LENGTH = (1 << 24) - 1,
  MAX_ROWS = (1 << 16) - 1,
#if __HEXAGON_ARCH__ >= 75
  MAX_FIELD = (1 << 24) - 1,
#else
  MAX_FIELD = (1 << 16) - 1,
#endif
  ALIGNMENT = 64, /* two descriptors; one needs 32 bytes */
  SIZE_BLOCK = 1 << 24,
  TYPE_WIDE = 9, /* 24-bit fields */
};
static const uint32_t DONE = 1u << 31;

/* Linear descriptors use the first four words. */
typedef struct Descriptor {
  uint32_t next, control, src, dst, type, size, strides, offsets;
} Descriptor;

static void dmstart(const void *chain) { __asm__ volatile("dmstart(%0)" : : "r"(chain) : "memory"); }

static void dmlink(const void *tail, const void *chain) {
  __asm__ volatile("dmlink(%0,%1)" : : "r"(tail), "r"(chain) : "memory");
}

static void dmpoll(void) {
  uint32_t status;
  __asm__ volatile("%0 = dmpoll" : "=r"(status) : : "memory");
}

static uint32_t parts(uint32_t whole, uint32_t most) { return (whole + most - 1) / most; }

static bool is_block(const Transfer *transfer) {
  int64_t width = transfer->row_bytes, to = transfer->dst_stride, from = transfer->src_stride;
  return width <= MAX_FIELD && to <= MAX_FIELD && from <= MAX_FIELD && to >= width && from >= width;
}

static bool is_packed(const Transfer *transfer) {
  return transfer->rows == 1 ||
         ((int64_t)transfer->dst_stride == transfer->row_bytes && transfer->src_stride == transfer->dst_stride &&
          (uint64_t)transfer->row_bytes * transfer->rows <= UINT32_MAX);
}

static Descriptor *linear(Descriptor *at, const char *src, char *dst, uint32_t bytes) {
  while (bytes) {
    uint32_t length = bytes < MAX_LENGTH ? bytes : MAX_LENGTH;
    *at++ = (Descriptor){0, length, (uintptr_t)src, (uintptr_t)dst, 0, 0, 0, 0};
    src += length, dst += length, bytes -= length;
  }
  return at;
}

static Descriptor block_of(uint32_t rows, uint32_t width, uint32_t src, uint32_t dst, uint32_t from, uint32_t to) {
#if __HEXAGON_ARCH__ >= 75
  return (Descriptor){0, SIZE_BLOCK | to, src, dst, TYPE_WIDE, rows << 24 | width, from << 8 | rows >> 8, 0};
#else
  return (Descriptor){0, SIZE_BLOCK, src, dst, 0, rows << 16 | width, to << 16 | from, 0};
#endif
}

static Descriptor *block(Descriptor *at, const Transfer *transfer) {
  const char *src = transfer->src;
  char *dst = transfer->dst;
  for (uint32_t left = transfer->rows; left;) {
    uint32_t rows = left < MAX_ROWS ? left : MAX_ROWS;
    *at++ = block_of(rows, transfer->row_bytes, (uintptr_t)src, (uintptr_t)dst, (uint32_t)transfer->src_stride,
                     (uint32_t)transfer->dst_stride);
    src += (int64_t)rows * transfer->src_stride, dst += (int64_t)rows * transfer->dst_stride, left -= rows;
  }
  return at;
}

/* Descriptors for `transfer`: a chain in an array. */
static Descriptor *describe(const Transfer *transfer, uint32_t *count) {
  bool packed = is_packed(transfer), as_block = !packed && is_block(transfer);
  uint32_t total = transfer->row_bytes * transfer->rows; /* used when packed */
  *count = packed     ? parts(total, MAX_LENGTH)
           : as_block ? parts(transfer->rows, MAX_ROWS)
                      : transfer->rows * parts(transfer->row_bytes, MAX_LENGTH);
  uint32_t bytes = (*count * (uint32_t)sizeof(Descriptor) + ALIGNMENT - 1) & -(uint32_t)ALIGNMENT;
  Descriptor *chain = aligned_alloc(ALIGNMENT, bytes), *end = chain;
  if (!chain) hexmlir_rt_fail("no memory for %u DMA descriptors", (unsigned)*count);
  if (packed) {
    linear(chain, transfer->src, transfer->dst, total);
  } else if (as_block) {
    block(chain, transfer);
  } else {
    for (uint32_t row = 0; row < transfer->rows; row++)
      end = linear(end, transfer->src + (int64_t)row * transfer->src_stride,
                   transfer->dst + (int64_t)row * transfer->dst_stride, transfer->row_bytes);
  }
  for (uint32_t i = 0; i + 1 < *count; i++) chain[i].next = (uintptr_t)&chain[i + 1];
  return chain;
}

typedef struct Chain {
  Descriptor *first, *last;
} Chain;

void hexmlir_rt_dma_begin(Transfer *transfer, const Transfer *previous) {
  uint32_t count;
  Chain *chain = hexmlir_rt_own_alloc(sizeof *chain);
  chain->first = describe(transfer, &count);
  chain->last = chain->first + count - 1;
  transfer->descriptors = chain;
  if (previous)
    dmlink(((Chain *)previous->descriptors)->last, chain->first);
  else
    dmstart(chain->first);
}

void hexmlir_rt_dma_complete(Transfer *transfer) {
  Chain *chain = transfer->descriptors;
  while (!(*(volatile uint32_t *)&chain->last->control & DONE)) dmpoll();
  free(chain->first);
  free(chain);
}
