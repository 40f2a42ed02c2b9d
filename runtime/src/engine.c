/* The matrix engine has one holder; threads that ask get it in their order. */
#include <pthread.h>

#include "engine.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed_on = PTHREAD_COND_INITIALIZER;
static uint32_t asked, served; /* threads so far */
static _Thread_local bool mine;

void hexmlir_rt_engine_acquire(void) {
  if (mine) hexmlir_rt_fail("engine_acquire: thread %d holds the matrix engine", (int)hexmlir_rt_thread_id());
  pthread_mutex_lock(&lock);
  for (uint32_t ticket = asked++; ticket != served;) pthread_cond_wait(&passed_on, &lock);
  pthread_mutex_unlock(&lock);
  hexmlir_rt_engine_lock();
  mine = true;
}

void hexmlir_rt_engine_release(void) {
  if (!mine) hexmlir_rt_fail("engine_release: thread %d does not hold the matrix engine", (int)hexmlir_rt_thread_id());
  hexmlir_rt_engine_wait();
  hexmlir_rt_engine_unlock();
  mine = false;
  pthread_mutex_lock(&lock);
  served++;
  pthread_cond_broadcast(&passed_on);
  pthread_mutex_unlock(&lock);
}
