/* Runtime and C library calls of a kernel, counted apart from its own code (linked with --wrap). */
#include <stddef.h>

#include "counters.h"
#include "hexmlir_rt.h"

_Thread_local Counters in_runtime;
_Thread_local uint32_t runtime_calls;
static _Thread_local int depth; /* runtime calls call each other */

static Counters enter(void) {
  depth++;
  return read_counters();
}

static void leave(Counters before) {
  Counters spent = since(before);
  if (--depth) return;
  runtime_calls++;
  in_runtime.packets += spent.packets;
  in_runtime.instructions += spent.instructions;
  in_runtime.hvx += spent.hvx;
}

#define WRAP(type, name, parameters, ...)    \
  type __real_##name parameters;             \
  type __wrap_##name parameters {            \
    Counters before = enter();               \
    type result = __real_##name(__VA_ARGS__); \
    leave(before);                           \
    return result;                           \
  }
#define WRAP_VOID(name, parameters, ...) \
  void __real_##name parameters;         \
  void __wrap_##name parameters {        \
    Counters before = enter();           \
    __real_##name(__VA_ARGS__);          \
    leave(before);                       \
  }

WRAP(void *, hexmlir_rt_tcm_alloc, (uint32_t bytes, uint32_t alignment), bytes, alignment)
WRAP_VOID(hexmlir_rt_tcm_free, (void *pointer), pointer)
WRAP(int32_t, hexmlir_rt_dma_start_2d,
     (void *dst, const void *src, uint32_t row_bytes, uint32_t rows, int32_t dst_stride, int32_t src_stride), dst, src,
     row_bytes, rows, dst_stride, src_stride)
WRAP(int32_t, hexmlir_rt_tile_start, (hexmlir_rt_tile *tiles, uint32_t first, uint32_t count), tiles, first,
     count)
WRAP_VOID(hexmlir_rt_dma_wait, (int32_t tag), tag)
WRAP_VOID(hexmlir_rt_copy_2d,
          (void *dst, const void *src, uint32_t row_bytes, uint32_t rows, int32_t dst_stride, int32_t src_stride), dst,
          src, row_bytes, rows, dst_stride, src_stride)
WRAP(void *, aligned_alloc, (size_t alignment, size_t bytes), alignment, bytes)
WRAP_VOID(free, (void *pointer), pointer)
WRAP(void *, __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes, (void *dst, const void *src, size_t bytes), dst,
     src, bytes)
