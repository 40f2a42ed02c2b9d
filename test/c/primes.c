// Sieve of Eratosthenes in bits, trial division, factorisation, perfect numbers.
#include <stdio.h>
#include <string.h>

enum { LIMIT = 20000 };
static unsigned char sieve[LIMIT / 8 + 1];
int main(void) {
  memset(sieve, 0xFF, sizeof sieve);
  for (unsigned i = 2; i * i < LIMIT; i++)
    if (sieve[i >> 3] >> (i & 7) & 1)
      for (unsigned j = i * i; j < LIMIT; j += i) sieve[j >> 3] &= (unsigned char)~(1u << (j & 7));
  unsigned count = 0, last = 0, gap = 0, sum = 0;
  for (unsigned i = 2; i < LIMIT; i++)
    if (sieve[i >> 3] >> (i & 7) & 1) {
      count++;
      sum += i;
      if (last && i - last > gap) gap = i - last;
      last = i;
    }
  printf("%u primes, last %u, sum %u, gap %u\n", count, last, sum, gap);
  for (unsigned n = 600851475u; n > 1;) {
    unsigned d = 2;
    while (d * d <= n && n % d) d++;
    if (d * d > n) d = n;
    printf("%u ", d);
    n /= d;
  }
  puts("");
  for (int n = 2; n < 9000; n++) {
    int s = 1;
    for (int d = 2; d * d <= n; d++) if (n % d == 0) s += d + (d * d == n ? 0 : n / d);
    if (s == n) printf("perfect %d\n", n);
  }
  return 0;
}
