// String functions of the library, and own ones on characters.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void reverse(char *s) {
  for (char *e = s + strlen(s); s < --e; s++) { char t = *s; *s = *e; *e = t; }
}
static int sign(int x) { return (x > 0) - (x < 0); }
static int palindrome(const char *s) {
  const char *e = s + strlen(s);
  while (s < e) {
    while (s < e && !isalpha((unsigned char)*s)) s++;
    while (s < e && !isalpha((unsigned char)e[-1])) e--;
    if (s < e && tolower((unsigned char)*s++) != tolower((unsigned char)*--e)) return 0;
  }
  return 1;
}
int main(void) {
  char a[64], b[64];
  strcpy(a, "hexagon");
  strcat(a, " ");
  strncat(a, "vector machine", 6);
  printf("[%s] %zu %zu\n", a, strlen(a), strnlen(a, 5));
  reverse(a);
  puts(a);
  memset(b, '#', sizeof b);
  strncpy(b, "short", 10);
  printf("%d %d %d\n", b[5], b[9], b[10]);
  printf("%d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("b", "abc")), sign(strcmp("x", "x")), sign(strncmp("abcx", "abcy", 3)));
  const char *text = "the quick brown fox jumps over the lazy dog";
  printf("%td %td %td\n", strchr(text, 'q') - text, strrchr(text, 'o') - text, strstr(text, "fox") - text);
  printf("%d %zu %zu %s\n", strstr(text, "cat") == NULL, strspn(text, "eht "), strcspn(text, "xyz"), strpbrk(text, "zj"));
  printf("%td %d\n", (char *)memchr(text, 'z', strlen(text)) - text, sign(memcmp(text, "the quack", 9)));
  char line[] = "one, two;three ,, four";
  int n = 0;
  for (char *t = strtok(line, " ,;"); t; t = strtok(NULL, " ,;")) printf("%d:%s ", ++n, t);
  puts("");
  char *copy = strdup(text);
  for (char *p = copy; *p; p++) *p = (char)toupper((unsigned char)*p);
  puts(copy);
  free(copy);
  memmove(b, "0123456789", 11);
  memmove(b + 3, b, 7);
  puts(b);
  printf("%d %d\n", palindrome("A man, a plan, a canal: Panama"), palindrome("Not one"));
  int counts[26] = {0};
  for (const char *p = text; *p; p++) if (islower((unsigned char)*p)) counts[*p - 'a']++;
  for (int i = 0; i < 26; i++) putchar('0' + counts[i]);
  putchar('\n');
  printf("%d %d %d\n", sign(strcasecmp("HeLLo", "hEllO")), isdigit('7') != 0, isspace('x') != 0);
  return 0;
}
