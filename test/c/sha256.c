// SHA-256 of short and long messages, and base64 of the digest.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t k[64], start[8];
static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }
typedef struct { uint32_t limb[4]; } Wide;
static Wide times(Wide a, uint64_t b) {
  Wide r = {{0}};
  for (int i = 0; i < 2; i++) {
    uint64_t carry = 0, digit = (uint32_t)(b >> 32 * i);
    for (int j = 0; i + j < 4; j++) {
      carry += a.limb[j] * digit + r.limb[i + j];
      r.limb[i + j] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  return r;
}
static uint32_t fraction_of_root(unsigned p, int cube) {
  // The first 32 fraction bits of a root below 20, by bisection: the square (or cube) against p.
  uint64_t low = 0, high = (uint64_t)20 << 32;
  while (high - low > 1) {
    uint64_t m = (low + high) / 2;
    Wide v = times((Wide){{(uint32_t)m, (uint32_t)(m >> 32)}}, m);
    if (cube) v = times(v, m);
    uint64_t whole = cube ? v.limb[3] : v.limb[2] | (uint64_t)v.limb[3] << 32;
    if (whole >= p) high = m; else low = m;
  }
  return (uint32_t)low;
}
static void constants(void) {
  unsigned n = 0;
  for (unsigned p = 2; n < 64; p++) {
    int prime = 1;
    for (unsigned d = 2; d * d <= p; d++) prime &= p % d != 0;
    if (!prime) continue;
    if (n < 8) start[n] = fraction_of_root(p, 0);
    k[n++] = fraction_of_root(p, 1);
  }
}
static void block(uint32_t *h, const uint8_t *p) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++, p += 4) w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
  memcpy(s, h, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t e = s[4], a = s[0];
    uint32_t t = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
    uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += t;
    s[0] = t + u;
  }
  for (int i = 0; i < 8; i++) h[i] += s[i];
}
static void digest(const uint8_t *p, size_t n, uint8_t *out) {
  uint32_t h[8];
  uint8_t tail[128] = {0};
  size_t left = n;
  memcpy(h, start, sizeof h);
  for (; left >= 64; left -= 64, p += 64) block(h, p);
  memcpy(tail, p, left);
  tail[left] = 0x80;
  size_t size = left < 56 ? 64 : 128;
  for (int i = 0; i < 8; i++) tail[size - 1 - i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
  for (size_t i = 0; i < size; i += 64) block(h, tail + i);
  for (int i = 0; i < 32; i++) out[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}
static void base64(const uint8_t *p, int n) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < n; i += 3) {
    uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
    for (int j = 0; j < 4; j++) putchar(i + j > n ? '=' : letters[v >> (18 - 6 * j) & 63]);
  }
  putchar('\n');
}
int main(void) {
  static uint8_t big[1000];
  uint8_t out[32];
  constants();
  const char *messages[] = {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
  for (unsigned i = 0; i < sizeof big; i++) big[i] = (uint8_t)(i * 7);
  for (int m = 0; m < 4; m++) {
    if (m < 3) digest((const uint8_t *)messages[m], strlen(messages[m]), out); else digest(big, sizeof big, out);
    for (int i = 0; i < 32; i++) printf("%02x", out[i]);
    puts("");
  }
  base64(out, 32);
  return 0;
}
