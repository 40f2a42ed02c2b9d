// What the HVX programs share: vectors from a seed, and a printed fingerprint of each result.
#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t seed = 2463534242u;
static inline uint32_t random32(void) { seed ^= seed << 13; seed ^= seed >> 17; return seed ^= seed << 5; }
__attribute__((noinline)) static HVX_Vector random_vector(void) {
  uint32_t words[32] __attribute__((aligned(128)));
  for (int i = 0; i < 32; i++) words[i] = random32();
  return *(HVX_Vector *)words;
}
__attribute__((noinline)) static void show(const char *name, HVX_Vector v) {
  uint32_t words[32] __attribute__((aligned(128))), h = 2166136261u;
  *(HVX_Vector *)words = v;
  for (int i = 0; i < 32; i++) h = (h ^ words[i]) * 16777619u;
  printf("%-10s %08x  %08x %08x %08x\n", name, h, words[0], words[1], words[31]);
}
__attribute__((noinline)) static void show_pair(const char *name, HVX_VectorPair v) {
  show(name, Q6_V_lo_W(v));
  show("", Q6_V_hi_W(v));
}
