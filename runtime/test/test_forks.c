/* Forks: every task runs once, nested forks, forks beside others, waits in which workers sleep. */
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "check.h"
#include "hexmlir_rt.h"

enum { MOST = 40, ROUNDS = 200, DEPTH = 6 };

typedef struct Frame {
  _Alignas(8) char runtime[HEXMLIR_RT_FORK_BYTES];
  atomic_int *counts;
  int depth;
  bool slow;
} Frame;

static void count(void *argument, int32_t number) {
  Frame *frame = argument;
  if (frame->slow) nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
  atomic_fetch_add(&frame->counts[number], 1);
}

static void forked(int first, int end, bool slow) {
  static atomic_int counts[MOST];
  Frame frame = {.counts = counts, .slow = slow};
  for (int i = 0; i < MOST; i++) counts[i] = 0;
  hexmlir_rt_fork(&frame, count, first, end);
  hexmlir_rt_join(&frame);
  for (int i = 0; i < MOST; i++) CHECK(counts[i] == (first <= i && i < end));
}

static void ranges(void) {
  for (int round = 0; round < ROUNDS; round++) forked(round % 3, round % MOST, false);
  forked(5, 5, false);
  forked(7, 3, false);
}

static void beside_each_other(void) {
  static atomic_int counts[2][MOST];
  Frame one = {.counts = counts[0]}, other = {.counts = counts[1]};
  hexmlir_rt_fork(&one, count, 0, MOST);
  hexmlir_rt_fork(&other, count, 1, MOST);
  hexmlir_rt_join(&one);
  hexmlir_rt_join(&other);
  for (int i = 0; i < MOST; i++) CHECK(counts[0][i] == 1 && counts[1][i] == (i > 0));
}

static void grow(void *argument, int32_t number) { /* waits for its own tasks: more waiting tasks than workers */
  Frame *above = argument, frame = {.counts = above->counts, .depth = above->depth - 1};
  (void)number;
  if (above->depth == 0) {
    atomic_fetch_add(above->counts, 1);
    return;
  }
  hexmlir_rt_fork(&frame, grow, 0, 2);
  hexmlir_rt_join(&frame);
}

static void nested(void) {
  atomic_int leaves = 0;
  Frame root = {.counts = &leaves, .depth = DEPTH};
  hexmlir_rt_fork(&root, grow, 0, 1);
  hexmlir_rt_join(&root);
  CHECK(leaves == 1 << DEPTH);
}

int main(void) {
  ranges();
  beside_each_other();
  nested();
  for (int round = 0; round < 3; round++) {
    forked(1, 8, true); /* the waiting thread and the other workers sleep meanwhile */
    ranges();
  }
  hexmlir_rt_shutdown();
  ranges(); /* the workers come back */
  puts("forks: ok");
  return 0;
}
