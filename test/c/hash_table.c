// A chained hash table on malloc, realloc and free: words of a text with their counts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry { struct Entry *next; unsigned hash; int count; char word[]; } Entry;
typedef struct { Entry **buckets; unsigned size, used; } Table;

static unsigned hash(const char *s, size_t n) { unsigned h = 5381; while (n--) h = h * 33 ^ (unsigned char)*s++; return h; }
static void grow(Table *t) {
  unsigned size = t->size ? t->size * 2 : 4;
  Entry **buckets = calloc(size, sizeof *buckets);
  for (unsigned i = 0; i < t->size; i++)
    for (Entry *e = t->buckets[i], *next; e; e = next) {
      next = e->next;
      e->next = buckets[e->hash & (size - 1)];
      buckets[e->hash & (size - 1)] = e;
    }
  free(t->buckets);
  t->buckets = buckets;
  t->size = size;
}
static void count(Table *t, const char *s, size_t n) {
  if (t->used >= t->size) grow(t);
  unsigned h = hash(s, n);
  Entry **p = &t->buckets[h & (t->size - 1)];
  for (; *p; p = &(*p)->next)
    if ((*p)->hash == h && strlen((*p)->word) == n && !memcmp((*p)->word, s, n)) { (*p)->count++; return; }
  *p = malloc(sizeof **p + n + 1);
  (*p)->next = NULL;
  (*p)->hash = h;
  (*p)->count = 1;
  memcpy((*p)->word, s, n);
  (*p)->word[n] = 0;
  t->used++;
}
static int order(const void *a, const void *b) {
  const Entry *x = *(Entry *const *)a, *y = *(Entry *const *)b;
  return x->count != y->count ? y->count - x->count : strcmp(x->word, y->word);
}
int main(void) {
  static const char text[] = "a packet holds up to four instructions and a vector holds a line of data so a vector packet moves a line "
                             "of data and up to four packets of data move a vector of lines and a packet of packets is a line";
  Table t = {0};
  for (const char *s = text; *s;) {
    size_t n = strcspn(s, " ");
    count(&t, s, n);
    s += n + (s[n] == ' ');
  }
  Entry **all = NULL;
  unsigned n = 0;
  for (unsigned i = 0; i < t.size; i++)
    for (Entry *e = t.buckets[i]; e; e = e->next) { all = realloc(all, (n + 1) * sizeof *all); all[n++] = e; }
  qsort(all, n, sizeof *all, order);
  printf("%u words in %u buckets\n", n, t.size);
  for (unsigned i = 0; i < n; i++) printf("%2d %s\n", all[i]->count, all[i]->word);
  for (unsigned i = 0; i < n; i++) free(all[i]);
  free(all);
  free(t.buckets);
  return 0;
}
