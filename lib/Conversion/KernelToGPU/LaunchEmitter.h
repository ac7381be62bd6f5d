//===- LaunchEmitter.h - Device functions of launches -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CONVERSION_KERNELTOGPU_LAUNCHEMITTER_H
#define DYNBATCH_LIB_CONVERSION_KERNELTOGPU_LAUNCHEMITTER_H

#include "ElementEmitter.h"
#include "KernelPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::dynbatch {

/// How many blocks a launch has: the units of all tasks, a number of them in a
/// block, and a number of blocks for those.
struct Grid {
  int64_t unitsOfTask, unitsOfBlock, blocksOfUnits;
};

/// Sizes of the tiles of contractions; 0 where the shapes decide.
struct TileOptions {
  int64_t rows, columns, depth;
  bool allowTf32; ///< f32 factors may be rounded for tensor cores
};

/// Emits the device function of one launch. Derived classes know how.
class LaunchEmitter {
public:
  /// Creates a function without contents in `module`. `index` is the number of
  /// the launch.
  LaunchEmitter(KernelOp kernel, const KernelPlan &plan, unsigned index,
                gpu::GPUModuleOp module);

  gpu::GPUFuncOp getFunction() const { return func; }

protected:
  /// Workgroup memory of its own for the function.
  Value addWorkgroup(ArrayRef<int64_t> shape, Type type);
  /// Stores elements of `value` wherever others look for them outside of the
  /// block.
  void storeGlobal(Value value, ArrayRef<Position> at,
                   ArrayRef<Value> elements);
  /// Where elements of `value` are in global memory.
  ElementEmitter::GetBuffer getGlobal(Value value);
  /// Ends the function, which is launched with blocks of `threads` threads. A
  /// multiprocessor has room for `minThreads`, at least: 128 registers each.
  void finish(int64_t threads, int64_t minThreads = 512);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  KernelOp kernel;
  const KernelPlan &plan;
  const Launch &launch;
  Location loc;
  OpBuilder builder;
  gpu::GPUFuncOp func;
  DeviceMemory memory;
  ElementEmitter elements;

private:
  static gpu::GPUFuncOp createFunction(KernelOp kernel, unsigned index,
                                       gpu::GPUModuleOp module);
};

/// A launch of steps: each thread computes elements of tensors.
class StepsEmitter : public LaunchEmitter {
public:
  using LaunchEmitter::LaunchEmitter;
  Grid emit(int64_t maxThreads);

private:
  /// One step only: threads are spread over the elements of all tasks.
  Grid emitFlat(int64_t maxThreads);
  /// Threads of a block work on the same points, step by step.
  Grid emitPoints();
  void emitStep(const Step &step);
  void emitElements(const Step &step, ArrayRef<Position> at, unsigned lanes);
  void emitReduction(const Step &step);

  /// Of `emitPoints`: the point in the block and its position; the thread of
  /// the point; whether there is such a point.
  Value point, thread, active;
  Positions prefix;
  DenseMap<Value, Value> local;   ///< workgroup memory of values
  DenseMap<Type, Value> partials; ///< of shared reductions, a warp each
};

/// A launch of a contraction: a block computes a tile of its result.
class ContractionEmitter : public LaunchEmitter {
public:
  ContractionEmitter(KernelOp kernel, const KernelPlan &plan, unsigned index,
                     gpu::GPUModuleOp module, const TileOptions &options);
  Grid emit();

private:
  /// What the thread loads of the tiles of one factor: vectors along one
  /// dimension of the tile, a number of them each time.
  struct Loader {
    const Factor *factor;
    int64_t depth; ///< of the product
    int64_t first; ///< where it begins in the factor
    bool isRows;
    bool alongSum; ///< vectors lie along the dimension that is summed over
    unsigned lanes;
    struct Vector {
      Value exists; ///< null if it always does
      Value x, k;   ///< position in the tile
      Positions at; ///< of the result, without what depends on the sum
      SmallVector<Value> elements;
    };
    SmallVector<Vector> vectors;
  };

  void chooseTile(const TileOptions &options);
  void chooseThreads(const TileOptions &options);
  void chooseWarps(const TileOptions &options);
  void emitThreadPosition();
  void emitPosition();
  Loader createLoader(const Product &product, bool isRows);
  /// Loads the vectors of the tile that begins at term `term`; it has `depth`
  /// terms.
  void load(Loader &loader, Position term, int64_t depth);
  void store(Loader &loader, Value buffer);
  /// Adds `depth` products of what is in `buffer` to the accumulators.
  SmallVector<Value> multiply(Value buffer, int64_t depth, ValueRange acc);
  /// The same on tensor cores.
  SmallVector<Value> multiplyFragments(Value buffer, int64_t depth,
                                       ValueRange acc);
  SmallVector<Value> accumulate(const Product &product, ValueRange acc,
                                bool isLast);
  /// Row number `index` of the thread, which may be beyond the last one.
  Value getRow(int64_t index);
  /// The position of a row of the result, or that of the last one.
  Positions getRowPosition(Value row);
  /// Position of an element of the thread. `column` is that in the first group.
  Positions getPosition(ArrayRef<Position> row, Position column,
                        int64_t group = 0) const;
  SmallVector<Value> emitInitial();
  void emitResults(ValueRange acc);
  /// Of row number `index` and of columns number `block` of the thread.
  void emitResult(ValueRange acc, int64_t index, int64_t block);
  /// Two tiles of a factor in workgroup memory.
  Value addTiles(bool isRows);
  /// Where an element is in them.
  Positions getTilePosition(Value buffer, Position term, Position x) const {
    if (usesTensorCores())
      return {buffer, x, term};
    return {buffer, term, x};
  }

  int64_t getNumGroups() const { return launch.getNumGroups(); }
  /// Rows or columns of a tile.
  int64_t getExtent(bool isRows) const {
    return isRows ? tileRows : tileColumns * getNumGroups();
  }
  unsigned getAccumulator(int64_t row, int64_t group, int64_t column,
                          int64_t block = 0) const {
    return ((row * getNumGroups() + group) * columnBlocks + block) *
               columnsOfThread +
           column;
  }
  bool usesTensorCores() const { return mmaTerms != 0; }
  Value add(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value times(Value a, int64_t b) {
    return arith::MulIOp::create(builder, loc, a, constant(b));
  }
  Value atMost(Value a, Value b) {
    return arith::MinUIOp::create(builder, loc, a, b);
  }

  const Contraction &contraction;
  ArrayRef<int64_t> shape; ///< of the result
  /// Rows and columns (of each group) of a block and of a thread; terms that
  /// are in workgroup memory at once.
  int64_t tileRows, tileColumns, tileDepth, rowsOfThread, columnsOfThread;
  int64_t threadsOfColumns, numThreads;
  /// On tensor cores: the terms that they multiply at once, otherwise 0; in how
  /// many places a thread has neighbouring columns (of each group), 8 apart; in
  /// how many it has two rows, 16 apart. Warps beside each other.
  int64_t mmaTerms = 0, columnBlocks = 1, rowBlocks = 1, warpsOfColumns = 1;

  Value threadRow, threadColumn; ///< first ones of the thread, in the tile
  /// On tensor cores: the column and the term that the thread gives of the tile
  /// of columns. Those of rows are `threadRow` and the same term.
  Value fragmentColumn, fragmentTerm;
  Value firstRow, firstColumn;   ///< of the tile
  Value numRows;                 ///< of the result, in all dimensions of rows
  SmallVector<int64_t> rowSizes; ///< in each of them
  Positions outer;
  SmallVector<Value> columns;      ///< first one of each block, clamped
  SmallVector<Value> columnsExist; ///< null if they always do
  Value rowTiles, columnTiles;     ///< two tiles each
};

} // namespace mlir::dynbatch

#endif // DYNBATCH_LIB_CONVERSION_KERNELTOGPU_LAUNCHEMITTER_H
