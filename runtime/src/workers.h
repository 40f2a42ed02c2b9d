/* A queue of work and the threads that run it. */
#ifndef HEXMLIR_RT_WORKERS_H
#define HEXMLIR_RT_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

/* Calls run(work, number) for each number from `number` to `end`, each on any thread, as soon as one is free. */
typedef struct Work {
  struct Work *next;
  void (*run)(struct Work *work, int32_t number);
  int32_t number, end; /* of the calls that nobody has begun: at least one when it is queued */
} Work;

/* The lock of the queue, and of what is waited for. */
void hexmlir_rt_lock(void);
void hexmlir_rt_unlock(void);

/* With the lock held: queue `work`; say that something that is waited for may have happened; run one call or, if there
 * is none, wait until something has happened. The last one releases the lock meanwhile. */
void hexmlir_rt_enqueue(Work *work);
void hexmlir_rt_tell(void);
void hexmlir_rt_help_or_wait(void);

#endif
