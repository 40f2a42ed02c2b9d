/* Plain threads and barriers. */
#include <stdint.h>

#include "check.h"
#include "hexmlir_rt.h"

enum { THREADS = 5, ROUNDS = 100 };

static int counters[THREADS];
static int meeting;

static void step(void *argument) {
  int me = (int)(intptr_t)argument;
  CHECK(hexmlir_rt_thread_id() > 0);
  for (int round = 1; round <= ROUNDS; round++) {
    counters[me] = round;
    hexmlir_rt_thread_barrier(&meeting, THREADS);
    for (int other = 0; other < THREADS; other++) CHECK(counters[other] == round);
    hexmlir_rt_thread_barrier(&meeting, THREADS);
  }
}

int main(void) {
  CHECK(hexmlir_rt_thread_id() == 0);
  int32_t numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = hexmlir_rt_thread_create(step, (void *)(intptr_t)i);
    for (int j = 0; j < i; j++) CHECK(numbers[j] != numbers[i]);
  }
  for (int i = 0; i < THREADS; i++) hexmlir_rt_thread_join(numbers[i]);
  hexmlir_rt_thread_barrier(&meeting, 1);
  uint64_t before = hexmlir_rt_cycles();
  while (hexmlir_rt_cycles() == before) {
  }
  puts("threads: ok");
  return 0;
}
