//===- BatchableOpInterface.td - How an op becomes batched -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_INTERFACES_BATCHABLEOPINTERFACE_TD
#define DYNBATCH_INTERFACES_BATCHABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def BatchableOpInterface : OpInterface<"BatchableOpInterface"> {
  let description = [{
    An op of an instance program that can be made to work on a whole batch: every
    varying operand and every result gets a leading batch dimension, and row `i`
    of each result depends on row `i` of the varying operands only.

    Implement it by an external model to make an op of another dialect
    batchable. Models for all `linalg` structured ops and for `tensor` ops come
    with `registerBatchableOpInterfaceExternalModels`.
  }];
  let cppNamespace = "::mlir::dynbatch";
  let methods = [
    InterfaceMethod<[{
        Says through `emitError` why this op cannot be batched: dynamic shapes,
        buffers, side effects, ... Looks at this op alone; nothing is known yet
        about which operands vary.
      }],
      "::llvm::LogicalResult", "verifyBatchable",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return detail::verifyStaticTensors($_op.getOperation(), emitError);
      }]>,
    InterfaceMethod<[{
        Builds the batched form of this op with `builder` and tells `state` the
        batched value of every result. At least one operand (or captured value)
        varies. On failure an error was emitted.
      }],
      "::llvm::LogicalResult", "batch",
      (ins "::mlir::OpBuilder &":$builder,
           "::mlir::dynbatch::BatchingState &":$state)>,
    InterfaceMethod<[{
        This op is batched already. Builds it again for another number of rows:
        `mapping` gives its batched operands, which have `rows` as their leading
        dimension; the results are added to `mapping`.
      }],
      "void", "cloneForRows",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::IRMapping &":$mapping,
           "::mlir::OpFoldResult":$rows),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        detail::cloneDestinationStyleOp($_op.getOperation(), builder, mapping);
      }]>,
    InterfaceMethod<[{
        Number of floating-point operations of this op for one task (a
        multiply-add is two), 0 when it only moves data.
      }],
      "int64_t", "getTaskFlops", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return 0;">
  ];
}

#endif // DYNBATCH_INTERFACES_BATCHABLEOPINTERFACE_TD
