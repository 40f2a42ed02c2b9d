/* MLIR's async runtime: tokens, values and groups, whose tasks are coroutines that workers resume. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "workers.h"

typedef struct Task {
  Work work;
  struct Task *next; /* of an object's continuations */
  mlir_resume resume;
  void *coroutine;
} Task;

typedef struct Membership {
  struct Membership *next;
  mlir_async *group;
} Membership;

struct hexmlir_rt_async {
  int64_t references;
  int64_t members, pending; /* of a group */
  bool ready, error;
  Membership *groups;   /* that wait for this token */
  Task *continuations;  /* run when ready */
  _Alignas(128) char storage[]; /* of a value: an HVX vector fits */
};

/* -- tasks ---------------------------------------------------------------------------------------------------- */

static void run(Work *work, int32_t number) {
  Task *task = (Task *)work;
  (void)number;
  task->resume(task->coroutine);
  free(task);
}

static Task *new_task(void *coroutine, mlir_resume resume) {
  Task *task = hexmlir_rt_own_alloc(sizeof *task);
  *task = (Task){{NULL, run, 0, 1}, NULL, resume, coroutine};
  return task;
}

void mlirAsyncRuntimeExecute(void *coroutine, mlir_resume resume) {
  hexmlir_rt_lock();
  hexmlir_rt_enqueue(&new_task(coroutine, resume)->work);
  hexmlir_rt_unlock();
}

/* -- objects -------------------------------------------------------------------------------------------------- */

static mlir_async *create(int64_t references, int64_t storage) {
  size_t alignment = _Alignof(mlir_async);
  size_t bytes = (sizeof(mlir_async) + (size_t)storage + alignment - 1) / alignment * alignment;
  mlir_async *object = aligned_alloc(alignment, bytes);
  if (!object) hexmlir_rt_fail("out of memory (%zu bytes)", bytes);
  *object = (mlir_async){.references = references};
  return object;
}

mlir_async *mlirAsyncRuntimeCreateToken(void) { return create(2, 0); }

mlir_async *mlirAsyncRuntimeCreateValue(int64_t bytes) { return create(2, bytes); }

mlir_async *mlirAsyncRuntimeCreateGroup(int64_t tokens) {
  mlir_async *group = create(1, 0);
  group->pending = tokens;
  group->ready = tokens == 0;
  return group;
}

static void count(mlir_async *object, int64_t change) { /* locked */
  object->references += change;
  if (object->references < 0) hexmlir_rt_fail("async object %p: more references dropped than held", (void *)object);
  if (object->references == 0) free(object);
}

void mlirAsyncRuntimeAddRef(mlir_async *object, int64_t change) {
  hexmlir_rt_lock();
  count(object, change);
  hexmlir_rt_unlock();
}

void mlirAsyncRuntimeDropRef(mlir_async *object, int64_t change) { mlirAsyncRuntimeAddRef(object, -change); }

void *mlirAsyncRuntimeGetValueStorage(mlir_async *value) { return value->storage; }

static void make_ready(mlir_async *object) { /* locked */
  object->ready = true;
  for (Task *task = object->continuations; task;) {
    Task *next = task->next;
    hexmlir_rt_enqueue(&task->work);
    task = next;
  }
  object->continuations = NULL;
  hexmlir_rt_tell();
}

static void member_ready(mlir_async *group, bool error) { /* locked */
  group->error |= error;
  if (--group->pending < 0) hexmlir_rt_fail("async group %p has more tokens than it was made for", (void *)group);
  if (group->pending == 0) make_ready(group);
}

static void settle(mlir_async *object, bool error) {
  hexmlir_rt_lock();
  if (object->ready) hexmlir_rt_fail("async object %p is made available twice", (void *)object);
  object->error = error;
  make_ready(object);
  while (object->groups) {
    Membership *membership = object->groups;
    object->groups = membership->next;
    member_ready(membership->group, error);
    count(membership->group, -1);
    free(membership);
  }
  count(object, -1);
  hexmlir_rt_unlock();
}

int64_t mlirAsyncRuntimeAddTokenToGroup(mlir_async *token, mlir_async *group) {
  hexmlir_rt_lock();
  int64_t rank = group->members++;
  if (token->ready) {
    member_ready(group, token->error);
  } else {
    Membership *membership = hexmlir_rt_own_alloc(sizeof *membership);
    *membership = (Membership){token->groups, group};
    token->groups = membership;
    count(group, 1); /* the token refers to it */
  }
  hexmlir_rt_unlock();
  return rank;
}

void mlirAsyncRuntimeEmplaceToken(mlir_async *token) { settle(token, false); }
void mlirAsyncRuntimeEmplaceValue(mlir_async *value) { settle(value, false); }
void mlirAsyncRuntimeSetTokenError(mlir_async *token) { settle(token, true); }
void mlirAsyncRuntimeSetValueError(mlir_async *value) { settle(value, true); }

static bool is_error(mlir_async *object) {
  hexmlir_rt_lock();
  bool error = object->error;
  hexmlir_rt_unlock();
  return error;
}

bool mlirAsyncRuntimeIsTokenError(mlir_async *token) { return is_error(token); }
bool mlirAsyncRuntimeIsValueError(mlir_async *value) { return is_error(value); }
bool mlirAsyncRuntimeIsGroupError(mlir_async *group) { return is_error(group); }

/* -- waiting -------------------------------------------------------------------------------------------------- */

static void await(mlir_async *object) {
  hexmlir_rt_lock();
  while (!object->ready) hexmlir_rt_help_or_wait();
  hexmlir_rt_unlock();
}

void mlirAsyncRuntimeAwaitToken(mlir_async *token) { await(token); }
void mlirAsyncRuntimeAwaitValue(mlir_async *value) { await(value); }
void mlirAsyncRuntimeAwaitAllInGroup(mlir_async *group) { await(group); }

static void then(mlir_async *object, void *coroutine, mlir_resume resume) {
  Task *task = new_task(coroutine, resume);
  hexmlir_rt_lock();
  if (object->ready) {
    hexmlir_rt_enqueue(&task->work);
  } else {
    task->next = object->continuations;
    object->continuations = task;
  }
  hexmlir_rt_unlock();
}

void mlirAsyncRuntimeAwaitTokenAndExecute(mlir_async *token, void *coroutine, mlir_resume resume) {
  then(token, coroutine, resume);
}

void mlirAsyncRuntimeAwaitValueAndExecute(mlir_async *value, void *coroutine, mlir_resume resume) {
  then(value, coroutine, resume);
}

void mlirAsyncRuntimeAwaitAllInGroupAndExecute(mlir_async *group, void *coroutine, mlir_resume resume) {
  then(group, coroutine, resume);
}

int64_t mlirAsyncRuntimGetNumWorkerThreads(void) { return hexmlir_rt_workers(); }

void mlirAsyncRuntimePrintCurrentThreadId(void) { printf("%d\n", (int)hexmlir_rt_thread_id()); }
