/* Calls a kernel on a memory image: PROGRAM IMAGE [WEIGHTS].
 *
 * The image is a file of little-endian 32-bit words followed by the tensors, mapped and changed in place:
 *   0 "HXI1"   1 number of arguments   2..4 grid x y z (0 0 0: one call)   5 number of ranges
 *   6..15 written at the end: packets, instructions and HVX instructions of the main thread outside runtime calls (QEMU's
 *         counters), TCM bytes in use, TCM high water, DMA transfers not waited for, 1 = done
 *   16.. per argument: 0 value / 1 tensor, low word or offset in the file, high word, 0
 *   then per range of the caller's memory: its address (low word, high word), bytes, offset in the file
 * A kernel with weights maps their file, see hexmlir_rt_weights.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call.h"
#include "counters.h"
#include "hexmlir_rt.h"

enum { MAX_ARGUMENTS = 256, MAX_RANGES = 4096, HEADER_WORDS = 16, ENTRY_WORDS = 4, RESULTS = 6 };

static uint32_t *image;

/* The caller's addresses are 64 bits wide: those in a range are in the image, small ones are this program's. */
void *__wrap_hexmlir_rt_pointer(int64_t address);
void *__wrap_hexmlir_rt_pointer(int64_t address) {
  const uint32_t *range = image + HEADER_WORDS + (size_t)image[1] * ENTRY_WORDS;
  for (uint32_t i = 0; i < image[5]; i++, range += ENTRY_WORDS) {
    uint64_t place = (uint64_t)address - ((uint64_t)range[1] << 32 | range[0]);
    if (place < range[2]) return (char *)image + range[3] + place;
  }
  if ((uint64_t)address > UINT32_MAX) {
    fprintf(stderr, "hexmlir_rt: %#llx is no address of a live CPU tensor\n", (unsigned long long)address);
    _Exit(HEXMLIR_RT_FAILED);
  }
  return (void *)(uintptr_t)address;
}

/* The shortest function: a return, one packet of one instruction. */
static void nothing(void *pointer) { (void)pointer; }

/* What CALLS calls cost outside of runtime functions; one loop for all, so that the loop's own share is the same. */
enum { CALLS = 16 };
static __attribute__((noinline)) Counters cost_of_calls(void (*function)(void *)) {
  in_runtime = (Counters){0, 0, 0};
  Counters before = read_counters();
  for (int i = 0; i < CALLS; i++) function(NULL);
  Counters spent = since(before);
  return (Counters){spent.packets - in_runtime.packets, spent.instructions - in_runtime.instructions, 0};
}

/* What counting adds to a runtime call: the call itself is the kernel's own. */
static Counters cost_of_counting(void) {
  Counters counted = cost_of_calls(hexmlir_rt_tcm_free), plain = cost_of_calls(nothing);
  return (Counters){(counted.packets - plain.packets) / CALLS + 1,
                    (counted.instructions - plain.instructions) / CALLS + 1, 0};
}

static int fail(const char *what) {
  fprintf(stderr, "hexmlir_rt: %s\n", what);
  return HEXMLIR_RT_FAILED;
}

static void call(const hexmlir_argument *arguments, const void *weights) {
  int32_t programs[6] = {(int32_t)image[2], (int32_t)image[3], (int32_t)image[4], 0, 0, 0};
  if (!programs[0] && !programs[1] && !programs[2]) {
    hexmlir_call_kernel(arguments, programs, weights);
    return;
  }
  for (programs[5] = 0; programs[5] < programs[2]; programs[5]++)
    for (programs[4] = 0; programs[4] < programs[1]; programs[4]++)
      for (programs[3] = 0; programs[3] < programs[0]; programs[3]++)
        hexmlir_call_kernel(arguments, programs, weights);
}

int main(int count, char **words) {
  if (count != (hexmlir_weights_key ? 3 : 2))
    return fail(hexmlir_weights_key ? "usage: PROGRAM IMAGE WEIGHTS" : "usage: PROGRAM IMAGE");
  int file = open(words[1], O_RDWR);
  struct stat status;
  if (file < 0 || fstat(file, &status)) return fail("cannot open the image");
  size_t bytes = (size_t)status.st_size;
  image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (image == MAP_FAILED) return fail("cannot map the image");
  if (bytes < HEADER_WORDS * sizeof *image || memcmp(image, "HXI1", 4) || image[1] > MAX_ARGUMENTS ||
      image[5] > MAX_RANGES || bytes < (HEADER_WORDS + (size_t)(image[1] + image[5]) * ENTRY_WORDS) * sizeof *image)
    return fail("not an image of a call");

  hexmlir_argument arguments[MAX_ARGUMENTS];
  for (uint32_t i = 0; i < image[1]; i++) {
    const uint32_t *word = image + HEADER_WORDS + (size_t)i * ENTRY_WORDS;
    if (word[0] && word[1] > bytes) return fail("a tensor outside the image");
    if (word[0])
      arguments[i].address = (char *)image + word[1];
    else
      arguments[i].i64 = (int64_t)((uint64_t)word[2] << 32 | word[1]); /* little endian: narrow values in front */
  }

  const void *weights = hexmlir_weights_key ? hexmlir_rt_weights(words[2], hexmlir_weights_key) : NULL;
  Counters counting = cost_of_counting();
  in_runtime = (Counters){0, 0, 0};
  runtime_calls = 0;
  Counters before = read_counters();
  call(arguments, weights);
  Counters spent = since(before);
  uint32_t *results = image + RESULTS;
  results[0] = spent.packets - in_runtime.packets - runtime_calls * counting.packets;
  results[1] = spent.instructions - in_runtime.instructions - runtime_calls * counting.instructions;
  results[2] = spent.hvx - in_runtime.hvx;
  results[3] = hexmlir_rt_tcm_used();
  results[4] = hexmlir_rt_tcm_high_water();
  results[5] = hexmlir_rt_dma_pending();
  results[6] = 1;
  return munmap(image, bytes) || close(file) ? fail("cannot write the image") : 0;
}
