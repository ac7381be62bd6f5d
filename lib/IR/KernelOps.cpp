//===- KernelOps.cpp - Kernels, tasks and batches -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type) {
  auto &props = state.getOrAddProperties<Properties>();
  props.sym_name = builder.getStringAttr(name);
  props.function_type = TypeAttr::get(type);
  props.sym_visibility = builder.getStringAttr("private");
  Block &body = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    body.addArgument(input, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  FunctionType task = getTaskSignature();
  for (auto [i, type] : llvm::enumerate(task.getInputs()))
    if (!isTaskOperandType(type))
      return emitOpError() << "operand #" << i << " cannot be of type " << type
                           << ": expected a scalar or a tensor of static shape";
  for (auto [i, type] : llvm::enumerate(task.getResults()))
    if (!isa<RankedTensorType>(type) || !isTaskOperandType(type))
      return emitOpError() << "result #" << i << " cannot be of type " << type
                           << ": expected a tensor of static shape";
  if (getCyclic() && !getStage())
    return emitOpError("'cyclic' needs a 'stage'");
  if (getTurn() && !getCyclic())
    return emitOpError("'turn' needs a 'cyclic' stage");
  if (getPart().has_value() != (getTurn() && *getTurn() != Turn::First))
    return emitOpError("'part' belongs to a kernel whose 'turn' is 'once' or "
                       "'steps'");
  if (std::optional<uint64_t> operand = getOrderBy();
      operand && (*operand >= task.getNumInputs() ||
                  !isa<RankedTensorType>(task.getInput(*operand))))
    return emitOpError("'order_by' must be the number of an operand that is a "
                       "tensor");
  if (isExternal() != static_cast<bool>(getImplementation()))
    return emitOpError(isExternal()
                           ? "without a body needs an 'implementation'"
                           : "has both a body and an 'implementation'");
  if (!isExternal() &&
      (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back())))
    return emitOpError("must end with a 'dynbatch.return'");
  if (!isBatched())
    return success();
  SmallVector<Type> want = {IndexType::get(getContext())};
  for (TypeRange types :
       {TypeRange(task.getInputs()), TypeRange(task.getResults())})
    for (Type type : types)
      want.push_back(RowsType::get(type));
  auto type = FunctionType::get(getContext(), want, {});
  if (getFunctionType() != type)
    return emitOpError() << "batched for tasks " << task << " must have type "
                         << type << ", but has " << getFunctionType();
  return success();
}

LogicalResult ReturnOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  TypeRange want = kernel.getFunctionType().getResults();
  if (TypeRange(getOperandTypes()) != want)
    return emitOpError() << "returns (" << getOperandTypes()
                         << "), but the kernel's results are (" << want << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// EnqueueOp, DepthOp, DefineOp
//===----------------------------------------------------------------------===//

LogicalResult EnqueueOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel =
      tables.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "unknown kernel @" << getKernel();
  FunctionType task = kernel.getTaskSignature();
  if (TypeRange(getTaskOperands().getTypes()) != TypeRange(task.getInputs()) ||
      TypeRange(getResultTypes()) != TypeRange(task.getResults()))
    return emitOpError() << "does not fit kernel @" << getKernel()
                         << " of type " << task;
  if (!kernel.getStage())
    return success();
  if (kernel.getCyclic() && !getDepth())
    return emitOpError() << "kernel @" << getKernel()
                         << " stands in a cyclic stage: a depth is needed";
  if (!kernel.getCyclic() && getDepth())
    return emitOpError() << "kernel @" << getKernel()
                         << " stands in a stage that is not cyclic: it has no "
                            "depth";
  return success();
}

/// Whether no flush can come between `first` and `second`: they stand in one
/// block, not far apart, and nothing between them waits.
static bool areInOneFlush(Operation *first, Operation *second) {
  constexpr unsigned kMostOps = 100;
  if (first->getBlock() != second->getBlock())
    return false;
  Operation *op = second;
  for (unsigned i = 0; i < kMostOps && op; ++i) {
    op = op->getPrevNode();
    if (op == first)
      return true;
    if (op && (isa<ReadOp, JoinOp, SpawnOp, CallOpInterface>(op) ||
               op->getNumRegions() > 0))
      return false;
  }
  return false;
}

OpFoldResult DepthOp::fold(FoldAdaptor) {
  auto enqueue = getTensor().getDefiningOp<EnqueueOp>();
  if (!enqueue)
    return {};
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      enqueue, enqueue.getKernelAttr());
  if (!kernel || !kernel.getStage())
    return {};
  Value depth = enqueue.getDepth();
  if (*kernel.getStage() == getStage() && depth)
    return depth != getResult() && areInOneFlush(enqueue, *this)
               ? OpFoldResult(depth)
               : OpFoldResult();
  return IntegerAttr::get(IndexType::get(getContext()), 0);
}

LogicalResult DefineOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto global = tables.lookupNearestSymbolFrom<ml_program::GlobalOp>(
      *this, getGlobalAttr());
  if (!global)
    return emitOpError() << "unknown global @" << getGlobal();
  if (global.getIsMutable() ||
      !isa_and_nonnull<ml_program::ExternAttr>(global.getValueAttr()))
    return emitOpError() << "global @" << getGlobal()
                         << " must be immutable and external";
  if (global.getType() != getValue().getType())
    return emitOpError() << "global @" << getGlobal() << " is "
                         << global.getType() << ", but the value is "
                         << getValue().getType();
  auto func = (*this)->getParentOfType<FunctionOpInterface>();
  if (!func || !func->hasAttr(DynbatchDialect::kPrologueAttrName))
    return emitOpError("must stand in the prologue");
  return success();
}

//===----------------------------------------------------------------------===//
// GatherOp, ScatterOp
//===----------------------------------------------------------------------===//

void GatherOp::build(OpBuilder &builder, OperationState &state, Value rows,
                     Value first, OpFoldResult count) {
  int64_t size = getConstantIntValue(count).value_or(ShapedType::kDynamic);
  build(builder, state, cast<RowsType>(rows.getType()).getBatchedType(size),
        rows, first,
        getValueOrCreateConstantIndexOp(builder, state.location, count));
}

/// `tensor` holds rows of type `rows`; its leading dimension may be static.
static LogicalResult verifyRowsOf(Operation *op, Type tensor, RowsType rows) {
  auto type = cast<RankedTensorType>(tensor);
  int64_t size = type.getRank() == 0 ? 0 : type.getDimSize(0);
  if (type == rows.getBatchedType(size))
    return success();
  return op->emitOpError() << "rows of " << rows << " form "
                           << rows.getBatchedType(ShapedType::kDynamic)
                           << ", not " << tensor;
}

LogicalResult GatherOp::verify() {
  return verifyRowsOf(*this, getResult().getType(), getRows().getType());
}

LogicalResult ScatterOp::verify() {
  return verifyRowsOf(*this, getTensor().getType(), getRows().getType());
}

//===----------------------------------------------------------------------===//
// PanelMatmulOp
//===----------------------------------------------------------------------===//

LogicalResult PanelMatmulOp::verify() {
  auto weights = cast<ShapedType>(getWeights().getType());
  auto acc = cast<ShapedType>(getAcc().getType());
  if (weights.getRank() != 3)
    return emitOpError() << "weights must be panels x K x width, but are "
                         << weights;
  int64_t rank = acc.getRank();
  bool isMatrix = rank == 3; // one task has several rows
  if ((rank != 2 && rank != 3) ||
      ShapedType::isDynamicShape(acc.getShape().drop_front()))
    return emitOpError() << "the accumulator must be rows x N with static N, "
                            "but is "
                         << acc;
  ArrayRef<int64_t> row;
  auto rows = dyn_cast<RowsType>(getLhs().getType());
  if (static_cast<bool>(rows) != static_cast<bool>(getFirst()))
    return emitOpError(rows ? "a varying operand needs the first row"
                            : "a first row is only for varying operands");
  if (rows) {
    auto type = dyn_cast<RankedTensorType>(rows.getRowType());
    if (!type || type.getRank() != rank - 1)
      return emitOpError() << "rows must be "
                           << (isMatrix ? "matrices" : "vectors")
                           << ", but are " << rows.getRowType();
    row = type.getShape();
  } else {
    auto lhs = cast<ShapedType>(getLhs().getType());
    if (lhs.getRank() != rank)
      return emitOpError() << "the left operand must be "
                           << (isMatrix ? "tasks x rows" : "rows")
                           << " x K, but is " << lhs;
    row = lhs.getShape().drop_front();
    if (ShapedType::isDynamic(row.back()))
      return emitOpError() << "the left operand needs a static K, but is "
                           << lhs;
    if (lhs.hasStaticShape() && acc.hasStaticShape() &&
        lhs.getDimSize(0) != acc.getDimSize(0))
      return emitOpError() << "the left operand has " << lhs.getDimSize(0)
                           << " rows, but the accumulator has "
                           << acc.getDimSize(0);
  }
  Type rowElement = rows ? getElementTypeOrSelf(rows.getRowType())
                         : getElementTypeOrSelf(getLhs());
  if (!rowElement.isF32() || !acc.getElementType().isF32())
    return emitOpError() << "rows and accumulator must be f32, but are "
                         << rowElement << " and " << acc.getElementType();
  if (Type element = weights.getElementType();
      !element.isF32() && !element.isF16() && !element.isBF16())
    return emitOpError() << "weights must be f32, f16 or bf16, but are "
                         << element;
  if (isMatrix && row.front() != acc.getDimSize(1))
    return emitOpError() << "a task of the left operand has "
                         << (ShapedType::isDynamic(row.front())
                                 ? "an unknown number of"
                                 : Twine(row.front()).str())
                         << " rows, but one of the accumulator has "
                         << acc.getDimSize(1);
  int64_t k = row.back();
  if (k != weights.getDimSize(1))
    return emitOpError() << "rows have " << k << " elements, but K is "
                         << weights.getDimSize(1);
  int64_t n = acc.getShape().back(), width = weights.getDimSize(2);
  if (width == 0)
    return emitOpError("the width of a panel must be positive");
  if (weights.getDimSize(0) != static_cast<int64_t>(llvm::divideCeil(n, width)))
    return emitOpError() << n << " columns need " << llvm::divideCeil(n, width)
                         << " panels of width " << width << ", but there are "
                         << weights.getDimSize(0);
  if (isa<RankedTensorType>(acc) ? !getResult() || getResult().getType() != acc
                                 : static_cast<bool>(getResult()))
    return emitOpError("the result is the accumulator's tensor");
  return success();
}

void PanelMatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto add = [&](OpOperand &operand, MemoryEffects::Effect *effect) {
    effects.emplace_back(effect, &operand);
  };
  for (OpOperand &operand : (*this)->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      add(operand, MemoryEffects::Read::get());
  if (isa<MemRefType>(getAcc().getType()))
    add(getAccMutable(), MemoryEffects::Write::get());
}
