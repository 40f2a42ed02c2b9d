/* Weights files: the bytes that are mapped. Faults of the file are in test_failures.c and the Python tests. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "hexmlir_rt.h"

int main(void) {
  static union {
    uint32_t words[40];
    unsigned char bytes[160];
  } content;
  char path[] = "/tmp/hexmlir_weights_XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  memcpy(content.bytes, "HXW1", 4);
  content.words[1] = sizeof content;
  content.words[2] = 0x89abcdef;
  content.words[3] = 0x01234567;
  for (unsigned i = 128; i < sizeof content; i++) content.bytes[i] = (unsigned char)(i * 7);
  CHECK(write(file, &content, sizeof content) == sizeof content);
  close(file);
  const unsigned char *weights = hexmlir_rt_weights(path, UINT64_C(0x0123456789abcdef));
  const unsigned char *again = hexmlir_rt_weights(path, UINT64_C(0x0123456789abcdef));
  unlink(path); /* a mapped file stays */
  CHECK(!memcmp(weights, &content, sizeof content) && !memcmp(again, &content, sizeof content));
  puts("weights: ok");
  return 0;
}
