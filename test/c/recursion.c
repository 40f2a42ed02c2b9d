// Recursion: Fibonacci, Ackermann, Hanoi, permutations, mutual recursion, a deep chain.
#include <stdio.h>

static unsigned calls;
__attribute__((noinline)) static unsigned fib(unsigned n) { calls++; return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static void hanoi(int n, int from, int to, unsigned *moves, unsigned *hash) {
  if (n == 0) return;
  hanoi(n - 1, from, 6 - from - to, moves, hash);
  ++*moves;
  *hash = *hash * 31 + (unsigned)(n * 9 + from * 3 + to);
  hanoi(n - 1, 6 - from - to, to, moves, hash);
}
static void permute(char *s, int k, int n, int *count) {
  if (k == n) { if (++*count % 17 == 0) puts(s); return; }
  for (int i = k; i < n; i++) {
    char t = s[k]; s[k] = s[i]; s[i] = t;
    permute(s, k + 1, n, count);
    t = s[k]; s[k] = s[i]; s[i] = t;
  }
}
static int odd(unsigned n);
__attribute__((noinline)) static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline)) static int depth(volatile int *p, int n) { volatile int here = n; return n == 0 ? *p : depth(&here, n - 1) + *p; }

int main(void) {
  volatile int zero = 0;
  printf("fib %u in %u calls\n", fib(20 + zero), calls);
  printf("ackermann %u\n", ackermann(2, 9 + zero));
  unsigned moves = 0, hash = 0;
  hanoi(10 + zero, 1, 3, &moves, &hash);
  printf("hanoi %u %08x\n", moves, hash);
  char s[] = "vwxyz";
  int count = 0;
  permute(s, 0, 5, &count);
  printf("%d %d %d\n", count, even(101 + zero), odd(77 + zero));
  printf("%d\n", depth(&zero, 500));
  return 0;
}
