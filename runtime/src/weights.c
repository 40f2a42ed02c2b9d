/* Weights in a file of their own: 32 bytes of header, tensors from byte 128 on.
 *
 * Little-endian words: 0 "HXW1"   1 bytes of the file   2, 3 the key (low, high)   4..7 zeros
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

enum { HEADER_BYTES = 32 };

const void *hexmlir_rt_weights(const char *path, uint64_t key) {
  int file = open(path, O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status)) hexmlir_rt_fail("cannot open the weights file %s", path);
  if (status.st_size < HEADER_BYTES) hexmlir_rt_fail("%s is no weights file", path);
  const uint32_t *header = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (header == MAP_FAILED) hexmlir_rt_fail("cannot map the weights file %s", path);
  close(file);
  if (memcmp(header, "HXW1", 4)) hexmlir_rt_fail("%s is no weights file", path);
  if (header[1] != (uint64_t)status.st_size)
    hexmlir_rt_fail("%s has %lld bytes instead of %u", path, (long long)status.st_size, (unsigned)header[1]);
  if (((uint64_t)header[3] << 32 | header[2]) != key)
    hexmlir_rt_fail("%s holds the weights of another build", path);
  return header;
}
