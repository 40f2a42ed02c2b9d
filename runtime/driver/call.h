/* What the driver and the generated call of one kernel share. */
#ifndef HEXMLIR_CALL_H
#define HEXMLIR_CALL_H

#include <stdint.h>

/* One argument: an address, or a value in its own type. */
typedef union hexmlir_argument {
  void *address;
  int32_t i32;
  int64_t i64;
  float f32;
  double f64;
} hexmlir_argument;

/* Generated: calls the kernel. `programs` holds the grid (x, y, z) and the program's place in it. */
void hexmlir_call_kernel(const hexmlir_argument *arguments, const int32_t programs[6], const void *weights);

/* Generated: the key of the kernel's weights file (hexmlir_rt_weights), 0 for a kernel without. */
extern const uint64_t hexmlir_weights_key;

#endif
