// Checksums: CRC-32 by table and by bits, CRC-16, Adler-32, FNV-1a in 64 bits.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];
static void prepare(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
}
static uint32_t crc32(const uint8_t *p, size_t n) {
  uint32_t c = ~0u;
  while (n--) c = table[(c ^ *p++) & 255] ^ c >> 8;
  return ~c;
}
static uint32_t crc32_bits(const uint8_t *p, size_t n) {
  uint32_t c = ~0u;
  for (; n--; p++)
    for (int k = 0; k < 8; k++) c = (c ^ *p >> k) & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1;
  return ~c;
}
static uint16_t crc16(const uint8_t *p, size_t n) {
  uint16_t c = 0xFFFF;
  while (n--) {
    c ^= (uint16_t)(*p++ << 8);
    for (int k = 0; k < 8; k++) c = c & 0x8000 ? (uint16_t)(c << 1 ^ 0x1021) : (uint16_t)(c << 1);
  }
  return c;
}
static uint32_t adler(const uint8_t *p, size_t n) {
  uint32_t a = 1, b = 0;
  while (n--) { a = (a + *p++) % 65521; b = (b + a) % 65521; }
  return b << 16 | a;
}
static uint64_t fnv(const uint8_t *p, size_t n) {
  uint64_t h = 0xcbf29ce484222325u;
  while (n--) h = (h ^ *p++) * 0x100000001b3u;
  return h;
}
int main(void) {
  static uint8_t data[3000];
  const char *check = "123456789";
  prepare();
  for (unsigned i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * i + (i >> 3));
  printf("%08x %08x %04x\n", crc32((const uint8_t *)check, 9), crc32_bits((const uint8_t *)check, 9), crc16((const uint8_t *)check, 9));
  for (size_t n = 1; n <= sizeof data; n = n * 3 + 1)
    printf("%4zu %08x %d %04x %08x %016llx\n", n, crc32(data, n), crc32(data, n) == crc32_bits(data, n), crc16(data, n), adler(data, n),
           (unsigned long long)fnv(data, n));
  return 0;
}
