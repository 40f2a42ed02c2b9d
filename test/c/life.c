// Conway's life on a torus, eight queens, and a word search in a grid.
#include <stdio.h>
#include <string.h>

enum { W = 32, H = 16 };
static unsigned char now[H][W], next[H][W];
static void step(void) {
  for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) {
    int n = 0;
    for (int dy = -1; dy <= 1; dy++) for (int dx = -1; dx <= 1; dx++) n += now[(y + dy) & (H - 1)][(x + dx) & (W - 1)];
    next[y][x] = n == 3 || (n == 4 && now[y][x]);
  }
  memcpy(now, next, sizeof now);
}
static int queens(int n, unsigned columns, unsigned left, unsigned right) {
  unsigned all = (1u << n) - 1, free = all & ~(columns | left | right);
  int count = columns == all;
  while (free) {
    unsigned bit = free & -free;
    free ^= bit;
    count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}
int main(void) {
  static const char *glider[] = {".#.", "..#", "###"};
  for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) now[y + 1][x + 1] = glider[y][x] == '#';
  for (int x = 10; x < 20; x++) now[8][x] = 1;
  for (int i = 0; i < 40; i++) step();
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) putchar(now[y][x] ? '#' : '.');
    putchar('\n');
  }
  for (int n = 4; n <= 8; n++) printf("%d queens %d\n", n, queens(n, 0, 0, 0));
  static const char grid[6][8] = {"packetx", "oabcdee", "rexagon", "tqrstuv", "slotwxy", "zzhvxzz"};
  static const char *words[] = {"packet", "slot", "hvx", "ports", "agon", "missing"};
  for (int w = 0; w < 6; w++) {
    int found = -1, n = (int)strlen(words[w]);
    for (int y = 0; y < 6; y++) for (int x = 0; x < 7; x++) for (int d = 0; d < 2; d++) {
      int i = 0;
      while (i < n && y + d * i < 6 && x + !d * i < 7 && grid[y + d * i][x + !d * i] == words[w][i]) i++;
      if (i == n) found = y * 100 + x * 10 + d;
    }
    printf("%s %d\n", words[w], found);
  }
  return 0;
}
