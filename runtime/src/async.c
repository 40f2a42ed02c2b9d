/* MLIR's async runtime: tokens, values and groups on a pool of threads.
 *
 * One lock guards the objects and the queue: a task is a coroutine's slice of a kernel, long against a lock.
 * A thread that waits runs queued tasks, so a task may wait for tasks of its own. Without any it polls for a while, and
 * then sleeps.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "poll.h"

enum { DEFAULT_WORKERS = 4 };

typedef struct Task {
  struct Task *next;
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a task is queued, an object is ready, or the end */
static atomic_uint changes; /* so many times; written with the lock held */
static Task *queue, *queue_end;
static pthread_t *workers;
static uint32_t worker_count;
static bool stopping;

/* -- changes -------------------------------------------------------------------------------------------------- */

static void tell(void) { /* locked */
  atomic_fetch_add_explicit(&changes, 1, memory_order_release);
  pthread_cond_broadcast(&changed);
}

static void wait_for_change(void) { /* locked */
  unsigned seen = atomic_load_explicit(&changes, memory_order_relaxed);
  pthread_mutex_unlock(&lock);
  polled(&changes, seen);
  pthread_mutex_lock(&lock);
  while (atomic_load_explicit(&changes, memory_order_relaxed) == seen) pthread_cond_wait(&changed, &lock);
}

/* -- tasks ---------------------------------------------------------------------------------------------------- */

static bool run_one(void) { /* locked */
  Task *task = queue;
  if (!task) return false;
  queue = task->next;
  if (!queue) queue_end = NULL;
  pthread_mutex_unlock(&lock);
  task->resume(task->coroutine);
  free(task);
  pthread_mutex_lock(&lock);
  return true;
}

static void *work(void *unused) {
  (void)unused;
  hexmlir_rt_number_thread();
  pthread_mutex_lock(&lock);
  for (;;) {
    if (run_one()) continue;
    if (stopping) break;
    wait_for_change();
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

int32_t hexmlir_rt_workers(void) { return (int32_t)hexmlir_rt_setting("HEXMLIR_RT_THREADS", DEFAULT_WORKERS); }

static void start_workers(void) { /* locked */
  static bool registered;
  if (!registered) atexit(hexmlir_rt_shutdown);
  registered = true;
  stopping = false;
  worker_count = (uint32_t)hexmlir_rt_workers();
  workers = hexmlir_rt_own_alloc(worker_count * sizeof *workers);
  for (uint32_t i = 0; i < worker_count; i++)
    if (pthread_create(&workers[i], NULL, work, NULL)) hexmlir_rt_fail("cannot start worker %u", (unsigned)i);
}

void hexmlir_rt_shutdown(void) {
  pthread_mutex_lock(&lock);
  pthread_t *ending = workers;
  workers = NULL;
  stopping = true;
  tell();
  pthread_mutex_unlock(&lock);
  if (!ending) return;
  for (uint32_t i = 0; i < worker_count; i++) pthread_join(ending[i], NULL);
  free(ending);
}

static void enqueue(Task *task) { /* locked */
  if (!workers) start_workers();
  task->next = NULL;
  if (queue_end)
    queue_end->next = task;
  else
    queue = task;
  queue_end = task;
  tell();
}

static Task *new_task(void *coroutine, mlir_resume resume) {
  Task *task = hexmlir_rt_own_alloc(sizeof *task);
  *task = (Task){NULL, resume, coroutine};
  return task;
}

void mlirAsyncRuntimeExecute(void *coroutine, mlir_resume resume) {
  pthread_mutex_lock(&lock);
  enqueue(new_task(coroutine, resume));
  pthread_mutex_unlock(&lock);
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
  pthread_mutex_lock(&lock);
  count(object, change);
  pthread_mutex_unlock(&lock);
}

void mlirAsyncRuntimeDropRef(mlir_async *object, int64_t change) { mlirAsyncRuntimeAddRef(object, -change); }

void *mlirAsyncRuntimeGetValueStorage(mlir_async *value) { return value->storage; }

static void make_ready(mlir_async *object) { /* locked */
  object->ready = true;
  for (Task *task = object->continuations; task;) {
    Task *next = task->next;
    enqueue(task);
    task = next;
  }
  object->continuations = NULL;
  tell();
}

static void member_ready(mlir_async *group, bool error) { /* locked */
  group->error |= error;
  if (--group->pending < 0) hexmlir_rt_fail("async group %p has more tokens than it was made for", (void *)group);
  if (group->pending == 0) make_ready(group);
}

static void settle(mlir_async *object, bool error) {
  pthread_mutex_lock(&lock);
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
  pthread_mutex_unlock(&lock);
}

int64_t mlirAsyncRuntimeAddTokenToGroup(mlir_async *token, mlir_async *group) {
  pthread_mutex_lock(&lock);
  int64_t rank = group->members++;
  if (token->ready) {
    member_ready(group, token->error);
  } else {
    Membership *membership = hexmlir_rt_own_alloc(sizeof *membership);
    *membership = (Membership){token->groups, group};
    token->groups = membership;
    count(group, 1); /* the token refers to it */
  }
  pthread_mutex_unlock(&lock);
  return rank;
}

void mlirAsyncRuntimeEmplaceToken(mlir_async *token) { settle(token, false); }
void mlirAsyncRuntimeEmplaceValue(mlir_async *value) { settle(value, false); }
void mlirAsyncRuntimeSetTokenError(mlir_async *token) { settle(token, true); }
void mlirAsyncRuntimeSetValueError(mlir_async *value) { settle(value, true); }

static bool is_error(mlir_async *object) {
  pthread_mutex_lock(&lock);
  bool error = object->error;
  pthread_mutex_unlock(&lock);
  return error;
}

bool mlirAsyncRuntimeIsTokenError(mlir_async *token) { return is_error(token); }
bool mlirAsyncRuntimeIsValueError(mlir_async *value) { return is_error(value); }
bool mlirAsyncRuntimeIsGroupError(mlir_async *group) { return is_error(group); }

/* -- waiting -------------------------------------------------------------------------------------------------- */

static void await(mlir_async *object) {
  pthread_mutex_lock(&lock);
  while (!object->ready)
    if (!run_one()) wait_for_change();
  pthread_mutex_unlock(&lock);
}

void mlirAsyncRuntimeAwaitToken(mlir_async *token) { await(token); }
void mlirAsyncRuntimeAwaitValue(mlir_async *value) { await(value); }
void mlirAsyncRuntimeAwaitAllInGroup(mlir_async *group) { await(group); }

static void then(mlir_async *object, void *coroutine, mlir_resume resume) {
  Task *task = new_task(coroutine, resume);
  pthread_mutex_lock(&lock);
  if (object->ready) {
    enqueue(task);
  } else {
    task->next = object->continuations;
    object->continuations = task;
  }
  pthread_mutex_unlock(&lock);
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
