/* The DMA: shapes, order, arrival at the wait, several threads. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "hexmlir_rt.h"

enum { THREADS = 4, ROUNDS = 100, BYTES = 4096 };

static unsigned char source[1 << 20], target[1 << 20];

static void fill(void) {
  for (size_t i = 0; i < sizeof source; i++) source[i] = (unsigned char)(i * 7 + (i >> 8));
  memset(target, 0, sizeof target);
}

static void block(uint32_t row_bytes, uint32_t rows, int32_t dst_stride, int32_t src_stride) {
  fill();
  unsigned char *dst = target + (dst_stride < 0 ? sizeof target - row_bytes : 0);
  const unsigned char *src = source + (src_stride < 0 ? sizeof source - row_bytes : 0);
  int32_t tag = hexmlir_rt_dma_start_2d(dst, src, row_bytes, rows, dst_stride, src_stride);
  CHECK(tag > 0);
  hexmlir_rt_dma_wait(tag);
  hexmlir_rt_dma_wait(tag);
  for (uint32_t row = 0; row < rows; row++) {
    const unsigned char *to = dst + (int64_t)row * dst_stride;
    CHECK(!memcmp(to, src + (int64_t)row * src_stride, row_bytes));
    if (dst_stride > (int32_t)row_bytes) CHECK(to[row_bytes] == 0);
  }
  CHECK(hexmlir_rt_dma_pending() == 0);
}

static void in_order(void) { /* the second transfer reads what the first writes */
  fill();
  hexmlir_rt_dma_start_2d(target, source, 100, 1, 0, 0);
  int32_t second = hexmlir_rt_dma_start_2d(target + 1000, target, 100, 1, 0, 0);
  CHECK(hexmlir_rt_dma_pending() == 2);
  hexmlir_rt_dma_wait(second);
  CHECK(!memcmp(target + 1000, source, 100) && hexmlir_rt_dma_pending() == 0);
}

static void tiles(void) { /* each is started once, whoever asks first; the last one's tag is given */
  fill();
  hexmlir_rt_tile tile[] = {{target, source + 64, 100, 33, 300, 0}, {target + 3400, source, 50, 1, 50, 0}};
  CHECK(hexmlir_rt_tile_start(NULL, 0, 0) == 0 && hexmlir_rt_dma_pending() == 0);
  int32_t tag = hexmlir_rt_tile_start(tile, 0, 1);
  CHECK(tag > 0 && tile[0].tag == tag && tile[1].tag == 0 && hexmlir_rt_dma_pending() == 1);
  int32_t second = hexmlir_rt_tile_start(tile, 0, 2);
  CHECK(second > tag && tile[0].tag == tag && tile[1].tag == second && hexmlir_rt_dma_pending() == 2);
  CHECK(hexmlir_rt_tile_start(tile, 1, 1) == second && hexmlir_rt_dma_pending() == 2);
  hexmlir_rt_dma_wait(tag);
  for (uint32_t row = 0; row < 33; row++) CHECK(!memcmp(target + row * 100, source + 64 + row * 300, 100));
  CHECK(target[3300] == 0 && hexmlir_rt_dma_pending() == 1);
  hexmlir_rt_dma_wait(second);
  CHECK(!memcmp(target + 3400, source, 50) && target[3450] == 0 && hexmlir_rt_dma_pending() == 0);
}

static void stream(void *argument) {
  size_t base = (size_t)(uintptr_t)argument * 2 * BYTES;
  for (int round = 0; round < ROUNDS; round++) {
    int32_t first = hexmlir_rt_dma_start_2d(target + base, source + base, BYTES / 64, 64, BYTES / 64, BYTES / 64);
    int32_t second = hexmlir_rt_dma_start_2d(target + base + BYTES, source + base + BYTES, BYTES, 1, 0, 0);
    hexmlir_rt_dma_wait(first);
    CHECK(!memcmp(target + base, source + base, BYTES));
    hexmlir_rt_dma_wait(second);
    CHECK(!memcmp(target + base, source + base, 2 * BYTES));
    memset(target + base, 0, 2 * BYTES);
  }
}

int main(void) {
  block(1, 1, 0, 0);
  block(128, 64, 128, 128);
  block(100, 33, 256, 100);
  block(100, 33, 100, 300);
  block(7, 5, 8, -16);
  block(16, 9, -32, 64);
  block(64, 8, 64, 0);
  block(900, 1000, 1000, 1000);
  CHECK(hexmlir_rt_dma_start_2d(target, source, 0, 9, 1, 1) > 0);
  hexmlir_rt_dma_wait(hexmlir_rt_dma_start_2d(target, source, 9, 0, 9, 9));
  hexmlir_rt_copy_2d(target, source, 10, 10, 10, 10);
  CHECK(!memcmp(target, source, 100));
  in_order();
  tiles();
  int32_t numbers[THREADS];
  fill();
  for (int i = 0; i < THREADS; i++) numbers[i] = hexmlir_rt_thread_create(stream, (void *)(uintptr_t)i);
  for (int i = 0; i < THREADS; i++) hexmlir_rt_thread_join(numbers[i]);
  CHECK(hexmlir_rt_dma_pending() == 0);
  puts("dma: ok");
  return 0;
}
