// Switch tables: a stack machine, a state machine over text, sparse and dense cases, labels as values.
#include <stdio.h>

enum { PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, DROP, OVER, PRINT, LOAD, STORE, HALT };
__attribute__((noinline)) static int run(const int *code) {
  int stack[32], cells[4] = {0}, top = 0, pc = 0, steps = 0, t;
  for (;; steps++) {
    switch (code[pc++]) {
    case PUSH: stack[top++] = code[pc++]; break;
    case ADD: top--; stack[top - 1] += stack[top]; break;
    case SUB: top--; stack[top - 1] -= stack[top]; break;
    case MUL: top--; stack[top - 1] *= stack[top]; break;
    case DUP: stack[top] = stack[top - 1]; top++; break;
    case SWAP: t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break;
    case JNZ: pc = stack[--top] ? code[pc] : pc + 1; break;
    case DROP: top--; break;
    case OVER: stack[top] = stack[top - 2]; top++; break;
    case PRINT: printf("%d\n", stack[--top]); break;
    case LOAD: stack[top++] = cells[code[pc++]]; break;
    case STORE: cells[code[pc++]] = stack[--top]; break;
    case HALT: return steps;
    }
  }
}
static const int factorial[] = {PUSH, 1, STORE, 0, PUSH, 10, DUP, LOAD, 0, MUL, STORE, 0, PUSH, 1, SUB, DUP, JNZ, 6, DROP, LOAD, 0, PRINT, HALT};
__attribute__((noinline)) static const char *name(int x) {
  switch (x) {
  case -5: return "minus five";
  case 0: return "nothing";
  case 1: case 2: case 3: return "few";
  case 4: return "four";
  case 5: return "five";
  case 6: return "six";
  case 1000: return "thousand";
  case 1 << 30: return "huge";
  default: return "other";
  }
}
static unsigned words(const char *s) {
  enum { OUT, IN, QUOTE } state = OUT;
  unsigned n = 0;
  for (; *s; s++)
    switch (state) {
    case OUT: if (*s == '"') { state = QUOTE; n++; } else if (*s != ' ') { state = IN; n++; } break;
    case IN: if (*s == ' ') state = OUT; break;
    case QUOTE: if (*s == '"') state = OUT; break;
    }
  return n;
}
__attribute__((noinline)) static int threaded(const unsigned char *p) {
  static const void *const labels[] = {&&inc, &&twice, &&square, &&less, &&end};
  int x = 1;
#define NEXT goto *labels[*p++]
  NEXT;
inc: x++; NEXT;
twice: x *= 2; NEXT;
square: x *= x; NEXT;
less: x -= 7; NEXT;
end: return x;
}
int main(void) {
  printf("%d steps\n", run(factorial));
  static const int probes[] = {-5, -4, 0, 1, 3, 4, 5, 6, 7, 999, 1000, 1 << 30};
  for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) puts(name(probes[i]));
  printf("%u\n", words("say \"hello there\" to  the machine"));
  printf("%d %d\n", threaded((const unsigned char *)"\0\1\2\0\1\3\4"), threaded((const unsigned char *)"\2\1\1\3\2\4"));
  return 0;
}
