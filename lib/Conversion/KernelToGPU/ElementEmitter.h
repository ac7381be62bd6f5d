//===- ElementEmitter.h - Elements of tensors on demand -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_ELEMENTEMITTER_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_ELEMENTEMITTER_H

#include "DeviceMemory.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <map>

namespace mlir::dynbatch {

/// Emits the code that finds single elements of the tensors of a kernel: a load
/// where the tensor is stored, otherwise what the op that makes it does for
/// that element. So no tensor needs storage for the sake of an op that only
/// moves data, and elementwise ops share one loop.
///
/// Where it says `lanes`, the elements are neighbours in the last dimension,
/// the first one at a multiple of `lanes`.
class ElementEmitter {
public:
  ElementEmitter(KernelOp kernel, OpBuilder &builder, DeviceMemory &memory)
      : kernel(kernel), builder(builder), memory(memory), scopes(1) {}

  /// Gives the buffer that an element is loaded from, and strips the dimensions
  /// that the buffer lacks from its position.
  using GetBuffer = std::function<Value(Positions &)>;
  /// From now on elements of `value` are loaded.
  void addStored(Value value, GetBuffer getBuffer) {
    stored[value] = std::move(getBuffer);
  }
  /// `find` knows the buffers of all other tensors that are stored.
  void setStored(std::function<GetBuffer(Value)> find) {
    findStored = std::move(find);
  }

  /// `element` is an element of `value`, in the present scope.
  void define(Value value, ArrayRef<Position> at, Value element);

  SmallVector<Value> get(Value value, ArrayRef<Position> at,
                         unsigned lanes = 1);

  /// What thread number `thread` of `threads` has of a reduction to the element
  /// at `at`, starting from the neutral element: every `threads`th term if it
  /// is `active`, otherwise none.
  Value reducePart(linalg::LinalgOp op, ArrayRef<Position> at, Value thread,
                   int64_t threads, Value active);
  /// What a reduction to the element at `at` starts from.
  Value getInit(linalg::LinalgOp op, ArrayRef<Position> at);

  /// Loads and stores neighbouring elements of a buffer.
  SmallVector<Value> load(Location loc, Value buffer, ArrayRef<Position> at,
                          unsigned lanes);
  void store(Location loc, Value buffer, ArrayRef<Position> at,
             ArrayRef<Value> elements);

  /// What was found in a block is not found again in it. To be entered with
  /// each block.
  class Scope {
  public:
    explicit Scope(ElementEmitter &emitter) : emitter(emitter) {
      emitter.scopes.emplace_back();
    }
    ~Scope() { emitter.scopes.pop_back(); }

  private:
    ElementEmitter &emitter;
  };

private:
  using Key = std::pair<void *, std::vector<std::pair<void *, int64_t>>>;
  static Key getKey(Value value, ArrayRef<Position> at);
  Value lookup(const Key &key) const;

  SmallVector<Value> getEach(Value value, ArrayRef<Position> at,
                             unsigned lanes);
  SmallVector<Value> compute(Value value, ArrayRef<Position> at,
                             unsigned lanes);
  SmallVector<Value> getOfGather(GatherOp op, ArrayRef<Position> at,
                                 unsigned lanes);
  SmallVector<Value> getOfConstant(arith::ConstantOp op, ArrayRef<Position> at,
                                   unsigned lanes);
  SmallVector<Value> getOfSlice(tensor::ExtractSliceOp op,
                                ArrayRef<Position> at, unsigned lanes);
  SmallVector<Value> getOfInsertion(tensor::InsertSliceOp op,
                                    ArrayRef<Position> at, unsigned lanes);
  SmallVector<Value> getOfConcat(tensor::ConcatOp op, ArrayRef<Position> at,
                                 unsigned lanes);
  SmallVector<Value> getOfPad(tensor::PadOp op, ArrayRef<Position> at,
                              unsigned lanes);
  SmallVector<Value> getOfExpansion(tensor::ExpandShapeOp op,
                                    ArrayRef<Position> at, unsigned lanes);
  SmallVector<Value> getOfCollapse(tensor::CollapseShapeOp op,
                                   ArrayRef<Position> at, unsigned lanes);
  SmallVector<Value> getOfElements(tensor::FromElementsOp op,
                                   ArrayRef<Position> at);

  /// An element inside of a box of a larger tensor from `inside`, others from
  /// `outside`.
  SmallVector<Value> choose(Value condition, Type type, unsigned lanes,
                            llvm::function_ref<SmallVector<Value>()> inside,
                            llvm::function_ref<SmallVector<Value>()> outside);

  SmallVector<Value> getOfLinalg(linalg::LinalgOp op, OpResult result,
                                 ArrayRef<Position> at, unsigned lanes);
  /// Positions in the loops of `op` for an element of its result.
  static Positions getLoops(linalg::LinalgOp op, OpResult result,
                            ArrayRef<Position> at);
  SmallVector<Value> reduce(linalg::LinalgOp op, Positions loops);
  /// Values of the inputs (null where they are not read) for neighbouring
  /// positions in loop `lane`, one list a lane.
  SmallVector<SmallVector<Value>> getInputs(linalg::LinalgOp op,
                                            ArrayRef<Position> loops,
                                            unsigned lane, unsigned lanes);
  SmallVector<Value> getOperand(linalg::LinalgOp op, OpOperand &operand,
                                ArrayRef<Position> loops, unsigned lane,
                                unsigned lanes);
  /// Whether neighbours in loop `lane` are neighbours in memory, too.
  static bool isContiguous(linalg::LinalgOp op, OpOperand &operand,
                           unsigned lane);
  SmallVector<Value> emitBody(linalg::LinalgOp op, ArrayRef<Position> loops,
                              ArrayRef<Value> inputs, ArrayRef<Value> outputs);
  Position evaluate(Location loc, AffineExpr expr, ArrayRef<Position> loops);
  /// A value that is no tensor, from outside of all bodies.
  Value getScalar(Value value);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, kernel.getLoc(), value);
  }

  KernelOp kernel;
  OpBuilder &builder;
  DeviceMemory &memory;
  SmallVector<std::map<Key, Value>> scopes;
  DenseMap<Value, GetBuffer> stored;
  std::function<GetBuffer(Value)> findStored;
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_ELEMENTEMITTER_H
