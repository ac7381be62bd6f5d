//===- Dynbatch.h - The dynbatch dialect -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_IR_DYNBATCH_H
#define DYNBATCH_IR_DYNBATCH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::dynbatch {
class CtorOp;

/// Lowest bits of a depth that hold the step, in a stage that runs in rounds.
constexpr int64_t kStepBits = 12;

/// Whether tasks can have operands of this type: scalars and tensors of static
/// shape, without an encoding, whose elements are scalars.
bool isTaskOperandType(Type type);

/// Whether host code can hold values of this type: scalars (integer, index,
/// float), tensors of static shape, ADTs and sequences.
bool isDataType(Type type);
} // namespace mlir::dynbatch

#include "dynbatch/IR/DynbatchDialect.h.inc"

#include "dynbatch/IR/DynbatchEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dynbatch/IR/DynbatchAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dynbatch/IR/DynbatchTypes.h.inc"

#define GET_OP_CLASSES
#include "dynbatch/IR/DynbatchOps.h.inc"

namespace mlir::dynbatch {
/// The parameters of a program: the immutable globals of `module` whose value
/// is external, in module order. That order is the runtime's (`params` in the
/// module descriptor).
SmallVector<ml_program::GlobalOp> getParameters(Operation *module);

/// The declaration of constructor `ctor` of `type`, looked up from the module
/// around `from`; null when the ADT or the constructor is not declared.
CtorOp lookupCtor(Operation *from, AdtType type, StringRef ctor,
                  SymbolTableCollection *tables = nullptr);

/// The declaration of `type`, looked up from the module around `from`; null
/// when there is none.
AdtOp lookupAdt(Operation *from, AdtType type,
                SymbolTableCollection *tables = nullptr);

/// The entry function of an instance program: the one marked
/// `dynbatch.entry`, or else the only public function with a body. Emits an
/// error on `module` and returns failure when none or several qualify.
FailureOr<FunctionOpInterface> findEntry(Operation *module);
} // namespace mlir::dynbatch

#endif // DYNBATCH_IR_DYNBATCH_H
