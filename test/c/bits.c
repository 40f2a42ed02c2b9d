// Bit counting, reversal, rotation, byte swaps, saturating and overflow-checked arithmetic, bit fields.
#include <stdint.h>
#include <stdio.h>

#define HIDE __attribute__((noinline)) static
HIDE int ones(uint32_t x) { return __builtin_popcount(x); }
HIDE int ones64(uint64_t x) { return __builtin_popcountll(x); }
HIDE int leading(uint32_t x) { return __builtin_clz(x); }
HIDE int leading64(uint64_t x) { return __builtin_clzll(x); }
HIDE int trailing(uint32_t x) { return __builtin_ctz(x); }
HIDE int trailing64(uint64_t x) { return __builtin_ctzll(x); }
HIDE uint32_t swap(uint32_t x) { return __builtin_bswap32(x); }
HIDE uint64_t swap64(uint64_t x) { return __builtin_bswap64(x); }
HIDE uint32_t flip(uint32_t x) { return __builtin_bitreverse32(x); }
HIDE uint64_t flip64(uint64_t x) { return __builtin_bitreverse64(x); }
HIDE uint32_t rotate(uint32_t x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
HIDE uint64_t rotate64(uint64_t x, unsigned n) { return x << (n & 63) | x >> (-n & 63); }
HIDE int parity(uint32_t x) { return __builtin_parity(x); }
HIDE int32_t saturate(int32_t a, int32_t b) { int32_t r; return __builtin_add_overflow(a, b, &r) ? a < 0 ? INT32_MIN : INT32_MAX : r; }
HIDE int product(int32_t a, int32_t b, int32_t *r) { return __builtin_mul_overflow(a, b, r); }
HIDE int product64(int64_t a, int64_t b, int64_t *r) { return __builtin_mul_overflow(a, b, r); }
typedef struct { unsigned a : 3; int b : 5; unsigned c : 17; uint64_t d : 39; } Fields;
HIDE void pack(Fields *f, int x) { f->a = (unsigned)x; f->b = x; f->c = (unsigned)(x * x); f->d = (uint64_t)x * 123456789; }

int main(void) {
  uint64_t x = 0x0123456789abcdefu;
  for (int i = 0; i < 8; i++, x = x * 6364136223846793005u + 1442695040888963407u) {
    uint32_t w = (uint32_t)(x >> 16) >> (3 * i);
    printf("%08x %2d %2d %2d %2d %d %08x %08x %08x\n", w, ones(w), leading(w), trailing(w), ones64(x), parity(w), swap(w), flip(w), rotate(w, (unsigned)i * 5));
    printf("%016llx %2d %2d %016llx %016llx %016llx\n", (unsigned long long)x, leading64(x), trailing64(x), (unsigned long long)swap64(x),
           (unsigned long long)flip64(x), (unsigned long long)rotate64(x, (unsigned)i * 9));
    int32_t r;
    int64_t r64;
    int over = product((int32_t)w, (int32_t)(x >> 50), &r), over64 = product64((int64_t)x, (int64_t)w, &r64);
    printf("%d %d %d %d %lld\n", saturate((int32_t)w, (int32_t)x), over, r, over64, (long long)r64);
    Fields f;
    pack(&f, (int)w);
    printf("%u %d %u %llu\n", f.a, f.b, f.c, (unsigned long long)f.d);
  }
  return 0;
}
