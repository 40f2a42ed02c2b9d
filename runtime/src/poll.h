/* Waiting without sleeping, for a while: waking a thread takes longer than most waits between two tasks. */
#ifndef HEXMLIR_RT_POLL_H
#define HEXMLIR_RT_POLL_H

#include <stdatomic.h>
#include <stdbool.h>

/* As poll_short_limit_cycles and poll_limit_cycles of the targets allow: of 40 cycles each, then of 270. Short pauses
 * notice a change soon, long ones leave the issue slots to threads that work. */
enum { SHORT_PAUSES = 48, LONG_PAUSES = 52 };

static inline void pause_shortly(void) {
#ifdef __hexagon__
  __asm__ volatile("pause(#16)");
#endif
}

static inline void pause_long(void) {
#ifdef __hexagon__
  __asm__ volatile("pause(#255)");
#endif
}

/* True when `counter` has another value than `seen`, false when it did not change for long. */
static inline bool polled(const atomic_uint *counter, unsigned seen) {
  for (int i = 0; i < SHORT_PAUSES + LONG_PAUSES; i++) {
    if (atomic_load_explicit(counter, memory_order_acquire) != seen) return true;
    if (i < SHORT_PAUSES)
      pause_shortly();
    else
      pause_long();
  }
  return false;
}

#endif
