// Structures by value and by return, unions, arrays of structures, constructors, static data with addresses.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HIDE __attribute__((noinline)) static
typedef struct { int x, y; } Point;
typedef struct { short a; char b; long long c; int d[3]; } Mixed;
typedef union { uint32_t word; uint8_t byte[4]; int16_t half[2]; } Parts;
HIDE Point move(Point p, int dx, int dy) { return (Point){p.x + dx, p.y + dy}; }
HIDE Mixed mix(Mixed m, Point p, char c) { m.a = (short)(m.a + p.x); m.b = c; m.c *= p.y; m.d[1] -= p.x; return m; }
HIDE long long many(int a, long long b, int c, short d, long long e, unsigned char f, Mixed m, int g) { return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + m.c * 17 + m.d[2] * 19 + g * 23; }
HIDE long long sum(const Mixed *m, int n) { long long s = 0; while (n--) { s += m->a + m->b + m->c + m->d[0] + m->d[1] + m->d[2]; m++; } return s; }

static int table[4] = {10, 20, 30, 40};
static int *const middle = &table[2];
static const char *const names[] = {"zero", "one" , "two"};
typedef struct Node { const struct Node *next; const char *name; int *place; } Node;
static const Node third = {0, "third", &table[3]}, second = {&third, "second", &table[1]}, first = {&second, "first", table};
static Point grid[3][4];
static char zeroed[100];
static int order[3], ordered;
__attribute__((constructor(200))) static void later(void) { order[ordered++] = 2; puts("later"); }
__attribute__((constructor(101))) static void sooner(void) { order[ordered++] = 1; puts("sooner"); }
__attribute__((constructor)) static void last(void) { order[ordered++] = 3; puts("last"); }

int main(void) {
  printf("%d%d%d\n", order[0], order[1], order[2]);
  Point p = move((Point){3, 4}, 10, -10);
  printf("%d %d\n", p.x, p.y);
  Mixed m = {1, 2, 3000000000LL, {4, 5, 6}}, r = mix(m, p, 'Q');
  printf("%d %c %lld %d %d %d %zu\n", r.a, r.b, r.c, r.d[0], r.d[1], r.d[2], sizeof r);
  printf("%lld\n", many(1, 2, 3, 4, 5, 6, r, 7));
  Mixed all[5];
  for (int i = 0; i < 5; i++) { all[i] = m; all[i].c <<= i; all[i].d[i % 3] = -i; }
  printf("%lld\n", sum(all, 5));
  Parts u = {.word = 0x89ABCDEF};
  printf("%x %x %d %d\n", u.byte[0], u.byte[3], u.half[0], u.half[1]);
  *middle += 5;
  for (const Node *n = &first; n; n = n->next) printf("%s %d ", n->name, *n->place);
  printf("%d %s\n", table[2], names[2]);
  for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) grid[i][j] = move((Point){i, j}, j, i * j);
  int total = 0;
  for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) total = total * 3 + grid[i][j].x - grid[i][j].y;
  for (unsigned i = 0; i < sizeof zeroed; i++) total += zeroed[i];
  printf("%d\n", total);
  return 17;
}
