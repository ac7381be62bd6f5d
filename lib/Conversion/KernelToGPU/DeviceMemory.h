//===- DeviceMemory.h - Memory that a device function reaches -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_DEVICEMEMORY_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_DEVICEMEMORY_H

#include "Position.h"
#include "dynbatch/Conversion/KernelLayout.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::dynbatch {

/// The memory that one device function of a kernel reaches through its
/// arguments `(rows, count, scratch, params)`, as buffers. What does not depend
/// on a task is made once, at the start of the function; what a task's words of
/// the pointer table say, right where its number is known, so that loops inside
/// need not read them again.
class DeviceMemory {
public:
  DeviceMemory(KernelOp kernel, gpu::GPUFuncOp func);

  /// Number of the thread in its block, of the block, and of tasks (index).
  Value getThread() const { return thread; }
  Value getBlock() const { return block; }
  Value getCount() const { return count; }

  /// The tensor that operand number `index` of a task names, as a buffer.
  Value getOperand(OpBuilder &builder, unsigned index, Position task);
  /// A scalar operand.
  Value getScalarOperand(OpBuilder &builder, unsigned index, Position task);
  /// The storage of result number `index` of a task.
  Value getResult(OpBuilder &builder, unsigned index, Position task);
  /// The parameter that `load` loads. Checked before to be one.
  Value getParameter(ml_program::GlobalLoadConstOp load);
  /// Storage for all tasks in scratch memory: `offset` bytes a task lie before
  /// it. `type` has the number of tasks as its leading dimension.
  Value getScratch(int64_t offset, RankedTensorType type);
  /// Read-only memory with these contents.
  Value getConstant(Location loc, DenseElementsAttr elements);

private:
  /// A builder for what stands at the start of the function.
  OpBuilder atStart() const { return OpBuilder(thread.getDefiningOp()); }
  /// A pointer argument as a number.
  Value getAddress(OpBuilder &builder, unsigned index);
  Value getWord(OpBuilder &builder, int64_t word, Position task);
  /// Caches what `build` makes of a task's word.
  Value getOfTask(OpBuilder &builder, unsigned column, Position task,
                  llvm::function_ref<Value(OpBuilder &, Location)> build);

  KernelOp kernel;
  gpu::GPUFuncOp func;
  KernelLayout layout;
  Value thread, block, count, table;
  DenseMap<Attribute, Value> parameters, constants;
  DenseMap<int64_t, Value> scratch;
  /// By column (operands, then results, then words) and task.
  DenseMap<std::pair<unsigned, Value>, Value> ofTasks;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_DEVICEMEMORY_H
