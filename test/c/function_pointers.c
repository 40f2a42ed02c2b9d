// Function pointers: tables, callbacks with state, tail calls through pointers, a list of handlers, library functions as values.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef int Operation(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static int larger(int a, int b) { return a > b ? a : b; }
static Operation *const operations[] = {add, sub, mul, larger};

typedef struct Shape { const char *name; long (*area)(const struct Shape *); int w, h; } Shape;
static long rectangle(const Shape *s) { return (long)s->w * s->h; }
static long triangle(const Shape *s) { return (long)s->w * s->h / 2; }
static const Shape shapes[] = {{"rectangle", rectangle, 7, 9}, {"triangle", triangle, 12, 5}};

__attribute__((noinline)) static int fold(const int *v, int n, int start, Operation *f) {
  for (int i = 0; i < n; i++) start = f(start, v[i]);
  return start;
}
__attribute__((noinline)) static void each(int *v, int n, void (*f)(int *, void *), void *context) {
  for (int i = 0; i < n; i++) f(&v[i], context);
}
static void scale(int *x, void *factor) { *x *= *(int *)factor; }
static void sum(int *x, void *total) { *(long long *)total += *x; }
__attribute__((noinline)) static int forward(Operation *f, int a, int b) { return f(b, a); }
__attribute__((noinline)) static void map(char *s, int (*f)(int)) { for (; *s; s++) *s = (char)f((unsigned char)*s); }

typedef struct State { struct State *(*step)(struct State *); int n, trips; } State;
static State *down(State *);
static State *up(State *s) { s->n = 3 * s->n + 1; s->step = down; return s; }
static State *down(State *s) { s->n /= 2; s->trips++; s->step = s->n % 2 ? up : down; return s->n == 1 ? NULL : s; }

int main(void) {
  int v[] = {3, -1, 4, 1, -5, 9, 2, 6};
  for (unsigned i = 0; i < 4; i++) printf("%d ", fold(v, 8, i == 2 ? 1 : 0, operations[i]));
  puts("");
  for (unsigned i = 0; i < 2; i++) printf("%s %ld\n", shapes[i].name, shapes[i].area(&shapes[i]));
  int factor = 1000001;
  long long total = 0;
  each(v, 8, scale, &factor);
  each(v, 8, sum, &total);
  printf("%lld %d\n", total, forward(sub, 10, 3));
  State s = {up, 27, 0};
  for (State *p = &s; p;) p = p->step(p);
  printf("%d halvings\n", s.trips);
  char word[] = "MiXeD caSe";
  map(word, toupper);
  puts(word);
  map(word, tolower);
  puts(word);
  size_t (*volatile length)(const char *) = strlen;
  printf("%zu\n", length(word));
  return 0;
}
