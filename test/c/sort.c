// Sorting: the library's qsort with two comparators, and own heap, merge and insertion sorts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200 };
static unsigned state = 12345;
static unsigned next(void) { return state = state * 1664525u + 1013904223u; }
static int ascending(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void insertion(int *v, int n) {
  for (int i = 1; i < n; i++) {
    int x = v[i], j = i;
    for (; j > 0 && v[j - 1] > x; j--) v[j] = v[j - 1];
    v[j] = x;
  }
}
static void sift(int *v, int i, int n) {
  for (int c; (c = 2 * i + 1) < n; i = c) {
    if (c + 1 < n && v[c + 1] > v[c]) c++;
    if (v[i] >= v[c]) return;
    int t = v[i]; v[i] = v[c]; v[c] = t;
  }
}
static void heap(int *v, int n) {
  for (int i = n / 2; i-- > 0;) sift(v, i, n);
  for (int i = n; i-- > 1;) { int t = v[0]; v[0] = v[i]; v[i] = t; sift(v, 0, i); }
}
static void merge(int *v, int *room, int n) {
  if (n < 2) return;
  int h = n / 2, i = 0, j = h, k = 0;
  merge(v, room, h);
  merge(v + h, room, n - h);
  while (i < h && j < n) room[k++] = v[j] < v[i] ? v[j++] : v[i++];
  while (i < h) room[k++] = v[i++];
  while (j < n) room[k++] = v[j++];
  memcpy(v, room, n * sizeof *v);
}

int main(void) {
  static int original[N], v[N], room[N], reference[N];
  for (int i = 0; i < N; i++) original[i] = (int)(next() >> 8) % 2001 - 1000;
  memcpy(reference, original, sizeof v);
  qsort(reference, N, sizeof *v, ascending);
  printf("min %d max %d median %d\n", reference[0], reference[N - 1], reference[N / 2]);
  memcpy(v, original, sizeof v); insertion(v, N); printf("insertion %d\n", memcmp(v, reference, sizeof v));
  memcpy(v, original, sizeof v); heap(v, N); printf("heap %d\n", memcmp(v, reference, sizeof v));
  memcpy(v, original, sizeof v); merge(v, room, N); printf("merge %d\n", memcmp(v, reference, sizeof v));
  int key = reference[37];
  int *found = bsearch(&key, reference, N, sizeof *v, ascending);
  printf("found %d\n", found && *found == key);
  const char *names[] = {"pear", "apple", "quince", "fig", "plum", "cherry", "date"};
  qsort(names, 7, sizeof *names, by_name);
  for (int i = 0; i < 7; i++) printf("%s%c", names[i], i == 6 ? '\n' : ' ');
  return 0;
}
