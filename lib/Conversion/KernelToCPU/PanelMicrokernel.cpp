//===- PanelMicrokernel.cpp - Contraction of rows with packed panels -*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PanelMicrokernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::dynbatch;

static constexpr StringLiteral kPackedName = "dynbatch_panel_matmul_";
static constexpr StringLiteral kStridedName = "dynbatch_row_matmul_";

/// Steps of `k` in one iteration, so that few instructions are for the loop.
static constexpr int64_t kUnroll = 4;
/// How far ahead the first tile of a panel asks for weights, which come from
/// beyond the second-level cache; other tiles find them nearer.
static constexpr int64_t kFetchBytes = 4096;
static constexpr int64_t kLineBytes = 64;

void mlir::dynbatch::prefetchLines(OpBuilder &builder, Location loc,
                                   Value start, int64_t bytes, unsigned hint) {
  for (int64_t byte = 0; byte < bytes; byte += kLineBytes) {
    Value line = start;
    if (byte != 0)
      line = LLVM::GEPOp::create(
          builder, loc, start.getType(), builder.getI8Type(), start,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byte)});
    LLVM::Prefetch::create(builder, loc, line, /*rw=*/0, hint, /*cache=*/1);
  }
}

RegisterTiles::RegisterTiles(int64_t vectorBits) {
  int64_t lanes = std::max<int64_t>(vectorBits, 128) / 32;
  panelWidth = 2 * lanes;
  // AVX-512 doubles the number of registers, too.
  registers = vectorBits >= 512 ? 32 : 16;
  maxRows = vectorBits >= 512 ? 12 : 6;
}

int64_t RegisterTiles::getPanels(int64_t rows) const {
  for (int64_t panels : {4, 2}) {
    // Accumulators, one row of weights, one broadcast element.
    if (2 * panels * (rows + 1) + 1 < registers)
      return panels;
  }
  return 1;
}

namespace {
/// Builds the functions; all offsets are in elements.
class MicrokernelBuilder {
public:
  MicrokernelBuilder(ModuleOp module, const RegisterTiles &tiles, bool packed,
                     StringRef name, Type weightType)
      : module(module), tiles(tiles), packed(packed), name(name),
        weightType(weightType), builder(module.getContext()),
        loc(UnknownLoc::get(module.getContext())),
        ptr(LLVM::LLVMPointerType::get(module.getContext())),
        index(builder.getIndexType()), i64(builder.getI64Type()),
        f32(builder.getF32Type()),
        vector(VectorType::get({tiles.getPanelWidth()}, f32)) {}

  func::FuncOp build();

private:
  /// For weights that are not packed the last arguments are how far apart their
  /// rows are, and whether sums start from zero.
  func::FuncOp createFunction(const Twine &suffix, ArrayRef<Type> inputs);
  /// One register tile of exactly `rows` x `panels`. With `fetch` it is the
  /// first one that reads these panels.
  func::FuncOp buildTile(int64_t rows, int64_t panels, bool fetch);
  /// The sums at `targets`, row by row, before a tile of `func` adds to them.
  /// Of packed weights only `columns` may be there; the masked form for them is
  /// apart, as processors without AVX-512 are slow at masked stores.
  SmallVector<Value> loadSums(func::FuncOp func, ArrayRef<Value> targets,
                              int64_t panels, Value columns);
  void storeSums(ArrayRef<Value> sums, ArrayRef<Value> targets, int64_t panels,
                 Value columns);
  /// Whether `panels` panels have all of their columns.
  Value areWhole(int64_t panels, Value columns) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                 columns,
                                 constant(panels * tiles.getPanelWidth()));
  }
  SmallVector<Value> createMasks(int64_t panels, Value columns);
  /// Asks for the row of `panel` that is `step` steps of `k` ahead.
  void prefetch(Value panel, Value step);
  /// All row tiles against `panels` panels.
  func::FuncOp buildPanels(int64_t panels);

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  }
  /// base + offset elements of `type`.
  Value offset(Value base, Value elements, Type type) {
    Value position = arith::IndexCastOp::create(builder, loc, i64, elements);
    return LLVM::GEPOp::create(builder, loc, ptr, type, base,
                               ArrayRef<LLVM::GEPArg>{position});
  }
  /// Elements from a row of the weights of `func` to the next one.
  Value rowStride(func::FuncOp func) {
    return packed ? constant(tiles.getPanelWidth())
                  : func.getArguments().drop_back().back();
  }
  /// Elements from a panel to the next one, for weights of `k` rows.
  Value panelStride(Value k) {
    Value width = constant(tiles.getPanelWidth());
    return packed ? mul(k, width) : width;
  }
  /// The arguments of a callee of `func`.
  SmallVector<Value> arguments(func::FuncOp func, ArrayRef<Value> values) {
    SmallVector<Value> all(values);
    if (!packed)
      llvm::append_range(all, func.getArguments().take_back(2));
    return all;
  }
  Value load(Type type, Value address) {
    // Rows of tables and slices are aligned to their elements only.
    return LLVM::LoadOp::create(
        builder, loc, type, address,
        getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
  }
  /// A vector of weights, extended to f32.
  Value loadWeights(Value address) {
    Value weights = load(vector.clone(weightType), address);
    return weights.getType() == vector
               ? weights
               : arith::ExtFOp::create(builder, loc, vector, weights);
  }

  ModuleOp module;
  const RegisterTiles &tiles;
  bool packed;
  StringRef name;
  Type weightType;
  OpBuilder builder;
  Location loc;
  Type ptr, index, i64, f32;
  VectorType vector;
};
} // namespace

func::FuncOp MicrokernelBuilder::createFunction(const Twine &suffix,
                                                ArrayRef<Type> inputs) {
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types(inputs);
  if (!packed)
    types.append({index, builder.getI1Type()});
  auto func = func::FuncOp::create(builder, loc, (name + suffix).str(),
                                   builder.getFunctionType(types, {}));
  func.setPrivate();
  builder.setInsertionPointToStart(func.addEntryBlock());
  return func;
}

void MicrokernelBuilder::prefetch(Value panel, Value step) {
  int64_t width = tiles.getPanelWidth();
  int64_t bytes = weightType.getIntOrFloatBitWidth() / 8;
  Value ahead = add(step, constant(kFetchBytes / bytes / width));
  Value row = offset(panel, mul(ahead, constant(width)), weightType);
  prefetchLines(builder, loc, row, width * bytes, /*hint=*/3);
}

SmallVector<Value> MicrokernelBuilder::createMasks(int64_t panels,
                                                   Value columns) {
  int64_t width = tiles.getPanelWidth();
  auto type = VectorType::get({width}, builder.getI1Type());
  SmallVector<Value> masks;
  for (int64_t panel = 0; panel < panels; ++panel) {
    Value left =
        arith::SubIOp::create(builder, loc, columns, constant(panel * width));
    masks.push_back(vector::CreateMaskOp::create(builder, loc, type, left));
  }
  return masks;
}

SmallVector<Value> MicrokernelBuilder::loadSums(func::FuncOp func,
                                                ArrayRef<Value> targets,
                                                int64_t panels, Value columns) {
  auto loadAll = [&](OpBuilder &, Location) {
    scf::YieldOp::create(builder, loc,
                         llvm::map_to_vector(targets, [&](Value target) {
                           return load(vector, target);
                         }));
  };
  auto createZeros = [&]() -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vector));
  };
  if (!packed) {
    Value fromZero = func.getArguments().back();
    auto branch = scf::IfOp::create(
        builder, loc, fromZero,
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(
              builder, loc, SmallVector<Value>(targets.size(), createZeros()));
        },
        loadAll);
    return branch.getResults();
  }
  auto branch = scf::IfOp::create(
      builder, loc, areWhole(panels, columns), loadAll,
      [&](OpBuilder &, Location) {
        Value zeros = createZeros();
        SmallVector<Value> masks = createMasks(panels, columns), sums;
        for (auto [i, target] : llvm::enumerate(targets))
          sums.push_back(LLVM::MaskedLoadOp::create(builder, loc, vector,
                                                    target, masks[i % panels],
                                                    zeros, /*alignment=*/4));
        scf::YieldOp::create(builder, loc, sums);
      });
  return branch.getResults();
}

void MicrokernelBuilder::storeSums(ArrayRef<Value> sums,
                                   ArrayRef<Value> targets, int64_t panels,
                                   Value columns) {
  auto storeAll = [&] {
    for (auto [sum, target] : llvm::zip_equal(sums, targets))
      LLVM::StoreOp::create(builder, loc, sum, target, /*alignment=*/4);
  };
  if (!packed)
    return storeAll();
  scf::IfOp::create(
      builder, loc, areWhole(panels, columns),
      [&](OpBuilder &, Location) {
        storeAll();
        scf::YieldOp::create(builder, loc);
      },
      [&](OpBuilder &, Location) {
        SmallVector<Value> masks = createMasks(panels, columns);
        for (auto [i, target] : llvm::enumerate(targets))
          LLVM::MaskedStoreOp::create(builder, loc, sums[i], target,
                                      masks[i % panels], /*alignment=*/4);
        scf::YieldOp::create(builder, loc);
      });
}

func::FuncOp MicrokernelBuilder::buildTile(int64_t rows, int64_t panels,
                                           bool fetch) {
  func::FuncOp func = createFunction("_" + Twine(rows) + "x" + Twine(panels) +
                                         (fetch ? "_fetch" : ""),
                                     {ptr, ptr, ptr, index, index, index});
  Value table = func.getArgument(0), weights = func.getArgument(1),
        acc = func.getArgument(2), stride = func.getArgument(3),
        k = func.getArgument(4), columns = func.getArgument(5);
  int64_t width = tiles.getPanelWidth();

  SmallVector<Value> rowPointers;
  for (int64_t row = 0; row < rows; ++row) {
    Value address = LLVM::LoadOp::create(builder, loc, i64,
                                         offset(table, constant(row), i64));
    rowPointers.push_back(LLVM::IntToPtrOp::create(builder, loc, ptr, address));
  }
  SmallVector<Value> targets;
  for (int64_t row = 0; row < rows; ++row) {
    Value start = offset(acc, mul(stride, constant(row)), f32);
    for (int64_t panel = 0; panel < panels; ++panel)
      targets.push_back(offset(start, constant(panel * width), f32));
  }
  SmallVector<Value> sums = loadSums(func, targets, panels, columns);
  SmallVector<Value> panelPointers;
  Value distance = panelStride(k), rowDistance = rowStride(func);
  for (int64_t panel = 0; panel < panels; ++panel)
    panelPointers.push_back(
        offset(weights, mul(distance, constant(panel)), weightType));

  // Each element of the accumulator is one chain over ascending k, whatever the
  // shape of the tile: results do not depend on how rows are grouped.
  auto multiplyAdd = [&](Value step, SmallVectorImpl<Value> &sums) {
    SmallVector<Value> columnsOfStep;
    if (fetch)
      for (Value panel : panelPointers)
        prefetch(panel, step);
    for (Value panel : panelPointers)
      columnsOfStep.push_back(
          loadWeights(offset(panel, mul(step, rowDistance), weightType)));
    for (int64_t row = 0; row < rows; ++row) {
      Value element = load(f32, offset(rowPointers[row], step, f32));
      Value spread = vector::BroadcastOp::create(builder, loc, vector, element);
      for (int64_t panel = 0; panel < panels; ++panel) {
        Value &sum = sums[row * panels + panel];
        sum = vector::FMAOp::create(builder, loc, spread, columnsOfStep[panel],
                                    sum);
      }
    }
  };
  auto loopOver = [&](Value begin, Value end, int64_t unroll) {
    auto loop = scf::ForOp::create(
        builder, loc, begin, end, constant(unroll), sums,
        [&](OpBuilder &, Location, Value step, ValueRange carried) {
          SmallVector<Value> next(carried);
          for (int64_t i = 0; i < unroll; ++i)
            multiplyAdd(i == 0 ? step : add(step, constant(i)), next);
          scf::YieldOp::create(builder, loc, next);
        });
    sums.assign(loop.result_begin(), loop.result_end());
  };
  Value rest = arith::RemUIOp::create(builder, loc, k, constant(kUnroll));
  Value whole = arith::SubIOp::create(builder, loc, k, rest);
  loopOver(constant(0), whole, kUnroll);
  loopOver(whole, k, 1);
  storeSums(sums, targets, panels, columns);
  func::ReturnOp::create(builder, loc);
  return func;
}

func::FuncOp MicrokernelBuilder::buildPanels(int64_t panels) {
  // Few rows are a batch of few rows, so theirs is the only tile.
  SmallVector<func::FuncOp> variants, fetching;
  for (int64_t rows = 1; rows <= tiles.getMaxRows(); ++rows)
    if (tiles.getPanels(rows) >= panels) {
      bool only = packed && 2 * rows <= tiles.getMaxRows();
      variants.push_back(buildTile(rows, panels, /*fetch=*/only));
      fetching.push_back(packed && !only
                             ? buildTile(rows, panels, /*fetch=*/true)
                             : variants.back());
    }

  func::FuncOp func = createFunction(
      "_panels" + Twine(panels), {ptr, index, ptr, ptr, index, index, index});
  Value table = func.getArgument(0), m = func.getArgument(1),
        weights = func.getArgument(2), acc = func.getArgument(3),
        stride = func.getArgument(4), k = func.getArgument(5),
        columns = func.getArgument(6);
  // Tiles of nearly equal height: 13 rows are 7 and 6, not 12 and 1.
  Value count =
      arith::CeilDivUIOp::create(builder, loc, m, constant(tiles.getMaxRows()));
  Value height = arith::DivUIOp::create(builder, loc, m, count);
  Value taller = arith::RemUIOp::create(builder, loc, m, count);
  // Calls the tile of number `tile` at row `first`; returns the row after it.
  auto callTile = [&](ArrayRef<func::FuncOp> tiles, Value tile, Value first) {
    Value isTaller = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, tile, taller);
    Value rows = arith::SelectOp::create(builder, loc, isTaller,
                                         add(height, constant(1)), height);
    SmallVector<Value> operands = arguments(
        func, {offset(table, first, i64), weights,
               offset(acc, mul(first, stride), f32), stride, k, columns});
    SmallVector<int64_t> cases =
        llvm::to_vector(llvm::seq<int64_t>(1, tiles.size()));
    auto dispatch = scf::IndexSwitchOp::create(builder, loc, TypeRange(), rows,
                                               cases, cases.size());
    for (auto [i, callee] : llvm::enumerate(tiles)) {
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(i < cases.size() ? &dispatch.getCaseRegions()[i]
                                           : &dispatch.getDefaultRegion());
      func::CallOp::create(builder, loc, callee, operands);
      scf::YieldOp::create(builder, loc);
    }
    return add(first, rows);
  };
  Value begin = constant(0), first = begin;
  if (fetching != variants) {
    first = callTile(fetching, begin, first);
    begin = constant(1);
  }
  scf::ForOp::create(
      builder, loc, begin, count, constant(1), ValueRange(first),
      [&](OpBuilder &, Location, Value tile, ValueRange carried) {
        scf::YieldOp::create(builder, loc,
                             callTile(variants, tile, carried.front()));
      });
  func::ReturnOp::create(builder, loc);
  return func;
}

func::FuncOp MicrokernelBuilder::build() {
  SmallVector<std::pair<int64_t, func::FuncOp>> byPanels;
  for (int64_t panels : {4, 2, 1})
    if (tiles.getPanels(1) >= panels)
      byPanels.emplace_back(panels, buildPanels(panels));

  func::FuncOp func =
      createFunction("", {ptr, index, ptr, ptr, index, index, index});
  Value table = func.getArgument(0), m = func.getArgument(1),
        weights = func.getArgument(2), acc = func.getArgument(3),
        stride = func.getArgument(4), k = func.getArgument(5),
        n = func.getArgument(6);
  int64_t width = tiles.getPanelWidth();
  Value rowsOfTallest = arith::CeilDivUIOp::create(
      builder, loc, m,
      arith::CeilDivUIOp::create(builder, loc, m,
                                 constant(tiles.getMaxRows())));
  Value numPanels =
      arith::CeilDivUIOp::create(builder, loc, n, constant(width));
  Value distance = panelStride(k);
  Value done = constant(0);
  // Panels outside, rows inside: a panel stays in the cache for all rows.
  for (auto [panels, callee] : byPanels) {
    // Whether the tallest tile leaves registers for so many panels.
    int64_t maxRows = 0;
    for (int64_t rows = 1; rows <= tiles.getMaxRows(); ++rows)
      if (tiles.getPanels(rows) >= panels)
        maxRows = rows;
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                       rowsOfTallest, constant(maxRows));
    Value left = arith::SubIOp::create(builder, loc, numPanels, done);
    Value groups = arith::DivUIOp::create(builder, loc, left, constant(panels));
    Value end = arith::SelectOp::create(
        builder, loc, fits, add(done, mul(groups, constant(panels))), done);
    scf::ForOp::create(
        builder, loc, done, end, constant(panels), ValueRange(),
        [&, callee = callee](OpBuilder &, Location, Value panel, ValueRange) {
          Value column = mul(panel, constant(width));
          func::CallOp::create(
              builder, loc, callee,
              arguments(func,
                        {table, m,
                         offset(weights, mul(panel, distance), weightType),
                         offset(acc, column, f32), stride, k,
                         arith::SubIOp::create(builder, loc, n, column)}));
          scf::YieldOp::create(builder, loc);
        });
    done = end;
  }
  func::ReturnOp::create(builder, loc);
  return func;
}

static func::FuncOp getMicrokernel(ModuleOp module, const RegisterTiles &tiles,
                                   bool packed, Type weightType) {
  std::string name = packed ? kPackedName.str() : kStridedName.str();
  llvm::raw_string_ostream(name) << weightType;
  if (auto func = module.lookupSymbol<func::FuncOp>(name))
    return func;
  return MicrokernelBuilder(module, tiles, packed, name, weightType).build();
}

func::FuncOp mlir::dynbatch::getPanelMatmul(ModuleOp module,
                                            const RegisterTiles &tiles,
                                            Type weights) {
  return getMicrokernel(module, tiles, /*packed=*/true, weights);
}

func::FuncOp mlir::dynbatch::getRowMatmul(ModuleOp module,
                                          const RegisterTiles &tiles) {
  return getMicrokernel(module, tiles, /*packed=*/false,
                        Float32Type::get(module.getContext()));
}
