/* Queues and tags of the DMA; the moving itself is a backend's (dma.h). */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "dma.h"

/* The transfers one thread has started and nobody waited for, oldest first. */
typedef struct Engine {
  struct Engine *next;
  pthread_mutex_t lock;
  Transfer *first, *last;
} Engine;

static _Atomic(Engine *) engines; /* grows only */
static atomic_int last_tag;
static _Thread_local Engine *mine;

static void release_all(void) {
  for (Engine *engine = atomic_exchange(&engines, NULL); engine;) {
    for (Transfer *transfer = engine->first; transfer;) {
      Transfer *next = transfer->next;
      free(transfer);
      transfer = next;
    }
    Engine *next = engine->next;
    pthread_mutex_destroy(&engine->lock);
    free(engine);
    engine = next;
  }
}

static Engine *own_engine(void) {
  if (mine) return mine;
  mine = hexmlir_rt_own_alloc(sizeof *mine);
  mine->first = mine->last = NULL;
  pthread_mutex_init(&mine->lock, NULL);
  mine->next = atomic_load(&engines);
  while (!atomic_compare_exchange_weak(&engines, &mine->next, mine)) {
  }
  if (!mine->next) atexit(release_all);
  return mine;
}

static int32_t next_tag(void) {
  int old = atomic_load(&last_tag), tag;
  do tag = old == INT32_MAX ? 1 : old + 1;
  while (!atomic_compare_exchange_weak(&last_tag, &old, tag));
  return tag;
}

int32_t hexmlir_rt_dma_start_2d(void *dst, const void *src, uint32_t row_bytes, uint32_t rows, int32_t dst_stride,
                                int32_t src_stride) {
  int32_t tag = next_tag();
  if (!row_bytes || !rows) return tag;
  Transfer *transfer = hexmlir_rt_own_alloc(sizeof *transfer);
  *transfer = (Transfer){NULL, dst, src, row_bytes, rows, dst_stride, src_stride, tag, NULL};
  Engine *engine = own_engine();
  pthread_mutex_lock(&engine->lock);
  hexmlir_rt_dma_begin(transfer, engine->last);
  if (engine->last)
    engine->last->next = transfer;
  else
    engine->first = transfer;
  engine->last = transfer;
  pthread_mutex_unlock(&engine->lock);
  return tag;
}

/* Completes `tag` and all before it when it is one of `engine`'s. */
static bool complete(Engine *engine, int32_t tag) {
  pthread_mutex_lock(&engine->lock);
  const Transfer *wanted = engine->first;
  while (wanted && wanted->tag != tag) wanted = wanted->next;
  for (bool done = !wanted; !done;) {
    Transfer *transfer = engine->first;
    hexmlir_rt_dma_complete(transfer);
    done = transfer == wanted;
    engine->first = transfer->next;
    if (!engine->first) engine->last = NULL;
    free(transfer);
  }
  pthread_mutex_unlock(&engine->lock);
  return wanted;
}

void hexmlir_rt_dma_wait(int32_t tag) {
  if (tag <= 0 || (tag > atomic_load(&last_tag))) hexmlir_rt_fail("dma_wait: no transfer has tag %d", (int)tag);
  if (mine && complete(mine, tag)) return;
  for (Engine *engine = atomic_load(&engines); engine; engine = engine->next)
    if (engine != mine && complete(engine, tag)) return;
}

int32_t hexmlir_rt_tile_start(hexmlir_rt_tile *tiles, uint32_t first, uint32_t count) {
  int32_t tag = 0;
  for (uint32_t number = first; number < first + count; number++) {
    hexmlir_rt_tile *tile = &tiles[number];
    if (!tile->tag)
      tile->tag = hexmlir_rt_dma_start_2d(tile->target, tile->source, tile->row_bytes, tile->rows,
                                          (int32_t)tile->row_bytes, tile->stride);
    tag = tile->tag;
  }
  return tag;
}

void hexmlir_rt_copy_2d(void *dst, const void *src, uint32_t row_bytes, uint32_t rows, int32_t dst_stride,
                        int32_t src_stride) {
  hexmlir_rt_dma_wait(hexmlir_rt_dma_start_2d(dst, src, row_bytes, rows, dst_stride, src_stride));
}

uint32_t hexmlir_rt_dma_pending(void) {
  uint32_t count = 0;
  for (Engine *engine = atomic_load(&engines); engine; engine = engine->next) {
    pthread_mutex_lock(&engine->lock);
    for (const Transfer *transfer = engine->first; transfer; transfer = transfer->next) count++;
    pthread_mutex_unlock(&engine->lock);
  }
  return count;
}
