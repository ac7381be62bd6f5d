//===- ABI.h - Contract between compiled code and the runtime ---*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C. Compiled code reads and writes the first fields of the context
// directly, so every layout here is part of the ABI: change one, raise
// DYNBATCH_ABI_VERSION. docs/RuntimeABI.md explains the design.
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_ABI_H
#define DYNBATCH_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DYNBATCH_ABI_VERSION 3

/// Alignment, in bytes, of every tensor the runtime or compiled code allocates.
#define DYNBATCH_TENSOR_ALIGNMENT 64

/// A stamp says when a tensor is computed: flush epoch, stage, depth. Bits
/// 63..52 epoch, 51..40 stage, 39..0 depth. 0 means "ready" (instance data,
/// parameters, constants).
#define DYNBATCH_STAMP_STAGE_SHIFT 40
#define DYNBATCH_STAMP_EPOCH_SHIFT 52
/// In a stage that runs in rounds a depth is a round and, in the lowest bits, a
/// step inside of it.
#define DYNBATCH_DEPTH_STEP_BITS 12

/// A tensor in host code: storage address (row-major, contiguous) and stamp. In
/// a module for a device with memory of its own it is an address over there,
/// which host code can compute with and hand on, but not look into.
typedef struct dynbatch_tensor {
  int64_t address;
  uint64_t stamp;
} dynbatch_tensor;

/// The tasks of one kernel at one depth. Rows are contiguous int64 words:
///   [operand 0] ... [operand N-1] [result base]
/// A tensor operand is an address, a scalar operand its zero-extended bits.
/// The result base is the start of the task's result block in the arena.
typedef struct dynbatch_bucket {
  int64_t *cursor; ///< next free row
  int64_t *end;    ///< end of the allocated rows
  int64_t *begin;  ///< first row
} dynbatch_bucket;

/// All buckets of one kernel, indexed by depth; by round in a stage that runs
/// in rounds. The queue of a kernel that takes steps shows no bucket with
/// tasks: only dynbatch_rt_reserve makes its rows.
typedef struct dynbatch_queue {
  dynbatch_bucket *buckets;
  int64_t num_buckets;
} dynbatch_queue;

/// Head of the runtime's context; all that compiled code sees of it.
typedef struct dynbatch_context {
  char *arena_cursor; ///< tensor storage, DYNBATCH_TENSOR_ALIGNMENT aligned
  char *arena_end;
  char *heap_cursor; ///< host cells (ADTs, sequences), 16 byte aligned
  char *heap_end;
  dynbatch_queue *queues; ///< one a kernel
  void *const *params;    ///< one a parameter, in descriptor order
  uint64_t epoch;         ///< flush epoch << DYNBATCH_STAMP_EPOCH_SHIFT
  char *stack_limit;      ///< recursive functions refuse to go below it;
                          ///< changes with the fiber that runs
  int64_t instance;       ///< index of the running instance in its input
  int64_t device;         ///< 0: tensors are in host memory; otherwise host
                          ///< code reads them with dynbatch_rt_read alone
} dynbatch_context;

/// Cells. A constructor cell is {int64_t tag; slots...}, tag = position of the
/// constructor in its ADT. A sequence is {int64_t length; slots...}. A slot is
/// 16 bytes (dynbatch_tensor) for a tensor and 8 bytes for anything else: a
/// scalar's bits zero-extended, or a pointer to a cell. The arguments and
/// results of the entry are slots laid out in order without a header.

/// Runs the entry for one instance: reads argument slots, enqueues tasks,
/// writes result slots (the tensors they name are computed by the next flush).
typedef void (*dynbatch_entry_fn)(dynbatch_context *ctx, const char *args,
                                  char *results);
/// Computes the derived parameters (descriptor: "derived": true) from the
/// loaded ones; the runtime allocated the storage that params[] names.
typedef void (*dynbatch_prologue_fn)(dynbatch_context *ctx);
/// Runs `count` tasks, `rows` is their first row. `scratch` has the
/// descriptor's scratch_bytes and behind them row_scratch_bytes for each of the
/// rows, tensor aligned, private to the call. On a GPU it is a host function
/// that launches GPU kernels (dynbatch_rt_gpu_launch), and `rows`, `scratch`
/// and `params` are addresses in the device's memory, `params` that of an array
/// of device addresses.
typedef void (*dynbatch_kernel_fn)(const int64_t *rows, int64_t count,
                                   char *scratch, void *const *params);

/// What a compiled module exports under the symbol `dynbatch_module`.
typedef struct dynbatch_module {
  uint32_t abi_version;
  uint32_t num_kernels;
  const char *descriptor; ///< JSON, see docs/RuntimeABI.md
  dynbatch_entry_fn entry;
  dynbatch_prologue_fn prologue; ///< may be null
  const dynbatch_kernel_fn *kernels;
} dynbatch_module;

/// GPU code for the CUDA driver, one or more kernels. Constant, like the names
/// in it, as long as the module is loaded.
#define DYNBATCH_GPU_IMAGE_VERSION 1
#define DYNBATCH_GPU_IMAGE_PTX 0    ///< text
#define DYNBATCH_GPU_IMAGE_CUBIN 1  ///< ELF, for one architecture
#define DYNBATCH_GPU_IMAGE_FATBIN 2 ///< several of these
typedef struct dynbatch_gpu_image {
  uint32_t version; ///< DYNBATCH_GPU_IMAGE_VERSION
  uint32_t format;  ///< one of DYNBATCH_GPU_IMAGE_*
  const char *data;
  uint64_t size; ///< bytes; of a text without or with its final NUL
} dynbatch_gpu_image;

//===----------------------------------------------------------------------===//
// Functions the runtime gives to compiled code. Those marked noreturn record
// the error and leave the instance program for good.
//===----------------------------------------------------------------------===//

#if defined(__GNUC__)
#define DYNBATCH_NORETURN __attribute__((noreturn))
#else
#define DYNBATCH_NORETURN
#endif

/// Slow path of enqueue: makes bucket `depth` of `kernel` exist and have room.
/// Returns a fresh row; the bucket's cursor already stands behind it. A kernel
/// that takes steps has its round and step in `depth`.
int64_t *dynbatch_rt_reserve(dynbatch_context *ctx, int64_t kernel,
                             int64_t depth);
/// Slow path of arena allocation: returns `bytes` (a multiple of
/// DYNBATCH_TENSOR_ALIGNMENT) of storage; the cursor stands behind it.
char *dynbatch_rt_arena_alloc(dynbatch_context *ctx, int64_t bytes);
/// Same for host cells (`bytes` a multiple of 16).
char *dynbatch_rt_heap_alloc(dynbatch_context *ctx, int64_t bytes);
/// Forced read: returns when all tasks enqueued so far have run. In a module
/// that parks, other host code runs in between.
void dynbatch_rt_flush(dynbatch_context *ctx);
/// Forced read of a tensor, or part of one, that begins at `address`: returns
/// when it is computed, like dynbatch_rt_flush, or at once if it is already.
/// The result is host memory with its `bytes`, valid until the next call of an
/// ABI function that may flush.
const void *dynbatch_rt_read(dynbatch_context *ctx, int64_t address,
                             uint64_t stamp, int64_t bytes);
/// Runs `function(ctx, frame)` on a new child fiber of the running instance,
/// at once, until it ends or waits. Returns null if it has ended; otherwise a
/// handle that the caller must join once, while `frame` stays valid.
void *dynbatch_rt_spawn(dynbatch_context *ctx,
                        void (*function)(dynbatch_context *ctx, char *frame),
                        char *frame);
/// Waits until the child has ended; does nothing for null.
void dynbatch_rt_join(dynbatch_context *ctx, void *handle);
/// `what` names the op and its source location.
DYNBATCH_NORETURN void dynbatch_rt_index_error(dynbatch_context *ctx,
                                               const char *what, int64_t index,
                                               int64_t size);
DYNBATCH_NORETURN void dynbatch_rt_stack_overflow(dynbatch_context *ctx);
/// A failed assertion; `message` names its source location.
DYNBATCH_NORETURN void dynbatch_rt_error(dynbatch_context *ctx,
                                         const char *message);

/// Launches `kernel` of `image`; only in a dynbatch_kernel_fn. Launches of a
/// minibatch run one after the other. `args` are the addresses of its
/// `num_args` arguments, which are copied. `shared_bytes` of dynamic shared
/// memory are added to what the kernel declares. A grid without blocks is not
/// launched. `location` is that of the source, `file:line:column`, or empty.
/// Errors come up in the flush.
void dynbatch_rt_gpu_launch(const dynbatch_gpu_image *image, const char *kernel,
                            int64_t grid_x, int64_t grid_y, int64_t grid_z,
                            int64_t block_x, int64_t block_y, int64_t block_z,
                            int64_t shared_bytes, void **args, int64_t num_args,
                            const char *location);

/// Allocation hooks of the memref lowering (finalize-memref-to-llvm with
/// generic functions): used by prologues and by the reference target. They
/// serve the context that is running on this thread; memory lives until the
/// minibatch (or the prologue) ends, so free does nothing.
void *_mlir_memref_to_llvm_alloc(uint64_t bytes);
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes);
void _mlir_memref_to_llvm_free(void *pointer);

//===----------------------------------------------------------------------===//
// GPU kernels on the CPU (the simt target). A kernel's implementation launches
// functions that are run once a thread, each on a stack of its own. An error
// ends the launch and the minibatch; launches behind it do nothing.
//===----------------------------------------------------------------------===//

/// Threads of a warp.
#define DYNBATCH_SIMT_SUBGROUP_SIZE 32

/// What a kernel knows of the thread that it runs as. Triples are (x, y, z).
typedef struct dynbatch_simt_thread {
  int64_t thread_id[3];
  int64_t block_id[3];
  int64_t block_dim[3];
  int64_t grid_dim[3];
  int64_t lane_id;       ///< in its warp
  int64_t subgroup_id;   ///< of its warp, in the block
  int64_t num_subgroups; ///< of the block
  /// Workgroup memory of its block: what the kernel asks for, then what the
  /// launch adds.
  char *workgroup;
  int64_t dynamic_bytes; ///< what the launch adds
} dynbatch_simt_thread;

/// Runs a kernel as `thread`; `arguments` are those of the launch.
typedef void (*dynbatch_simt_fn)(dynbatch_simt_thread *thread, char *arguments);

/// How a shuffle finds the lane that it reads.
#define DYNBATCH_SIMT_SHUFFLE_XOR 0
#define DYNBATCH_SIMT_SHUFFLE_DOWN 1
#define DYNBATCH_SIMT_SHUFFLE_UP 2
#define DYNBATCH_SIMT_SHUFFLE_IDX 3

typedef struct dynbatch_simt_shuffled {
  uint64_t value; ///< all ones where not valid
  uint64_t valid; ///< 0 or 1
} dynbatch_simt_shuffled;

/// Element types of the matrices that a warp multiplies.
#define DYNBATCH_SIMT_MMA_F16 0
#define DYNBATCH_SIMT_MMA_TF32 1
#define DYNBATCH_SIMT_MMA_BF16 2

/// What is done to memory.
#define DYNBATCH_SIMT_READ 0
#define DYNBATCH_SIMT_WRITE 1
#define DYNBATCH_SIMT_ATOMIC 2

/// Runs a grid of blocks; returns when all have ended. The static workgroup
/// memory is a multiple of DYNBATCH_TENSOR_ALIGNMENT.
void dynbatch_rt_simt_launch(const char *kernel, dynbatch_simt_fn function,
                             char *arguments, int64_t grid_x, int64_t grid_y,
                             int64_t grid_z, int64_t block_x, int64_t block_y,
                             int64_t block_z, int64_t static_bytes,
                             int64_t dynamic_bytes);

/// `what`, in all of the following, names the op and its source location; it
/// also tells ops that threads wait in apart, by its address.
///
/// Waits for all threads of the block.
void dynbatch_rt_simt_barrier(dynbatch_simt_thread *thread, const char *what);
/// Exchanges a value between the first `width` lanes of a warp.
dynbatch_simt_shuffled dynbatch_rt_simt_shuffle(dynbatch_simt_thread *thread,
                                                const char *what, int32_t mode,
                                                uint64_t value, int32_t offset,
                                                int32_t width);
/// D = A * B + C for a 16 x k, a k x 8 and two 16 x 8 matrices, distributed
/// over a warp as PTX's mma.sync has them; C and D are f32.
void dynbatch_rt_simt_mma(dynbatch_simt_thread *thread, const char *what,
                          int32_t type, int32_t k, const char *a, const char *b,
                          const float *c, float *d);
/// An error unless positions [index, index + extent) exist in a dimension of
/// `size`.
void dynbatch_rt_simt_check_index(dynbatch_simt_thread *thread,
                                  const char *what, int64_t dimension,
                                  int64_t index, int64_t extent, int64_t size);
/// About to access memory: an error unless `address` is a multiple of
/// `alignment`, or if it is workgroup memory and `access` may see something
/// undefined there.
void dynbatch_rt_simt_access(dynbatch_simt_thread *thread, const char *what,
                             int32_t access, const char *address, int64_t bytes,
                             int64_t alignment);

#ifdef __cplusplus
}
#endif

#endif // DYNBATCH_RUNTIME_ABI_H
