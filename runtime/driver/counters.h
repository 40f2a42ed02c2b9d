/* QEMU's own counters (control registers 20 to 22); zeros on a processor that has none. */
#ifndef HEXMLIR_COUNTERS_H
#define HEXMLIR_COUNTERS_H

#include <stdint.h>

typedef struct Counters {
  uint32_t packets, instructions, hvx;
} Counters;

static inline Counters read_counters(void) {
  Counters now = {0, 0, 0};
#ifdef __hexagon__
  register uint32_t value __asm__("r15"); /* no argument: those need not be saved before */
  __asm__ volatile(".word 0x6a16c00f" : "=r"(value)); /* r15 = c22 */
  now.hvx = value;
  __asm__ volatile(".word 0x6a15c00f" : "=r"(value)); /* r15 = c21 */
  now.instructions = value;
  __asm__ volatile(".word 0x6a14c00f" : "=r"(value)); /* r15 = c20 */
  now.packets = value;
#endif
  return now;
}

static inline Counters since(Counters before) {
  Counters now = read_counters();
  return (Counters){now.packets - before.packets, now.instructions - before.instructions,
                    now.hvx - before.hvx};
}

/* What the calling thread spent in runtime calls, and how many there were (wrap.c). */
extern _Thread_local Counters in_runtime;
extern _Thread_local uint32_t runtime_calls;

#endif
