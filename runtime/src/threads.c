/* Plain threads: create, join, barrier. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "internal.h"

typedef struct Thread {
  struct Thread *next;
  int32_t number;
  pthread_t handle;
  void (*function)(void *);
  void *argument;
} Thread;

typedef struct Barrier {
  struct Barrier *next;
  void *key;
  int32_t count, waiting, leaving;
  pthread_cond_t all_here;
} Barrier;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Thread *threads; /* not joined yet */
static Barrier *barriers; /* those that somebody waits at */
static atomic_int last_number;
static _Thread_local int32_t my_number;

int32_t hexmlir_rt_thread_id(void) { return my_number; }

void hexmlir_rt_number_thread(void) { my_number = atomic_fetch_add(&last_number, 1) + 1; }

static void *run(void *argument) {
  Thread *thread = argument;
  my_number = thread->number;
  thread->function(thread->argument);
  return NULL;
}

int32_t hexmlir_rt_thread_create(void (*function)(void *), void *argument) {
  Thread *thread = hexmlir_rt_own_alloc(sizeof *thread);
  pthread_mutex_lock(&lock);
  int32_t number = atomic_fetch_add(&last_number, 1) + 1;
  *thread = (Thread){threads, number, 0, function, argument};
  if (pthread_create(&thread->handle, NULL, run, thread)) hexmlir_rt_fail("cannot start thread %d", (int)number);
  threads = thread;
  pthread_mutex_unlock(&lock);
  return number;
}

void hexmlir_rt_thread_join(int32_t number) {
  pthread_mutex_lock(&lock);
  Thread **place = &threads;
  while (*place && (*place)->number != number) place = &(*place)->next;
  Thread *thread = *place;
  if (!thread) hexmlir_rt_fail("thread_join: no thread %d, or joined already", (int)number);
  *place = thread->next;
  pthread_mutex_unlock(&lock);
  pthread_join(thread->handle, NULL);
  free(thread);
}

static Barrier *barrier_at(void *key, int32_t count) {
  for (Barrier *barrier = barriers; barrier; barrier = barrier->next)
    if (barrier->key == key) return barrier;
  Barrier *barrier = hexmlir_rt_own_alloc(sizeof *barrier);
  *barrier = (Barrier){.next = barriers, .key = key, .count = count};
  pthread_cond_init(&barrier->all_here, NULL);
  return barriers = barrier;
}

static void unlink_barrier(const Barrier *barrier) {
  Barrier **place = &barriers;
  while (*place != barrier) place = &(*place)->next;
  *place = barrier->next;
}

void hexmlir_rt_thread_barrier(void *key, int32_t count) {
  if (count < 1) hexmlir_rt_fail("barrier of %d threads", (int)count);
  pthread_mutex_lock(&lock);
  Barrier *barrier = barrier_at(key, count);
  if (barrier->count != count)
    hexmlir_rt_fail("barrier %p: %d threads here, %d elsewhere", key, (int)count, (int)barrier->count);
  if (++barrier->waiting == count) {
    unlink_barrier(barrier); /* the next round at this key is a new barrier */
    barrier->leaving = count;
    pthread_cond_broadcast(&barrier->all_here);
  }
  while (!barrier->leaving) pthread_cond_wait(&barrier->all_here, &lock);
  if (--barrier->waiting == 0) {
    pthread_cond_destroy(&barrier->all_here);
    free(barrier);
  }
  pthread_mutex_unlock(&lock);
}
