/* Calls a kernel on a memory image: PROGRAM IMAGE.
 *
 * The image is a file of little-endian 32-bit words followed by the tensors, mapped and changed in place:
 *   0 "HXI1"   1 number of arguments   2..4 grid x y z (0 0 0: one call)   5 unused
 *   6..15 written at the end: packets, instructions and HVX instructions of the main thread outside runtime calls (QEMU's
 *         counters), TCM bytes in use, TCM high water, DMA transfers not waited for, 1 = done
 *   16.. per argument: 0 value / 1 tensor, low word or offset in the file, high word, 0
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call.h"
#include "counters.h"
#include "hexmlir_rt.h"

enum { MAX_ARGUMENTS = 256, HEADER_WORDS = 16, ARGUMENT_WORDS = 4, RESULTS = 6 };

/* What one counted runtime call costs around the call itself. */
static Counters cost_of_counting(void) {
  enum { CALLS = 16 };
  in_runtime = (Counters){0, 0, 0};
  Counters before = read_counters();
  for (int i = 0; i < CALLS; i++) hexmlir_rt_tcm_free(NULL);
  Counters spent = since(before);
  return (Counters){(spent.packets - in_runtime.packets) / CALLS,
                    (spent.instructions - in_runtime.instructions) / CALLS, 0};
}

static int fail(const char *what) {
  fprintf(stderr, "hexmlir_rt: %s\n", what);
  return HEXMLIR_RT_FAILED;
}

static void call(const uint32_t *header, const hexmlir_argument *arguments) {
  int32_t programs[6] = {(int32_t)header[2], (int32_t)header[3], (int32_t)header[4], 0, 0, 0};
  if (!programs[0] && !programs[1] && !programs[2]) {
    hexmlir_call_kernel(arguments, programs);
    return;
  }
  for (programs[5] = 0; programs[5] < programs[2]; programs[5]++)
    for (programs[4] = 0; programs[4] < programs[1]; programs[4]++)
      for (programs[3] = 0; programs[3] < programs[0]; programs[3]++) hexmlir_call_kernel(arguments, programs);
}

int main(int count, char **words) {
  if (count != 2) return fail("usage: PROGRAM IMAGE");
  int file = open(words[1], O_RDWR);
  struct stat status;
  if (file < 0 || fstat(file, &status)) return fail("cannot open the image");
  size_t bytes = (size_t)status.st_size;
  uint32_t *image = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (image == MAP_FAILED) return fail("cannot map the image");
  if (bytes < HEADER_WORDS * sizeof *image || memcmp(image, "HXI1", 4) || image[1] > MAX_ARGUMENTS ||
      bytes < (HEADER_WORDS + (size_t)image[1] * ARGUMENT_WORDS) * sizeof *image)
    return fail("not an image of a call");

  hexmlir_argument arguments[MAX_ARGUMENTS];
  for (uint32_t i = 0; i < image[1]; i++) {
    const uint32_t *word = image + HEADER_WORDS + (size_t)i * ARGUMENT_WORDS;
    if (word[0] && word[1] > bytes) return fail("a tensor outside the image");
    if (word[0])
      arguments[i].address = (char *)image + word[1];
    else
      arguments[i].i64 = (int64_t)((uint64_t)word[2] << 32 | word[1]); /* little endian: narrow values in front */
  }

  Counters counting = cost_of_counting();
  in_runtime = (Counters){0, 0, 0};
  runtime_calls = 0;
  Counters before = read_counters();
  call(image, arguments);
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
