/* Workers: threads that run what is queued, and forks, which queue many calls at once.
 *
 * One lock guards the queue and what is waited for: a call is a task of a kernel, long against a lock. A thread that
 * waits runs queued calls, so a task may wait for tasks of its own. Without any it polls for a while, and then sleeps.
 */
#include "workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"
#include "poll.h"

enum { DEFAULT_WORKERS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* work is queued, something has happened, or the end */
static atomic_uint changes; /* so many times; written with the lock held */
static Work *queue, *queue_end;
static pthread_t *workers;
static uint32_t worker_count;
static bool stopping;

void hexmlir_rt_lock(void) { pthread_mutex_lock(&lock); }
void hexmlir_rt_unlock(void) { pthread_mutex_unlock(&lock); }

/* -- changes -------------------------------------------------------------------------------------------------- */

void hexmlir_rt_tell(void) {
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

/* -- workers -------------------------------------------------------------------------------------------------- */

static bool run_one(void) { /* locked */
  Work *work = queue;
  if (!work) return false;
  int32_t number = work->number++;
  if (work->number == work->end) queue = work->next;
  if (!queue) queue_end = NULL;
  pthread_mutex_unlock(&lock);
  work->run(work, number);
  pthread_mutex_lock(&lock);
  return true;
}

void hexmlir_rt_help_or_wait(void) {
  if (!run_one()) wait_for_change();
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
  hexmlir_rt_tell();
  pthread_mutex_unlock(&lock);
  if (!ending) return;
  for (uint32_t i = 0; i < worker_count; i++) pthread_join(ending[i], NULL);
  free(ending);
}

void hexmlir_rt_enqueue(Work *work) {
  if (!workers) start_workers();
  work->next = NULL;
  if (queue_end)
    queue_end->next = work;
  else
    queue = work;
  queue_end = work;
  hexmlir_rt_tell();
}

/* -- forks ---------------------------------------------------------------------------------------------------- */

typedef struct Fork {
  Work work;
  hexmlir_rt_task task;
  int32_t unfinished;
} Fork;

_Static_assert(sizeof(Fork) <= HEXMLIR_RT_FORK_BYTES, "compiled code reserves so many bytes");

static void run_task(Work *work, int32_t number) {
  Fork *fork = (Fork *)work;
  fork->task(fork, number);
  pthread_mutex_lock(&lock);
  if (--fork->unfinished == 0) hexmlir_rt_tell();
  pthread_mutex_unlock(&lock); /* the frame may be gone from here on */
}

void hexmlir_rt_fork(void *frame, hexmlir_rt_task task, int32_t first, int32_t end) {
  Fork *fork = frame;
  *fork = (Fork){{NULL, run_task, first, end}, task, first < end ? end - first : 0};
  if (!fork->unfinished) return;
  pthread_mutex_lock(&lock);
  hexmlir_rt_enqueue(&fork->work);
  pthread_mutex_unlock(&lock);
}

void hexmlir_rt_join(void *frame) {
  Fork *fork = frame;
  pthread_mutex_lock(&lock);
  while (fork->unfinished) hexmlir_rt_help_or_wait();
  pthread_mutex_unlock(&lock);
}
