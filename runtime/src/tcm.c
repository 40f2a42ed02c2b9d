/* The TCM pool: best fit over an address-ordered list of blocks. The list lives outside the pool. */
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"

enum { DEFAULT_BYTES = 8 << 20, POOL_ALIGNMENT = 2048 };

typedef struct Block {
  struct Block *next; /* by address */
  uintptr_t start;
  uint32_t bytes;
  bool used;
} Block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Block *blocks;
static void *own_memory; /* freed at exit */
static uint32_t pool_bytes, used_bytes, high_water;

static void release_all(void) {
  while (blocks) {
    Block *next = blocks->next;
    free(blocks);
    blocks = next;
  }
  free(own_memory);
}

static void set_pool(void *base, uint32_t bytes) {
  blocks = hexmlir_rt_own_alloc(sizeof *blocks);
  *blocks = (Block){NULL, (uintptr_t)base, bytes, false};
  pool_bytes = bytes;
  atexit(release_all);
}

static void ensure_pool(void) {
  if (blocks) return;
  uint32_t bytes = hexmlir_rt_setting("HEXMLIR_RT_TCM_BYTES", DEFAULT_BYTES);
  bytes = (bytes + POOL_ALIGNMENT - 1) / POOL_ALIGNMENT * POOL_ALIGNMENT;
  own_memory = aligned_alloc(POOL_ALIGNMENT, bytes);
  if (!own_memory) hexmlir_rt_fail("no memory for a TCM pool of %u bytes", (unsigned)bytes);
  set_pool(own_memory, bytes);
}

void hexmlir_rt_tcm_use(void *base, uint32_t bytes) {
  pthread_mutex_lock(&lock);
  if (blocks) hexmlir_rt_fail("the TCM pool is in use already");
  set_pool(base, bytes);
  pthread_mutex_unlock(&lock);
}

static uintptr_t aligned(uintptr_t address, uint32_t alignment) { return (address + alignment - 1) & -(uintptr_t)alignment; }

/* The block `bytes` cut off from `block` at `at`; the rest before and after stays free. */
static void split(Block *block, uintptr_t at, uint32_t bytes) {
  if (at > block->start) {
    Block *rest = hexmlir_rt_own_alloc(sizeof *rest);
    *rest = (Block){block->next, at, (uint32_t)(block->start + block->bytes - at), false};
    block->bytes = (uint32_t)(at - block->start);
    block->next = rest;
    block = rest;
  }
  if (block->bytes > bytes) {
    Block *rest = hexmlir_rt_own_alloc(sizeof *rest);
    *rest = (Block){block->next, block->start + bytes, block->bytes - bytes, false};
    block->bytes = bytes;
    block->next = rest;
  }
  block->used = true;
}

void *hexmlir_rt_tcm_alloc(uint32_t bytes, uint32_t alignment) {
  if (!alignment || alignment & (alignment - 1)) hexmlir_rt_fail("TCM alignment %u is no power of two", (unsigned)alignment);
  if (!bytes) bytes = 1;
  pthread_mutex_lock(&lock);
  ensure_pool();
  Block *best = NULL;
  for (Block *block = blocks; block; block = block->next) {
    uintptr_t end = block->start + block->bytes, start = aligned(block->start, alignment);
    if (!block->used && start <= end && end - start >= bytes && (!best || block->bytes < best->bytes)) best = block;
  }
  if (!best)
    hexmlir_rt_fail("TCM exhausted: %u bytes asked, %u of %u in use", (unsigned)bytes, (unsigned)used_bytes,
                    (unsigned)pool_bytes);
  uintptr_t at = aligned(best->start, alignment);
  split(best, at, bytes);
  used_bytes += bytes;
  if (used_bytes > high_water) high_water = used_bytes;
  pthread_mutex_unlock(&lock);
  return (void *)at;
}

static void merge_with_next(Block *block) {
  Block *next = block->next;
  if (!next || block->used || next->used) return;
  block->bytes += next->bytes;
  block->next = next->next;
  free(next);
}

void hexmlir_rt_tcm_free(void *pointer) {
  if (!pointer) return;
  pthread_mutex_lock(&lock);
  Block *before = NULL, *block = blocks;
  while (block && !(block->used && block->start == (uintptr_t)pointer)) {
    before = block;
    block = block->next;
  }
  if (!block) hexmlir_rt_fail("%p is no TCM allocation (freed twice?)", pointer);
  used_bytes -= block->bytes;
  block->used = false;
  merge_with_next(block);
  if (before) merge_with_next(before);
  pthread_mutex_unlock(&lock);
}

static uint32_t read_locked(const uint32_t *value) {
  pthread_mutex_lock(&lock);
  uint32_t result = *value;
  pthread_mutex_unlock(&lock);
  return result;
}

uint32_t hexmlir_rt_tcm_used(void) { return read_locked(&used_bytes); }

uint32_t hexmlir_rt_tcm_high_water(void) { return read_locked(&high_water); }
