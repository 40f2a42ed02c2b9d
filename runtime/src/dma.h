/* What a DMA backend provides: dma_emulated.c anywhere, dma_engine.c on Hexagon v68 and later. */
#ifndef HEXMLIR_RT_DMA_H
#define HEXMLIR_RT_DMA_H

#include "internal.h"

typedef struct Transfer {
  struct Transfer *next; /* later one of the same thread */
  char *dst;
  const char *src;
  uint32_t row_bytes, rows; /* neither is 0 */
  int32_t dst_stride, src_stride;
  int32_t tag;
  void *descriptors; /* the backend's */
} Transfer;

/* Begin a transfer on the calling thread's engine; `previous` is the one before it there that nobody waited for. */
void hexmlir_rt_dma_begin(Transfer *transfer, const Transfer *previous);

/* Complete a transfer; those of a thread complete in order. */
void hexmlir_rt_dma_complete(Transfer *transfer);

#endif
