//===- Pipelines.h - From instance programs to LLVM -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_PIPELINES_PIPELINES_H
#define DYNBATCH_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"
#include "mlir/Support/LLVM.h"
#include <functional>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::dynbatch {

/// What `dynbatch-pipeline` can be told. Optimisations can be switched off;
/// results stay right.
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Bits of the target's vector registers"),
      llvm::cl::init(512)};
  Option<bool> specialize{
      *this, "specialize",
      llvm::cl::desc("Clone functions for the parameters they are called with"),
      llvm::cl::init(true)};
  Option<bool> foldWidening{
      *this, "fold-widening",
      llvm::cl::desc("On CPUs, keep weights of f16 and bf16 as they are and "
                     "extend them in registers"),
      llvm::cl::init(true)};
  Option<bool> prologue{
      *this, "prologue",
      llvm::cl::desc("Do work on parameters alone once, at load"),
      llvm::cl::init(true)};
  Option<bool> coarsen{*this, "coarsen",
                       llvm::cl::desc("Group tensor ops into static blocks"),
                       llvm::cl::init(true)};
  Option<bool> cutStages{
      *this, "cut-stages",
      llvm::cl::desc("Keep ops of a recurrence apart from what feeds it"),
      llvm::cl::init(true)};
  Option<bool> stages{
      *this, "stages",
      llvm::cl::desc("Run kernels stage by stage, not by depth alone"),
      llvm::cl::init(true)};
  Option<bool> align{
      *this, "align",
      llvm::cl::desc("Align branches, inner loops and equal stages"),
      llvm::cl::init(true)};
  Option<bool> mergeKernels{*this, "merge-kernels",
                            llvm::cl::desc("Let equal blocks share a kernel"),
                            llvm::cl::init(true)};
  Option<bool> fuseHorizontal{
      *this, "fuse-horizontal",
      llvm::cl::desc("Contract one vector with concatenated weights"),
      llvm::cl::init(true)};
  Option<bool> forkCalls{
      *this, "fork-calls",
      llvm::cl::desc("Run independent code that may be parked concurrently"),
      llvm::cl::init(true)};
  Option<bool> fuseKernels{
      *this, "fuse-kernels",
      llvm::cl::desc("Fuse elementwise ops inside of kernels"),
      llvm::cl::init(true)};
  Option<bool> fuseGathers{
      *this, "fuse-gathers",
      llvm::cl::desc("Read operands through their pointers, tile by tile, "
                     "instead of copying them for a whole batch"),
      llvm::cl::init(true)};
  Option<int64_t> l2Bytes{
      *this, "l2-bytes",
      llvm::cl::desc("On CPUs, size of the second-level cache of a core, for "
                     "fuse-gathers"),
      llvm::cl::init(1 << 20)};
  Option<int64_t> tileRows{
      *this, "tile-rows",
      llvm::cl::desc("On CPUs, tasks of a tile in all kernels, for "
                     "fuse-gathers; 0 leaves the choice to the cost model"),
      llvm::cl::init(0)};
  ListOption<std::string> measured{
      *this, "measured",
      llvm::cl::desc("On CPUs, tasks of the tiles of single kernels, KEY:TASKS, "
                     "as found by dynbatch-tune")};
  Option<bool> allowTf32{
      *this, "allow-tf32",
      llvm::cl::desc("On GPUs, round factors of f32 to TF32 for tensor cores"),
      llvm::cl::init(false)};
};

/// Adds to `Base`, options of a pipeline, those of the code for GPUs.
template <typename Base> struct GPUBinaryOptionsOf : Base {
  typename Base::template Option<std::string> chip{
      *this, "chip", llvm::cl::desc("GPU to compile for, such as sm_90"),
      llvm::cl::init("sm_80")};
  typename Base::template Option<std::string> features{
      *this, "features",
      llvm::cl::desc(
          "PTX version, such as +ptx80; the lowest one that the chip "
          "allows if empty"),
      llvm::cl::init("")};
  typename Base::template Option<std::string> format{
      *this, "format",
      llvm::cl::desc("isa (PTX, needs no toolkit), bin, fatbin, or auto: "
                     "fatbin where there are the tools to make it, isa "
                     "otherwise"),
      llvm::cl::init("isa")};
  typename Base::template Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("Folder of the CUDA toolkit; empty: where it is usually "
                     "found"),
      llvm::cl::init("")};
};

/// What `dynbatch-gpu-to-binary` can be told.
struct GPUBinaryOptions
    : GPUBinaryOptionsOf<PassPipelineOptions<GPUBinaryOptions>> {};

/// What `dynbatch-cuda-pipeline` can be told.
struct CudaPipelineOptions : GPUBinaryOptionsOf<PipelineOptions> {
  CudaPipelineOptions() { format = "auto"; }
};

/// Where a compiler that embeds the pipelines adds passes of its own or puts
/// them in the place of ours. A hook adds passes to the pipeline of the module;
/// an empty one adds nothing.
struct PipelineHooks {
  using Hook = std::function<void(OpPassManager &, const PipelineOptions &)>;

  /// First of all: instance programs, tensor ops of any dialect. Not run for
  /// the reference pipeline.
  Hook programStart;
  /// Kernels of one task in a scheduled program. A pass that gives a kernel an
  /// `implementation` (a function of the runtime ABI) and takes its body away
  /// keeps it from all passes that follow.
  Hook kernelsOutlined;
  /// Batched kernels. Here go passes that lower batched ops of other dialects
  /// to `linalg`, and those that implement kernels by themselves.
  Hook kernelsBatched;
  /// Instead of the passes that implement batched kernels for the target; a
  /// kernel without an implementation is an error afterwards.
  Hook implementKernels;
  /// Behind that: host code around kernels that are compiled.
  Hook hostStart;
  /// First in the reference pipeline, which has no kernels: passes that lower
  /// ops of other dialects for one instance.
  std::function<void(OpPassManager &)> referenceStart;

  /// Whether there is any.
  explicit operator bool() const {
    return programStart || kernelsOutlined || kernelsBatched ||
           implementKernels || hostStart || referenceStart;
  }
};

/// From an instance program to batched kernels on the CPU and host code, in the
/// LLVM dialect.
void buildPipeline(OpPassManager &pm, const PipelineOptions &options,
                   const PipelineHooks &hooks = {});

/// The same with GPU kernels, which the CPU runs thread by thread and checks.
/// Slow and exact: for tests.
void buildSimtPipeline(OpPassManager &pm, const PipelineOptions &options,
                       const PipelineHooks &hooks = {});

/// The same for a GPU: host code that launches binaries through the runtime.
void buildCudaPipeline(OpPassManager &pm, const CudaPipelineOptions &options,
                       const PipelineHooks &hooks = {});

/// Implements the batched kernels that have no implementation on the CPU. For
/// hooks that replace this stage in part.
void buildCPUKernelsPipeline(OpPassManager &pm, const PipelineOptions &options);

/// The last part of all: host code around kernels that have implementations,
/// to the LLVM dialect. `device` has the tensors, the host if it is empty.
void buildHostPipeline(OpPassManager &pm, const PipelineOptions &options,
                       StringRef device = "");

/// From an instance program to GPU kernels, functions that launch them, and
/// host code that is not lowered yet. With `ownMemory` the device of the
/// kernels cannot read the host's memory.
void buildGPUKernelsPipeline(OpPassManager &pm, const PipelineOptions &options,
                             bool ownMemory = true,
                             const PipelineHooks &hooks = {});

/// Compiles the GPU kernels of a module to PTX or to binaries.
void buildGPUToBinaryPipeline(OpPassManager &pm, StringRef chip,
                              StringRef features, StringRef format,
                              StringRef toolkit);

/// Finishes a module whose host code is in the runtime's terms: bufferizes what
/// is left of tensors, converts everything to the LLVM dialect and exports
/// `dynbatch_module`.
void buildLowerToLLVMPipeline(OpPassManager &pm);

/// The oracle: every instance on its own, through upstream lowerings only; no
/// blocks, kernels or batches.
void buildReferencePipeline(OpPassManager &pm, const PipelineHooks &hooks = {});

/// Registers the pipelines as `dynbatch-pipeline`, `dynbatch-simt-pipeline`,
/// `dynbatch-cuda-pipeline`, `dynbatch-host-pipeline`, `dynbatch-gpu-kernels`,
/// `dynbatch-gpu-to-binary` and `dynbatch-reference-pipeline`, with the hooks
/// in each of them.
void registerPipelines(const PipelineHooks &hooks = {});

} // namespace mlir::dynbatch

#endif // DYNBATCH_PIPELINES_PIPELINES_H
