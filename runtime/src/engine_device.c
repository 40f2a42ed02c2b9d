/* The matrix engine of a device, through the SDK's resource manager. Never run on a device.
 *
 * Routines come with the objects of kernels. What waits until stored results are visible is open: no public source
 * names an instruction, and public kernels read results with nothing in between.
 */
#include <pthread.h>
#include <string.h>

#include <HAP_compute_res.h>
#include <HAP_power.h>

#include "engine.h"

enum { TIMEOUT_MICROSECONDS = 1000000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned int context; /* a process gets one */

static void acquire_context(void) {
  HAP_power_request_t power;
  memset(&power, 0, sizeof power);
  power.type = HAP_power_set_HMX;
  power.hmx.power_up = 1; /* without it the first packet hangs */
  if (HAP_power_set(&context, &power)) hexmlir_rt_fail("the matrix engine gets no power");
  compute_res_attr_t attributes;
  if (!HAP_compute_res_attr_init(&attributes) && !HAP_compute_res_attr_set_hmx_param(&attributes, 1))
    context = HAP_compute_res_acquire(&attributes, TIMEOUT_MICROSECONDS);
  if (!context) hexmlir_rt_fail("the matrix engine is not available");
}

void hexmlir_rt_engine_lock(void) {
  pthread_once(&once, acquire_context);
  int status = HAP_compute_res_hmx_lock(context);
  if (status) hexmlir_rt_fail("the matrix engine cannot be locked: status %d", status);
}

void hexmlir_rt_engine_unlock(void) {
  int status = HAP_compute_res_hmx_unlock(context);
  if (status) hexmlir_rt_fail("the matrix engine cannot be unlocked: status %d", status);
}

void hexmlir_rt_engine_wait(void) { __asm__ volatile("barrier" : : : "memory"); }
