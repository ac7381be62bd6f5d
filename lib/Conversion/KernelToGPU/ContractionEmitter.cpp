//===- ContractionEmitter.cpp - Launches of contractions -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Elements that are moved at once where shapes allow.
static constexpr int64_t kVector = 4;
/// Spreads the rows of tiles over the banks of workgroup memory; vectors in
/// them stay aligned.
static constexpr int64_t kPadding = 4;
/// Terms of a sum that are in workgroup memory at once.
static constexpr int64_t kDepth = 16;
/// Elements of both factors that a thread can have in registers.
static constexpr int64_t kMaxFactors = 64;
/// Columns of a tile, those of all groups together.
static constexpr int64_t kMaxColumns = 128;
/// What tensor cores compute at once.
static constexpr int64_t kMmaRows = 16, kMmaColumns = 8;
/// Workgroup memory that every device has.
static constexpr int64_t kMaxTileBytes = 49152;

ContractionEmitter::ContractionEmitter(KernelOp kernel, const KernelPlan &plan,
                                       unsigned index, gpu::GPUModuleOp module,
                                       const TileOptions &options)
    : LaunchEmitter(kernel, plan, index, module),
      contraction(*launch.contraction),
      shape(cast<RankedTensorType>(contraction.result.getType()).getShape()) {
  chooseTile(options);
}

/// Rows of the result that one task has, -1 if the batch is among them.
static int64_t getMostRows(const Contraction &contraction,
                           ArrayRef<int64_t> shape) {
  int64_t rows = 1;
  for (int64_t dim : contraction.rows) {
    if (ShapedType::isDynamic(shape[dim]))
      return -1;
    rows *= shape[dim];
  }
  return rows;
}

void ContractionEmitter::chooseTile(const TileOptions &options) {
  bool isWide = contraction.elementType.isF32();
  if (!isWide || (options.allowTf32 && launch.width % 2 == 0 &&
                  contraction.suitsTensorCores()))
    mmaTerms = isWide ? 8 : 16;
  tileRows = options.rows ? options.rows : 64;
  if (int64_t rows = getMostRows(contraction, shape); rows >= 0)
    tileRows = std::min<int64_t>(tileRows, llvm::PowerOf2Ceil(rows));
  if (usesTensorCores())
    chooseWarps(options);
  else
    chooseThreads(options);

  int64_t depth = 1;
  for (const Product &product : contraction.products)
    depth = std::max(depth, product.depth);
  tileDepth = std::min<int64_t>(tileDepth, llvm::PowerOf2Ceil(depth));
  tileDepth = std::max(tileDepth, mmaTerms);
  int64_t bytes = getElementBytes(contraction.elementType);
  while (2 * tileDepth *
             (tileRows + tileColumns * getNumGroups() + 2 * kPadding) * bytes >
         kMaxTileBytes)
    tileDepth /= 2;
}

void ContractionEmitter::chooseThreads(const TileOptions &options) {
  int64_t groups = getNumGroups(), width = launch.width;
  // A thread has neighbouring columns, or the same ones of all groups.
  columnsOfThread = std::max<int64_t>(kVector / llvm::PowerOf2Ceil(groups), 1);
  while (width % columnsOfThread != 0)
    columnsOfThread /= 2;
  tileColumns = options.columns ? options.columns : 16 * columnsOfThread;
  tileColumns = std::min<int64_t>(tileColumns, llvm::PowerOf2Ceil(width));
  while (tileColumns * groups > kMaxColumns)
    tileColumns /= 2;
  columnsOfThread = std::min(columnsOfThread, tileColumns);
  threadsOfColumns = tileColumns / columnsOfThread;

  // As many rows as keep the threads of a block at 256, at 64 at least.
  rowsOfThread = threadsOfColumns >= 16 ? 4 : threadsOfColumns >= 4 ? 2 : 1;
  rowsOfThread = std::min(rowsOfThread, tileRows);
  numThreads = tileRows / rowsOfThread * threadsOfColumns;

  // Many terms where there is a loop over tiles, otherwise as many as registers
  // can hold what is multiplied.
  tileDepth = options.depth;
  if (tileDepth == 0) {
    tileDepth = kDepth;
    if (contraction.products.back().depth < 2 * kDepth)
      tileDepth = kMaxFactors /
                  llvm::PowerOf2Ceil(rowsOfThread + columnsOfThread * groups);
  }
}

void ContractionEmitter::chooseWarps(const TileOptions &options) {
  int64_t groups = getNumGroups();
  // The more a warp has of both, the less it loads for each product.
  columnBlocks = std::max<int64_t>(4 / llvm::PowerOf2Ceil(groups), 1);
  tileColumns =
      options.columns ? options.columns : 2 * kMmaColumns * columnBlocks;
  tileColumns =
      std::min<int64_t>(tileColumns, llvm::PowerOf2Ceil(launch.width));
  while (tileColumns * groups > kMaxColumns)
    tileColumns /= 2;
  tileColumns = std::max(tileColumns, kMmaColumns);
  columnBlocks = std::min(columnBlocks, tileColumns / kMmaColumns);
  warpsOfColumns = tileColumns / (kMmaColumns * columnBlocks);
  tileRows = std::max(tileRows, kMmaRows);
  rowBlocks = std::min<int64_t>(tileRows / kMmaRows, 2);
  numThreads = tileRows / (kMmaRows * rowBlocks) * warpsOfColumns * kWarpSize;
  columnsOfThread = 2;
  rowsOfThread = 2 * rowBlocks;
  tileDepth = options.depth ? options.depth : 2 * mmaTerms;
}

/// Product of the sizes of dimensions, 1 for the batch dimension.
static int64_t getTaskSize(ArrayRef<int64_t> sizes) {
  int64_t size = 1;
  for (int64_t dim : sizes)
    if (ShapedType::isStatic(dim))
      size *= dim;
  return size;
}

void ContractionEmitter::emitThreadPosition() {
  auto divide = [&](Value value, int64_t size) {
    return std::pair<Value, Value>(
        arith::DivUIOp::create(builder, loc, value, constant(size)),
        arith::RemUIOp::create(builder, loc, value, constant(size)));
  };
  if (!usesTensorCores()) {
    auto [row, column] = divide(memory.getThread(), threadsOfColumns);
    threadRow = times(row, rowsOfThread);
    threadColumn = times(column, columnsOfThread);
    return;
  }
  // Of each matrix of a product a lane has elements in a row or column for four
  // lanes; those four share its terms and the columns of the result.
  auto [warp, lane] = divide(memory.getThread(), kWarpSize);
  auto [warpRow, warpColumn] = divide(warp, warpsOfColumns);
  auto [line, part] = divide(lane, 4);
  threadRow = add(times(warpRow, kMmaRows * rowBlocks), line);
  Value firstOfWarp = times(warpColumn, kMmaColumns * columnBlocks);
  threadColumn = add(firstOfWarp, times(part, columnsOfThread));
  fragmentColumn = add(firstOfWarp, line);
  fragmentTerm = times(part, mmaTerms / 8);
}

void ContractionEmitter::emitPosition() {
  emitThreadPosition();
  Value block = memory.getBlock();
  SmallVector<int64_t> outerSizes;
  for (int64_t dim : contraction.outer)
    outerSizes.push_back(shape[dim]);
  for (int64_t dim : contraction.rows)
    rowSizes.push_back(shape[dim]);
  int64_t tilesOfColumns = llvm::divideCeil(launch.width, tileColumns);
  bool batchInRows = contraction.rows.front() == 0;
  int64_t rowsOfTask = getTaskSize(rowSizes);
  numRows = constant(rowsOfTask);
  if (batchInRows)
    numRows = arith::MulIOp::create(builder, loc, memory.getCount(), numRows);

  // Blocks that share rows follow one another.
  Positions tiles;
  if (batchInRows) {
    tiles = delinearize(
        builder, loc, block,
        {ShapedType::kDynamic, getTaskSize(outerSizes), tilesOfColumns});
    outer = delinearize(builder, loc, tiles[1], outerSizes);
    tiles = {tiles[0], tiles[2]};
  } else {
    tiles = delinearize(
        builder, loc, block,
        {ShapedType::kDynamic,
         static_cast<int64_t>(llvm::divideCeil(rowsOfTask, tileRows)),
         tilesOfColumns});
    outer = delinearize(builder, loc, tiles[0], outerSizes);
    tiles = {tiles[1], tiles[2]};
  }
  firstRow = times(materialize(builder, loc, tiles[0]), tileRows);
  firstColumn = times(materialize(builder, loc, tiles[1]), tileColumns);

  // Beyond the last row and column, threads work on the last one and store
  // nothing.
  for (int64_t index = 0; index < columnBlocks; ++index) {
    Value column = add(firstColumn, threadColumn);
    if (index != 0)
      column = add(column, constant(index * kMmaColumns));
    Value exists;
    if (launch.width % tileColumns != 0) {
      exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     column, constant(launch.width));
      column = atMost(column, constant(launch.width - columnsOfThread));
    }
    columns.push_back(column);
    columnsExist.push_back(exists);
  }
}

Value ContractionEmitter::getRow(int64_t index) {
  Value first = add(firstRow, threadRow);
  if (usesTensorCores())
    index = index / 2 * kMmaRows + index % 2 * (kMmaRows / 2);
  return index == 0 ? first : add(first, constant(index));
}

Positions ContractionEmitter::getRowPosition(Value row) {
  Value last = arith::SubIOp::create(builder, loc, numRows, constant(1));
  return delinearize(builder, loc, atMost(row, last), rowSizes);
}

Positions ContractionEmitter::getPosition(ArrayRef<Position> row,
                                          Position column,
                                          int64_t group) const {
  Positions at(shape.size());
  for (auto [dim, position] : llvm::zip_equal(contraction.outer, outer))
    at[dim] = position;
  for (auto [dim, position] : llvm::zip_equal(contraction.rows, row))
    at[dim] = position;
  at.back() = column + group * launch.width;
  return at;
}

//===----------------------------------------------------------------------===//
// Tiles in workgroup memory
//===----------------------------------------------------------------------===//

ContractionEmitter::Loader
ContractionEmitter::createLoader(const Product &product, bool isRows) {
  Loader loader;
  loader.factor = isRows ? &product.rows : &product.columns;
  loader.depth = product.depth;
  loader.first = isRows ? 0 : product.first;
  loader.isRows = isRows;
  loader.alongSum = loader.factor->dims.back() == Factor::kSummed;
  int64_t extent = getExtent(isRows);
  auto suits = [&](std::initializer_list<int64_t> sizes) {
    return llvm::all_of(sizes,
                        [](int64_t size) { return size % kVector == 0; });
  };
  loader.lanes = 1;
  if (loader.alongSum) {
    if (suits({loader.depth, loader.first, tileDepth}))
      loader.lanes = kVector;
  } else if (isRows ? loader.factor->dims.back() == contraction.rows.back() &&
                          suits({rowSizes.back(), tileRows})
                    : suits({launch.width, tileColumns})) {
    loader.lanes = kVector;
  }

  int64_t vectorsAlong = (loader.alongSum ? tileDepth : extent) / loader.lanes;
  int64_t numVectors = vectorsAlong * (loader.alongSum ? extent : tileDepth);
  int64_t threads = numThreads;
  for (int64_t begin = 0; begin < numVectors; begin += threads) {
    Loader::Vector vector;
    Value number = memory.getThread();
    if (begin != 0)
      number = add(number, constant(begin));
    if (begin + threads > numVectors) {
      vector.exists =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number,
                                constant(numVectors));
      number = atMost(number, constant(numVectors - 1));
    }
    Value line =
        arith::DivUIOp::create(builder, loc, number, constant(vectorsAlong));
    Value along = times(
        arith::RemUIOp::create(builder, loc, number, constant(vectorsAlong)),
        loader.lanes);
    vector.x = loader.alongSum ? line : along;
    vector.k = loader.alongSum ? along : line;
    vector.at.resize(shape.size());
    for (auto [dim, position] : llvm::zip_equal(contraction.outer, outer))
      vector.at[dim] = position;
    int64_t lanesOfX = loader.alongSum ? 1 : loader.lanes;
    if (isRows) {
      Value last =
          arith::SubIOp::create(builder, loc, numRows, constant(lanesOfX));
      Value row = atMost(add(firstRow, vector.x), last);
      for (auto [dim, position] : llvm::zip_equal(
               contraction.rows, delinearize(builder, loc, row, rowSizes)))
        vector.at[dim] = position;
    } else {
      Value group, inGroup = vector.x;
      if (getNumGroups() > 1) {
        group = arith::DivUIOp::create(builder, loc, vector.x,
                                       constant(tileColumns));
        inGroup = arith::RemUIOp::create(builder, loc, vector.x,
                                         constant(tileColumns));
      }
      Value column = add(firstColumn, inGroup);
      if (launch.width % tileColumns != 0)
        column = atMost(column, constant(launch.width - lanesOfX));
      if (group)
        column = add(column, times(group, launch.width));
      vector.at.back() = column;
    }
    loader.vectors.push_back(std::move(vector));
  }
  return loader;
}

void ContractionEmitter::load(Loader &loader, Position term, int64_t depth) {
  for (Loader::Vector &vector : loader.vectors) {
    Value k = vector.k;
    if (!term.isConstant() || term.offset != 0)
      k = add(materialize(builder, loc, term), k);
    // Beyond the last term, what is loaded is not used.
    if (loader.depth < tileDepth)
      k = atMost(k,
                 constant(loader.depth - (loader.alongSum ? loader.lanes : 1)));
    Positions at;
    for (int64_t dim : loader.factor->dims)
      at.push_back(dim == Factor::kSummed ? Position(k, loader.first)
                                          : vector.at[dim]);
    vector.elements = elements.get(loader.factor->value, at, loader.lanes);
    if (!usesTensorCores() || depth % mmaTerms == 0)
      continue;
    // Tensor cores also multiply what is behind the last term.
    for (auto [lane, element] : llvm::enumerate(vector.elements)) {
      Value number = vector.k;
      if (loader.alongSum && lane != 0)
        number = add(number, constant(lane));
      Value isTerm = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, number, constant(depth));
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(element.getType()));
      element = arith::SelectOp::create(builder, loc, isTerm, element, zero);
    }
  }
}

void ContractionEmitter::store(Loader &loader, Value buffer) {
  Value memref = loader.isRows ? rowTiles : columnTiles;
  for (const Loader::Vector &vector : loader.vectors) {
    OpBuilder::InsertionGuard guard(builder);
    if (vector.exists) {
      auto branch =
          scf::IfOp::create(builder, loc, vector.exists, /*withElse=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    // Tensor cores want the terms side by side, in both tiles.
    if (loader.alongSum == usesTensorCores()) {
      elements.store(loc, memref, getTilePosition(buffer, vector.k, vector.x),
                     vector.elements);
      continue;
    }
    for (auto [lane, element] : llvm::enumerate(vector.elements)) {
      int64_t ofTerm = loader.alongSum ? lane : 0;
      int64_t ofX = loader.alongSum ? 0 : lane;
      elements.store(loc, memref,
                     getTilePosition(buffer, Position(vector.k, ofTerm),
                                     Position(vector.x, ofX)),
                     element);
    }
  }
}

//===----------------------------------------------------------------------===//
// Accumulation
//===----------------------------------------------------------------------===//

SmallVector<Value> ContractionEmitter::multiply(Value buffer, int64_t depth,
                                                ValueRange acc) {
  if (usesTensorCores())
    return multiplyFragments(buffer, depth, acc);
  SmallVector<Value> sums(acc);
  auto loadVector = [&](Value memref, int64_t k, Position x, int64_t size) {
    return elements.load(loc, memref, {buffer, k, x}, size);
  };
  for (int64_t k = 0; k < depth; ++k) {
    SmallVector<Value> ofRows =
        loadVector(rowTiles, k, threadRow, rowsOfThread);
    for (int64_t group = 0; group < getNumGroups(); ++group) {
      SmallVector<Value> ofColumns = loadVector(
          columnTiles, k, Position(threadColumn, group * tileColumns),
          columnsOfThread);
      for (int64_t i = 0; i < rowsOfThread; ++i)
        for (int64_t j = 0; j < columnsOfThread; ++j) {
          Value &sum = sums[getAccumulator(i, group, j)];
          sum = math::FmaOp::create(builder, loc, ofRows[i], ofColumns[j], sum);
        }
    }
  }
  return sums;
}

/// A vector of the shape that tensor cores take, of these elements in order.
static Value createFragment(OpBuilder &builder, Location loc,
                            ArrayRef<Value> elements, int64_t size) {
  int64_t count = elements.size();
  auto type = VectorType::get({count / size, size}, elements[0].getType());
  Value fragment =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  for (auto [i, element] : llvm::enumerate(elements)) {
    int64_t number = i;
    fragment = vector::InsertOp::create(
        builder, loc, element, fragment,
        ArrayRef<int64_t>{number / size, number % size});
  }
  return fragment;
}

SmallVector<Value> ContractionEmitter::multiplyFragments(Value buffer,
                                                         int64_t depth,
                                                         ValueRange acc) {
  SmallVector<Value> sums(acc);
  int64_t lanes = mmaTerms / 8;
  // In the order of the matrix fragments of PTX's mma.sync: rows before terms.
  auto loadFragment = [&](Value memref, Value x, int64_t distance, int64_t term,
                          int64_t rows) {
    SmallVector<Value> parts;
    for (int64_t half = 0; half < 2; ++half)
      for (int64_t row = 0; row < rows; ++row)
        llvm::append_range(
            parts,
            elements.load(
                loc, memref,
                getTilePosition(
                    buffer, Position(fragmentTerm, term + half * mmaTerms / 2),
                    Position(x, distance + row * (kMmaRows / 2))),
                lanes));
    return createFragment(builder, loc, parts, lanes);
  };
  for (int64_t term = 0; term < depth; term += mmaTerms) {
    SmallVector<Value> ofRows;
    for (int64_t i = 0; i < rowBlocks; ++i)
      ofRows.push_back(
          loadFragment(rowTiles, threadRow, i * kMmaRows, term, /*rows=*/2));
    for (int64_t group = 0; group < getNumGroups(); ++group)
      for (int64_t j = 0; j < columnBlocks; ++j) {
        Value ofColumns = loadFragment(columnTiles, fragmentColumn,
                                       group * tileColumns + j * kMmaColumns,
                                       term, /*rows=*/1);
        for (int64_t i = 0; i < rowBlocks; ++i) {
          Value *sum[4];
          SmallVector<Value> values;
          for (int64_t n = 0; n < 4; ++n) {
            sum[n] = &sums[getAccumulator(2 * i + n / 2, group, n % 2, j)];
            values.push_back(*sum[n]);
          }
          Value product = nvgpu::MmaSyncOp::create(
              builder, loc, ofRows[i], ofColumns,
              createFragment(builder, loc, values, 2),
              ArrayRef<int64_t>{kMmaRows, kMmaColumns, mmaTerms},
              /*tf32Enabled=*/contraction.elementType.isF32());
          for (int64_t n = 0; n < 4; ++n)
            *sum[n] = vector::ExtractOp::create(
                builder, loc, product, ArrayRef<int64_t>{n / 2, n % 2});
        }
      }
  }
  return sums;
}

SmallVector<Value> ContractionEmitter::accumulate(const Product &product,
                                                  ValueRange acc, bool isLast) {
  Loader rowLoader = createLoader(product, /*isRows=*/true);
  Loader columnLoader = createLoader(product, /*isRows=*/false);
  auto loadBoth = [&](Position term, int64_t depth) {
    load(rowLoader, term, depth);
    load(columnLoader, term, depth);
  };
  auto storeBoth = [&](Value buffer) {
    store(rowLoader, buffer);
    store(columnLoader, buffer);
    gpu::BarrierOp::create(builder, loc);
  };
  // The first tile has the odd terms. If it were the last one, its products
  // would end up in the branches that store the results, and what they multiply
  // would have to stay in registers until then.
  int64_t rest = product.depth % tileDepth;
  int64_t first = rest ? rest : tileDepth;
  int64_t last = (product.depth - first) / tileDepth;
  loadBoth(0, first);
  storeBoth(constant(0));
  SmallVector<Value> sums(acc);
  if (last == 0) {
    sums = multiply(constant(0), first, sums);
    if (!isLast)
      gpu::BarrierOp::create(builder, loc);
    return sums;
  }

  // While one tile is multiplied, the next one is on its way into the other
  // buffer. The last one is loaded twice rather than in a branch.
  if (rest) {
    loadBoth(first, tileDepth);
    sums = multiply(constant(0), first, sums);
    storeBoth(constant(1));
  }
  auto loop = scf::ForOp::create(builder, loc, constant(rest ? 1 : 0),
                                 constant(last + 1), constant(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  ElementEmitter::Scope scope(elements);
  builder.setInsertionPointToStart(loop.getBody());
  Value tile = loop.getInductionVar();
  Value buffer = arith::AndIOp::create(builder, loc, tile, constant(1));
  Value other = arith::XOrIOp::create(builder, loc, buffer, constant(1));
  Value next = atMost(add(tile, constant(1)), constant(last));
  loadBoth(Position(times(next, tileDepth), first - tileDepth), tileDepth);
  sums = multiply(buffer, tileDepth, loop.getRegionIterArgs());
  storeBoth(other);
  scf::YieldOp::create(builder, loc, sums);
  return loop.getResults();
}

SmallVector<Value> ContractionEmitter::emitInitial() {
  SmallVector<Value> acc;
  for (int64_t index = 0; index < rowsOfThread; ++index) {
    Positions row = getRowPosition(getRow(index));
    for (int64_t group = 0; group < getNumGroups(); ++group)
      for (Value column : columns)
        llvm::append_range(acc, elements.get(contraction.init,
                                             getPosition(row, column, group),
                                             columnsOfThread));
  }
  return acc;
}

void ContractionEmitter::emitResults(ValueRange acc) {
  for (int64_t index = 0; index < rowsOfThread; ++index)
    for (int64_t block = 0; block < columnBlocks; ++block)
      emitResult(acc, index, block);
}

void ContractionEmitter::emitResult(ValueRange acc, int64_t index,
                                    int64_t block) {
  Value row = getRow(index), column = columns[block];
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                       row, numRows);
  if (columnsExist[block])
    exists = arith::AndIOp::create(builder, loc, exists, columnsExist[block]);
  auto branch = scf::IfOp::create(builder, loc, exists, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  ElementEmitter::Scope scope(elements);
  builder.setInsertionPointToStart(branch.thenBlock());
  // Found again, so that the words of its task are read here and take no
  // registers before.
  Positions position = getRowPosition(row);
  for (int64_t group = 0; group < getNumGroups(); ++group)
    for (int64_t j = 0; j < columnsOfThread; ++j)
      elements.define(contraction.result,
                      getPosition(position, Position(column, j), group),
                      acc[getAccumulator(index, group, j, block)]);
  for (Value value : launch.steps.front().values) {
    bool isStored = plan.getStorage(value);
    int64_t columns = cast<RankedTensorType>(value.getType()).getShape().back();
    for (int64_t group = 0; group < columns / launch.width; ++group) {
      Positions at = getPosition(position, column, group);
      SmallVector<Value> values = elements.get(value, at, columnsOfThread);
      if (isStored)
        storeGlobal(value, at, values);
    }
  }
}

Value ContractionEmitter::addTiles(bool isRows) {
  int64_t extent = getExtent(isRows);
  if (!usesTensorCores())
    return addWorkgroup({2, tileDepth, extent + kPadding},
                        contraction.elementType);
  return addWorkgroup({2, extent, tileDepth + kPadding * mmaTerms / 8},
                      contraction.elementType);
}

Grid ContractionEmitter::emit() {
  emitPosition();
  rowTiles = addTiles(/*isRows=*/true);
  columnTiles = addTiles(/*isRows=*/false);
  SmallVector<Value> acc = emitInitial();
  SmallVector<const Product *> products;
  for (const Product &product : contraction.products)
    if (product.depth != 0)
      products.push_back(&product);
  for (const Product *product : products)
    acc = accumulate(*product, acc, product == products.back());
  emitResults(acc);
  // Tensor cores need few warps and many registers.
  finish(numThreads, usesTensorCores() ? 256 : 512);

  int64_t blocks = llvm::divideCeil(launch.width, tileColumns);
  SmallVector<int64_t> outerSizes;
  for (int64_t dim : contraction.outer)
    outerSizes.push_back(shape[dim]);
  blocks *= getTaskSize(outerSizes);
  int64_t rowsOfTask = getTaskSize(rowSizes);
  if (contraction.rows.front() == 0)
    return {rowsOfTask, tileRows, blocks};
  return {static_cast<int64_t>(llvm::divideCeil(rowsOfTask, tileRows)) * blocks,
          1, 1};
}
