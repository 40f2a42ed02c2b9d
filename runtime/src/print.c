/* What kernels say: printed values, failed assertions. The texts are the compiler's. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { MAX_DIMENSIONS = 16 };

void hexmlir_rt_print_i32(int32_t value) { printf("%d\n", (int)value); }

void hexmlir_rt_print_f32(float value) { printf("%g\n", (double)value); }

/* `text` starts with sizes, as in "4x8"; prints the place of element `index`. Gives the text behind. */
static const char *print_position(const char *text, int32_t index) {
  uint32_t sizes[MAX_DIMENSIONS], count = 0;
  while (*text != '\n' && count < MAX_DIMENSIONS) {
    char *end;
    sizes[count++] = (uint32_t)strtoul(text, &end, 10);
    text = end + (*end == 'x');
  }
  uint32_t left = (uint32_t)index, position[MAX_DIMENSIONS];
  for (uint32_t i = count; i-- > 0; left /= sizes[i]) position[i] = left % sizes[i];
  for (uint32_t i = 0; i < count; i++) printf(i ? ", %" PRIu32 : " idx (%" PRIu32, position[i]);
  if (count) putchar(')');
  return text + 1;
}

static void print_value(char letter, int width, int64_t value) {
  double real;
  if (letter == 'i') printf("%" PRId64, value);
  if (letter == 'u') printf("%" PRIu64, (uint64_t)value);
  if (letter == 'x') printf("0x%0*" PRIx64, width / 4, (uint64_t)value & (UINT64_MAX >> (64 - width)));
  if (letter != 'f') return;
  memcpy(&real, &value, sizeof real);
  if (isnan(real))
    fputs("nan", stdout); /* C libraries differ in its sign */
  else
    printf("%g", real);
}

void hexmlir_rt_print(int64_t value, const char *text, int32_t index, int32_t x, int32_t y, int32_t z) {
  char *end, letter = *text;
  int width = (int)strtol(text + 1, &end, 10);
  flockfile(stdout); /* one line, whatever other threads print */
  printf("pid (%d, %d, %d)", (int)x, (int)y, (int)z);
  fputs(print_position(end + 1, index), stdout);
  print_value(letter, width, value);
  putchar('\n');
  funlockfile(stdout);
}

void hexmlir_rt_assert_failed(const char *text, int32_t x, int32_t y, int32_t z) {
  const char *line_end = strchr(text, '\n'), *message = line_end + 1;
  hexmlir_rt_fail("%.*s: assertion failed%s%s (program (%d, %d, %d))", (int)(line_end - text), text,
                  *message ? ": " : "", message, (int)x, (int)y, (int)z);
}
