/* The runtime that compiled kernels call: the same entry points the simulator implements.
 *
 * Sizes and strides are in bytes, times in the unit each function names. A kernel is
 *   void kernel(pointers..., int32 scalars...)
 * with bare pointers (see docs/device.md). Functions below may be called from any thread unless they say otherwise.
 * A call that cannot be carried out (exhausted TCM, unknown tag, a transfer no descriptor can express) prints one line
 * to stderr and ends the process with exit code HEXMLIR_RT_FAILED: compiled code does not check results.
 */
#ifndef HEXMLIR_RT_H
#define HEXMLIR_RT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEXMLIR_RT_FAILED 86

/* -- TCM ------------------------------------------------------------------------------------------------------ */

/* The pool's memory. Without this call the pool is ordinary memory of HEXMLIR_RT_TCM_BYTES (environment variable)
 * or 8 MiB; a device passes the VTCM it acquired. Call before the first allocation; `base` must outlive the pool. */
void hexmlir_rt_tcm_use(void *base, uint32_t bytes);

/* `bytes` aligned to `alignment` (a power of two); bytes = 0 gives a unique pointer. Never NULL. */
void *hexmlir_rt_tcm_alloc(uint32_t bytes, uint32_t alignment);

/* NULL is allowed. */
void hexmlir_rt_tcm_free(void *pointer);

/* Bytes allocated now, and the most there ever were. */
uint32_t hexmlir_rt_tcm_used(void);
uint32_t hexmlir_rt_tcm_high_water(void);

/* -- DMA ------------------------------------------------------------------------------------------------------ */

/* Queue the copy of `rows` rows of `row_bytes` each; the strides are distances between rows, 0 and negative allowed.
 * The source must not change, and the destination not be used, before the wait. Gives a tag > 0. */
int32_t hexmlir_rt_dma_start_2d(void *dst, const void *src, uint32_t row_bytes, uint32_t rows, int32_t dst_stride,
                                int32_t src_stride);

/* Wait for the transfer and for all that its thread started before it. Waiting twice is allowed. */
void hexmlir_rt_dma_wait(int32_t tag);

/* A block that a kernel's work begins with: rows that lie `stride` bytes apart at `source`, packed at `target` in TCM.
 * `tag` is 0 until its transfer is started. */
typedef struct hexmlir_rt_tile {
  void *target;
  const void *source;
  uint32_t row_bytes, rows;
  int32_t stride, tag;
} hexmlir_rt_tile;

/* Start the transfers of `count` tiles, from number `first` on, that have not been started, by this kernel or by one
 * before it; gives the last one's tag, 0 where `count` is 0. */
int32_t hexmlir_rt_tile_start(hexmlir_rt_tile *tiles, uint32_t first, uint32_t count);

/* Start and wait. */
void hexmlir_rt_copy_2d(void *dst, const void *src, uint32_t row_bytes, uint32_t rows, int32_t dst_stride,
                        int32_t src_stride);

/* Transfers whose data has not arrived: 0 in a program that waits for all it starts. */
uint32_t hexmlir_rt_dma_pending(void);

/* -- matrix engine -------------------------------------------------------------------------------------------- */

/* The chip's matrix engine has one holder. Acquire waits for those that asked before; release waits for all that the
 * engine was handed. A thread must not acquire it twice, nor release what it does not hold. */
void hexmlir_rt_engine_acquire(void);
void hexmlir_rt_engine_release(void);

/* Wait until the engine's results are visible. */
void hexmlir_rt_engine_wait(void);

/* One row of result tiles, of `columns` tiles with 32 columns each: f16 activation tiles times f16 weight tiles, `tiles`
 * of each per column; weights lie column of tiles by column of tiles. `bias` has 256 bytes per column of tiles: 32 low
 * words (scale, bias of the result), 32 high words. In TCM; tiles are aligned to 2 KiB, tables to 256 bytes. The second
 * makes negative results 0. Kernels bring their own for chips that have the engine; the library has a slow emulation.
 */
void hexmlir_engine_hf(const void *activations, const void *weights, void *results, int32_t tiles, int32_t columns,
                       const void *bias);
void hexmlir_engine_hf_relu(const void *activations, const void *weights, void *results, int32_t tiles,
                            int32_t columns, const void *bias);
/* The sums over `runs` runs of activation tiles, of `tiles` each, whose starts are `distance` tiles apart. `run` is
 * tiles + 65536 * runs, `row` is columns + 65536 * distance. */
void hexmlir_engine_hf_runs(const void *activations, const void *weights, void *results, int32_t run, int32_t row,
                            const void *bias);
/* Two result tiles per column of tiles: sums rounded to f16, then what is left of them. `pieces`: a weight tile that
 * subtracts the first ones, minus the inverse of their scale on its diagonal, then two tables as above that serve all
 * columns: of the first and of the second ones. */
void hexmlir_engine_hf_pieces(const void *activations, const void *weights, void *results, int32_t tiles,
                              int32_t columns, const void *pieces);

/* The same for tiles of 64 rows of unsigned bytes and signed weights of 8 (b) or 4 bits (n). Results are bytes, scaled
 * and limited to 0 to 255 as the tables say. */
void hexmlir_engine_ub_b(const void *activations, const void *weights, void *results, int32_t tiles, int32_t columns,
                         const void *bias);
void hexmlir_engine_ub_n(const void *activations, const void *weights, void *results, int32_t tiles, int32_t columns,
                         const void *bias);
/* Sums of 32 bits: four result tiles per column of tiles, the first with the lowest bytes, as four tables say that serve
 * all columns. */
void hexmlir_engine_ub_b_planes(const void *activations, const void *weights, void *results, int32_t tiles,
                                int32_t columns, const void *bias);
void hexmlir_engine_ub_n_planes(const void *activations, const void *weights, void *results, int32_t tiles,
                                int32_t columns, const void *bias);
/* Such bytes and sums over several runs of activation tiles; `run` and `row` as for hexmlir_engine_hf_runs. */
void hexmlir_engine_ub_b_runs(const void *activations, const void *weights, void *results, int32_t run, int32_t row,
                              const void *bias);
void hexmlir_engine_ub_n_runs(const void *activations, const void *weights, void *results, int32_t run, int32_t row,
                              const void *bias);
void hexmlir_engine_ub_b_runs_planes(const void *activations, const void *weights, void *results, int32_t run,
                                     int32_t row, const void *bias);
void hexmlir_engine_ub_n_runs_planes(const void *activations, const void *weights, void *results, int32_t run,
                                     int32_t row, const void *bias);

/* -- weights --------------------------------------------------------------------------------------------------- */

/* Maps the weights file at `path`, read-only: nothing is read before a kernel touches it. `key`, from the header of the
 * kernel or model, tells its file from another build's. Offsets in headers count from the address this gives. */
const void *hexmlir_rt_weights(const char *path, uint64_t key);

/* -- threads -------------------------------------------------------------------------------------------------- */

/* A new thread that runs function(argument); gives its number > 0. The first thread has number 0. */
int32_t hexmlir_rt_thread_create(void (*function)(void *), void *argument);
void hexmlir_rt_thread_join(int32_t number);
int32_t hexmlir_rt_thread_id(void);

/* `count` threads meet at `key`, any address they agree on. */
void hexmlir_rt_thread_barrier(void *key, int32_t count);

/* Threads that run async tasks: HEXMLIR_RT_THREADS (environment variable) or 4. They start with the first task. */
int32_t hexmlir_rt_workers(void);

/* Ends the workers after the tasks that are queued; also done at exit. Not from a task. */
void hexmlir_rt_shutdown(void);

/* -- forks ---------------------------------------------------------------------------------------------------- */

/* Run task(frame, number) for each number from `first` to `end` on the workers, in any order, until the join. The caller
 * may write to `frame`, before, what tasks read; its first HEXMLIR_RT_FORK_BYTES are the runtime's, and it must be
 * aligned like a pointer. A fork allocates nothing, and queues all tasks at once. */
enum { HEXMLIR_RT_FORK_BYTES = 64 };
typedef void (*hexmlir_rt_task)(void *frame, int32_t number);
void hexmlir_rt_fork(void *frame, hexmlir_rt_task task, int32_t first, int32_t end);

/* Wait until all tasks have ended; a waiting thread runs queued tasks meanwhile. Once for each fork. */
void hexmlir_rt_join(void *frame);

/* -- MLIR's async runtime ------------------------------------------------------------------------------------- */

typedef struct hexmlir_rt_async mlir_async; /* a token, value or group */
typedef void (*mlir_resume)(void *coroutine);

/* Tokens and values are made with two references (the caller's, and one that goes when it becomes available), groups
 * with one. */
mlir_async *mlirAsyncRuntimeCreateToken(void);
mlir_async *mlirAsyncRuntimeCreateValue(int64_t bytes);
mlir_async *mlirAsyncRuntimeCreateGroup(int64_t tokens);
void mlirAsyncRuntimeAddRef(mlir_async *object, int64_t count);
void mlirAsyncRuntimeDropRef(mlir_async *object, int64_t count);

/* Gives the token's rank in the group. */
int64_t mlirAsyncRuntimeAddTokenToGroup(mlir_async *token, mlir_async *group);

void mlirAsyncRuntimeEmplaceToken(mlir_async *token);
void mlirAsyncRuntimeEmplaceValue(mlir_async *value);
void mlirAsyncRuntimeSetTokenError(mlir_async *token);
void mlirAsyncRuntimeSetValueError(mlir_async *value);
bool mlirAsyncRuntimeIsTokenError(mlir_async *token);
bool mlirAsyncRuntimeIsValueError(mlir_async *value);
bool mlirAsyncRuntimeIsGroupError(mlir_async *group);
void *mlirAsyncRuntimeGetValueStorage(mlir_async *value);

/* Block; a waiting thread runs queued tasks meanwhile. */
void mlirAsyncRuntimeAwaitToken(mlir_async *token);
void mlirAsyncRuntimeAwaitValue(mlir_async *value);
void mlirAsyncRuntimeAwaitAllInGroup(mlir_async *group);

/* Run resume(coroutine) as a task: now, or when the object is available. */
void mlirAsyncRuntimeExecute(void *coroutine, mlir_resume resume);
void mlirAsyncRuntimeAwaitTokenAndExecute(mlir_async *token, void *coroutine, mlir_resume resume);
void mlirAsyncRuntimeAwaitValueAndExecute(mlir_async *value, void *coroutine, mlir_resume resume);
void mlirAsyncRuntimeAwaitAllInGroupAndExecute(mlir_async *group, void *coroutine, mlir_resume resume);

int64_t mlirAsyncRuntimGetNumWorkerThreads(void); /* as MLIR spells it */
void mlirAsyncRuntimePrintCurrentThreadId(void);

/* -- output, addresses, time ---------------------------------------------------------------------------------- */

void hexmlir_rt_print_i32(int32_t value);
void hexmlir_rt_print_f32(float value);

/* A line of what a kernel prints: program (x, y, z), place in the tensor, prefix, value. `text` is "KIND\nSIZES\nPREFIX":
 * KIND is i, u, x (hexadecimal), f (`value` holds the bits of a double) with a width in bits, or n0 for the prefix alone;
 * `index` counts elements of a tensor of SIZES, "" for a scalar. */
void hexmlir_rt_print(int64_t value, const char *text, int32_t index, int32_t x, int32_t y, int32_t z);

/* The end of the process in program (x, y, z); `text` is "FILE:LINE:COLUMN\nMESSAGE". */
void hexmlir_rt_assert_failed(const char *text, int32_t x, int32_t y, int32_t z);

/* The pointer that a kernel made from an integer it loaded. The driver of linked programs gives addresses of the
 * caller's process a meaning; elsewhere the integer is the address. */
void *hexmlir_rt_pointer(int64_t address);

/* A counter that grows: processor cycles where the machine has them, else nanoseconds. */
uint64_t hexmlir_rt_cycles(void);

#ifdef __cplusplus
}
#endif
#endif
