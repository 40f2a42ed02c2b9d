/* What cannot be carried out ends the process: one line, exit code HEXMLIR_RT_FAILED. argv[1] names the case. */
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "hexmlir_rt.h"

int main(int count, char **words) {
  const char *fault = count > 1 ? words[1] : "";
  char byte;
  if (!strcmp(fault, "exhausted")) {
    hexmlir_rt_tcm_alloc(6 << 20, 128);
    hexmlir_rt_tcm_alloc(6 << 20, 128);
  } else if (!strcmp(fault, "alignment")) {
    hexmlir_rt_tcm_alloc(1, 3);
  } else if (!strcmp(fault, "double-free")) {
    void *pointer = hexmlir_rt_tcm_alloc(1, 1);
    hexmlir_rt_tcm_free(pointer);
    hexmlir_rt_tcm_free(pointer);
  } else if (!strcmp(fault, "tag")) {
    hexmlir_rt_dma_wait(77);
  } else if (!strcmp(fault, "twice")) {
    mlir_async *token = mlirAsyncRuntimeCreateToken();
    mlirAsyncRuntimeEmplaceToken(token);
    mlirAsyncRuntimeEmplaceToken(token);
  } else if (!strcmp(fault, "group")) {
    mlir_async *group = mlirAsyncRuntimeCreateGroup(1);
    for (int i = 0; i < 2; i++) {
      mlir_async *token = mlirAsyncRuntimeCreateToken();
      mlirAsyncRuntimeEmplaceToken(token);
      mlirAsyncRuntimeAddTokenToGroup(token, group);
    }
  } else if (!strcmp(fault, "assert")) {
    hexmlir_rt_assert_failed("k.py:3:5\nn is negative", 1, 2, 3);
  } else if (!strcmp(fault, "join")) {
    hexmlir_rt_thread_join(99);
  } else if (!strcmp(fault, "no-weights")) {
    hexmlir_rt_weights("/no/such/file", 1);
  } else if (!strcmp(fault, "other-file")) {
    hexmlir_rt_weights(words[0], 1);
  } else if (!strcmp(fault, "engine-twice")) {
    hexmlir_rt_engine_acquire();
    hexmlir_rt_engine_acquire();
  } else if (!strcmp(fault, "engine-release")) {
    hexmlir_rt_engine_release();
  } else if (!strcmp(fault, "barrier")) {
    hexmlir_rt_thread_barrier(&byte, 0);
  }
  return 0;
}
