/* MLIR's async runtime: groups, values, errors, continuations, tasks that wait for tasks. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "hexmlir_rt.h"

enum { TOKENS = 64, ROUNDS = 50, DEPTH = 6 };

typedef struct Job {
  mlir_async *token;
  int *slot;
  int value;
} Job;

static void finish(void *argument) {
  Job *job = argument;
  *job->slot = job->value;
  mlirAsyncRuntimeEmplaceToken(job->token);
  free(job);
}

static mlir_async *spawn(int *slot, int value) {
  Job *job = malloc(sizeof *job);
  *job = (Job){mlirAsyncRuntimeCreateToken(), slot, value};
  mlir_async *token = job->token;
  mlirAsyncRuntimeExecute(job, finish);
  return token;
}

static void groups(void) {
  static int slots[TOKENS];
  for (int round = 0; round < ROUNDS; round++) {
    mlir_async *group = mlirAsyncRuntimeCreateGroup(TOKENS);
    for (int i = 0; i < TOKENS; i++) {
      mlir_async *token = spawn(&slots[i], round * TOKENS + i);
      CHECK(mlirAsyncRuntimeAddTokenToGroup(token, group) == i);
      mlirAsyncRuntimeDropRef(token, 1);
    }
    mlirAsyncRuntimeAwaitAllInGroup(group);
    for (int i = 0; i < TOKENS; i++) CHECK(slots[i] == round * TOKENS + i);
    CHECK(!mlirAsyncRuntimeIsGroupError(group));
    mlirAsyncRuntimeDropRef(group, 1);
  }
}

static void empty_group(void) {
  mlir_async *group = mlirAsyncRuntimeCreateGroup(0);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  mlirAsyncRuntimeDropRef(group, 1);
}

static void errors(void) {
  mlir_async *group = mlirAsyncRuntimeCreateGroup(2);
  mlir_async *good = mlirAsyncRuntimeCreateToken(), *bad = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeEmplaceToken(good);
  mlirAsyncRuntimeAddTokenToGroup(good, group);
  mlirAsyncRuntimeAddTokenToGroup(bad, group);
  mlirAsyncRuntimeSetTokenError(bad);
  mlirAsyncRuntimeAwaitAllInGroup(group);
  CHECK(mlirAsyncRuntimeIsGroupError(group) && mlirAsyncRuntimeIsTokenError(bad));
  CHECK(!mlirAsyncRuntimeIsTokenError(good));
  mlirAsyncRuntimeDropRef(good, 1);
  mlirAsyncRuntimeDropRef(bad, 1);
  mlirAsyncRuntimeDropRef(group, 1);
}

static void produce(void *value) {
  double *storage = mlirAsyncRuntimeGetValueStorage(value);
  CHECK((uintptr_t)storage % 128 == 0);
  *storage = 2.5;
  mlirAsyncRuntimeEmplaceValue(value);
}

static void values(void) {
  mlir_async *value = mlirAsyncRuntimeCreateValue(sizeof(double));
  mlirAsyncRuntimeExecute(value, produce);
  mlirAsyncRuntimeAwaitValue(value);
  CHECK(*(double *)mlirAsyncRuntimeGetValueStorage(value) == 2.5 && !mlirAsyncRuntimeIsValueError(value));
  mlirAsyncRuntimeDropRef(value, 1);
}

static void continuation(void *token) { mlirAsyncRuntimeEmplaceToken(token); }

static void continuations(void) {
  mlir_async *first = mlirAsyncRuntimeCreateToken(), *before = mlirAsyncRuntimeCreateToken();
  mlir_async *after = mlirAsyncRuntimeCreateToken();
  mlirAsyncRuntimeAwaitTokenAndExecute(first, before, continuation);
  mlirAsyncRuntimeEmplaceToken(first);
  mlirAsyncRuntimeAwaitTokenAndExecute(first, after, continuation);
  mlirAsyncRuntimeAwaitToken(before);
  mlirAsyncRuntimeAwaitToken(after);
  mlirAsyncRuntimeDropRef(first, 1);
  mlirAsyncRuntimeDropRef(before, 1);
  mlirAsyncRuntimeDropRef(after, 1);
}

typedef struct Tree {
  mlir_async *token;
  int depth;
  atomic_int *leaves;
} Tree;

static void grow(void *argument) { /* waits for its own tasks: more waiting tasks than workers */
  Tree *tree = argument;
  if (tree->depth == 0) {
    atomic_fetch_add(tree->leaves, 1);
  } else {
    mlir_async *group = mlirAsyncRuntimeCreateGroup(2);
    for (int i = 0; i < 2; i++) {
      Tree *child = malloc(sizeof *child);
      *child = (Tree){mlirAsyncRuntimeCreateToken(), tree->depth - 1, tree->leaves};
      mlir_async *token = child->token;
      mlirAsyncRuntimeExecute(child, grow);
      mlirAsyncRuntimeAddTokenToGroup(token, group);
      mlirAsyncRuntimeDropRef(token, 1);
    }
    mlirAsyncRuntimeAwaitAllInGroup(group);
    mlirAsyncRuntimeDropRef(group, 1);
  }
  mlirAsyncRuntimeEmplaceToken(tree->token);
  free(tree);
}

static void nested(void) {
  atomic_int leaves = 0;
  Tree *root = malloc(sizeof *root);
  *root = (Tree){mlirAsyncRuntimeCreateToken(), DEPTH, &leaves};
  mlir_async *token = root->token;
  mlirAsyncRuntimeExecute(root, grow);
  mlirAsyncRuntimeAwaitToken(token);
  mlirAsyncRuntimeDropRef(token, 1);
  CHECK(leaves == 1 << DEPTH);
}

static void late(void *token) {
  nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
  mlirAsyncRuntimeEmplaceToken(token);
}

static void long_waits(void) { /* the waiting thread and the other workers sleep meanwhile */
  for (int round = 0; round < 3; round++) {
    mlir_async *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeExecute(token, late);
    mlirAsyncRuntimeAwaitToken(token);
    mlirAsyncRuntimeDropRef(token, 1);
    groups();
  }
}

int main(void) {
  groups();
  empty_group();
  errors();
  values();
  continuations();
  nested();
  long_waits();
  hexmlir_rt_shutdown();
  groups(); /* the workers come back */
  puts("async: ok");
  return 0;
}
