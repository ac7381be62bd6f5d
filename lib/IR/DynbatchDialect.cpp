//===- DynbatchDialect.cpp - Dialect and types -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Dynbatch.h"
#include "dynbatch/IR/Bytecode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dynbatch;

#include "dynbatch/IR/DynbatchDialect.cpp.inc"

#include "dynbatch/IR/DynbatchEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dynbatch/IR/DynbatchAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dynbatch/IR/DynbatchTypes.cpp.inc"

namespace {
/// Every op may be inlined anywhere: programs are pure.
struct DynbatchInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

void DynbatchDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dynbatch/IR/DynbatchAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dynbatch/IR/DynbatchTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dynbatch/IR/DynbatchOps.cpp.inc"
      >();
  addInterfaces<DynbatchInlinerInterface>();
  detail::addBytecodeInterface(this);
}

Operation *DynbatchDialect::materializeConstant(OpBuilder &builder,
                                                Attribute value, Type type,
                                                Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult DynbatchDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name != kEntryAttrName && name != kPrologueAttrName)
    return op->emitOpError() << "unknown attribute '" << name << "'";
  if (!isa<UnitAttr>(attr.getValue()))
    return op->emitOpError() << "attribute '" << name << "' must be a unit";
  if (!isa<FunctionOpInterface>(op) || isa<KernelOp>(op))
    return op->emitOpError()
           << "attribute '" << name << "' belongs on a function";
  return success();
}

LogicalResult DynbatchDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                        unsigned index,
                                                        NamedAttribute attr) {
  return op->emitOpError() << "attribute '" << attr.getName().getValue()
                           << "' cannot stand on argument #" << index;
}

LogicalResult DynbatchDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attr) {
  return op->emitOpError() << "attribute '" << attr.getName().getValue()
                           << "' cannot stand on result #" << index;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool mlir::dynbatch::isTaskOperandType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type.isIntOrIndexOrFloat();
  return tensor.hasStaticShape() && !tensor.getEncoding() &&
         tensor.getElementType().isIntOrIndexOrFloat();
}

bool mlir::dynbatch::isDataType(Type type) {
  return isTaskOperandType(type) || isa<AdtType, FiberType, SeqType>(type);
}

LogicalResult SeqType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type elementType) {
  if (!isDataType(elementType))
    return emitError() << "a sequence cannot hold " << elementType
                       << ": expected a scalar, a tensor of static shape, an "
                          "ADT or a sequence";
  return success();
}

LogicalResult RowsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               Type rowType) {
  if (isTaskOperandType(rowType))
    return success();
  return emitError() << "rows cannot be of type " << rowType
                     << ": expected a scalar or a tensor of static shape";
}

RankedTensorType RowsType::getBatchedType(int64_t batchSize) {
  SmallVector<int64_t> shape = {batchSize};
  auto tensor = dyn_cast<RankedTensorType>(getRowType());
  if (!tensor)
    return RankedTensorType::get(shape, getRowType());
  llvm::append_range(shape, tensor.getShape());
  return RankedTensorType::get(shape, tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Lookup helpers
//===----------------------------------------------------------------------===//

SmallVector<ml_program::GlobalOp>
mlir::dynbatch::getParameters(Operation *module) {
  return llvm::filter_to_vector(
      module->getRegion(0).getOps<ml_program::GlobalOp>(),
      [](ml_program::GlobalOp global) {
        return !global.getIsMutable() &&
               isa_and_nonnull<ml_program::ExternAttr>(global.getValueAttr());
      });
}

AdtOp mlir::dynbatch::lookupAdt(Operation *from, AdtType type,
                                SymbolTableCollection *tables) {
  // Module-level symbols; an op inside an ADT or kernel looks past it.
  auto module = from->getParentOfType<ModuleOp>();
  if (!module)
    return {};
  Operation *found = tables
                         ? tables->lookupSymbolIn(module, type.getName())
                         : SymbolTable::lookupSymbolIn(module, type.getName());
  return dyn_cast_or_null<AdtOp>(found);
}

CtorOp mlir::dynbatch::lookupCtor(Operation *from, AdtType type, StringRef ctor,
                                  SymbolTableCollection *tables) {
  AdtOp adt = lookupAdt(from, type, tables);
  if (!adt || adt->getNumRegions() != 1)
    return {};
  return dyn_cast_or_null<CtorOp>(SymbolTable::lookupSymbolIn(
      adt, StringAttr::get(from->getContext(), ctor)));
}

FailureOr<FunctionOpInterface> mlir::dynbatch::findEntry(Operation *module) {
  SmallVector<FunctionOpInterface> marked, exposed;
  for (auto func : module->getRegion(0).getOps<FunctionOpInterface>()) {
    if (isa<KernelOp>(func))
      continue;
    if (func->hasAttr(DynbatchDialect::kEntryAttrName))
      marked.push_back(func);
    if (func.isPublic() && !func.isExternal())
      exposed.push_back(func);
  }
  ArrayRef<FunctionOpInterface> candidates = marked.empty() ? exposed : marked;
  if (candidates.empty())
    return module->emitError("no entry: mark one function with '")
           << DynbatchDialect::kEntryAttrName << "'";
  if (candidates.size() > 1) {
    InFlightDiagnostic diag =
        module->emitError("ambiguous entry: mark exactly one function with '")
        << DynbatchDialect::kEntryAttrName << "'";
    for (FunctionOpInterface func : candidates)
      diag.attachNote(func.getLoc()) << "candidate '" << func.getName() << "'";
    return diag;
  }
  FunctionOpInterface entry = candidates.front();
  if (entry.isExternal())
    return entry.emitError("the entry needs a body");
  return entry;
}
