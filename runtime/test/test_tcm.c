/* The TCM pool: alignment, reuse, coalescing, high water, many threads. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "hexmlir_rt.h"

enum { POOL = 1 << 20, THREADS = 6, ROUNDS = 200 };

static _Alignas(2048) char pool[POOL];

static void churn(void *argument) {
  uintptr_t seed = (uintptr_t)argument;
  for (int round = 0; round < ROUNDS; round++) {
    seed = seed * 1103515245u + 12345u;
    uint32_t bytes = 1 + (seed >> 8) % 5000;
    unsigned char mark = (unsigned char)(seed >> 4);
    unsigned char *a = hexmlir_rt_tcm_alloc(bytes, 128), *b = hexmlir_rt_tcm_alloc(1, 2048);
    CHECK((uintptr_t)a % 128 == 0 && (uintptr_t)b % 2048 == 0);
    memset(a, mark, bytes);
    b[0] = (unsigned char)~mark;
    for (uint32_t i = 0; i < bytes; i++) CHECK(a[i] == mark);
    hexmlir_rt_tcm_free(a);
    CHECK(b[0] == (unsigned char)~mark);
    hexmlir_rt_tcm_free(b);
  }
}

int main(void) {
  hexmlir_rt_tcm_use(pool, POOL);
  char *whole = hexmlir_rt_tcm_alloc(POOL, 2048);
  CHECK(whole == pool);
  CHECK(hexmlir_rt_tcm_used() == POOL);
  hexmlir_rt_tcm_free(whole);
  hexmlir_rt_tcm_free(NULL);

  char *a = hexmlir_rt_tcm_alloc(100, 128), *b = hexmlir_rt_tcm_alloc(100, 128), *c = hexmlir_rt_tcm_alloc(100, 128);
  CHECK(a == pool && b == pool + 128 && c == pool + 256);
  hexmlir_rt_tcm_free(b);
  CHECK(hexmlir_rt_tcm_alloc(64, 128) == b); /* the hole fits best */
  hexmlir_rt_tcm_free(a);
  hexmlir_rt_tcm_free(c);
  hexmlir_rt_tcm_free(b);
  void *zero = hexmlir_rt_tcm_alloc(0, 1), *other = hexmlir_rt_tcm_alloc(0, 1);
  CHECK(zero && other && zero != other);
  hexmlir_rt_tcm_free(zero);
  hexmlir_rt_tcm_free(other);
  CHECK(hexmlir_rt_tcm_used() == 0 && hexmlir_rt_tcm_high_water() == POOL);
  CHECK(hexmlir_rt_tcm_alloc(POOL, 128) == pool); /* everything coalesced */
  hexmlir_rt_tcm_free(pool);

  int32_t numbers[THREADS];
  for (int i = 0; i < THREADS; i++) numbers[i] = hexmlir_rt_thread_create(churn, (void *)(uintptr_t)(i + 1));
  for (int i = 0; i < THREADS; i++) hexmlir_rt_thread_join(numbers[i]);
  CHECK(hexmlir_rt_tcm_used() == 0);
  puts("tcm: ok");
  return 0;
}
