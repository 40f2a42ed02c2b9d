/* Failures, settings, addresses and time. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "internal.h"

void hexmlir_rt_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("hexmlir_rt: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  fflush(stdout);
  _Exit(HEXMLIR_RT_FAILED); /* not exit(): other threads may be inside a kernel */
}

void *hexmlir_rt_own_alloc(size_t bytes) {
  void *pointer = malloc(bytes ? bytes : 1);
  if (!pointer) hexmlir_rt_fail("out of memory (%zu bytes)", bytes);
  return pointer;
}

uint32_t hexmlir_rt_setting(const char *name, uint32_t otherwise) {
  const char *text = getenv(name);
  if (!text || !*text) return otherwise;
  char *end;
  errno = 0;
  unsigned long value = strtoul(text, &end, 10);
  if (*end || errno || *text == '-' || value == 0 || value > UINT32_MAX)
    hexmlir_rt_fail("%s=%s is not a positive 32-bit number", name, text);
  return (uint32_t)value;
}

uint64_t hexmlir_rt_cycles(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void *hexmlir_rt_pointer(int64_t address) { return (void *)(uintptr_t)address; }
