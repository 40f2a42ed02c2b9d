/* What the runtime's files share. */
#ifndef HEXMLIR_RT_INTERNAL_H
#define HEXMLIR_RT_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "hexmlir_rt.h"

/* One line to stderr, then exit code HEXMLIR_RT_FAILED. */
_Noreturn void hexmlir_rt_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc that cannot fail. */
void *hexmlir_rt_own_alloc(size_t bytes);

/* A positive number from the environment, or `otherwise`. */
uint32_t hexmlir_rt_setting(const char *name, uint32_t otherwise);

/* Give the calling thread a number of its own. */
void hexmlir_rt_number_thread(void);

#endif
