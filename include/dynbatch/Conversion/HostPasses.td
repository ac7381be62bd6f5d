//===- HostPasses.td - Lowering of host code, in pipeline order -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_CONVERSION_HOSTPASSES_TD
#define DYNBATCH_CONVERSION_HOSTPASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertDynbatchToSCF : Pass<"convert-dynbatch-to-scf", "::mlir::ModuleOp"> {
  let summary = "lower match, map and scan to structured control flow";
  let description = [{
    `dynbatch.match` becomes a switch over the constructor's tag whose cases read
    the fields; `dynbatch.map` and `dynbatch.scan` become `scf.for` loops that
    store into sequences under construction.

    Before:

    ```mlir
    %n = dynbatch.match %list : !dynbatch.adt<@List> -> i32
      case @Nil() {
        dynbatch.yield %zero : i32
      }
      case @Cons(%x: i32, %rest: !dynbatch.adt<@List>) {
        dynbatch.yield %x : i32
      }
    ```

    After:

    ```mlir
    %tag = dynbatch.tag %list : !dynbatch.adt<@List>
    %n = scf.index_switch %tag -> i32
    case 0 {
      scf.yield %zero : i32
    }
    default {
      %x = dynbatch.field @Cons[0] of %list : !dynbatch.adt<@List> -> i32
      scf.yield %x : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect"];
}

def PassContext : Pass<"dynbatch-pass-context", "::mlir::ModuleOp"> {
  let summary = "give host functions the runtime's context";
  let description = [{
    Every host function gets a first argument `!llvm.ptr`, the runtime's
    `dynbatch_context`, and passes it on in its calls. Functions that can reach
    themselves check the host stack first: recursion that is too deep is an
    error of the run, not a crash.

    Before:

    ```mlir
    func.func private @walk(%t: !dynbatch.adt<@Tree>) -> i32 {
      ...
      %0 = func.call @walk(%l) : (!dynbatch.adt<@Tree>) -> i32
    ```

    After:

    ```mlir
    func.func private @walk(%ctx: !llvm.ptr, %t: !dynbatch.adt<@Tree>) -> i32 {
      llvm.call @dynbatch_check_stack(%ctx) : (!llvm.ptr) -> ()
      ...
      %0 = func.call @walk(%ctx, %l) : (!llvm.ptr, !dynbatch.adt<@Tree>) -> i32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertDynbatchToLLVM : Pass<"convert-dynbatch-to-llvm", "::mlir::ModuleOp"> {
  let summary = "lower host data and tasks to the runtime ABI";
  let description = [{
    ADT and sequence values become pointers to cells, a tensor becomes the pair
    (address, stamp), and `dynbatch.enqueue` becomes a few stores into the
    bucket of (kernel, depth). Control flow and calls stay: upstream conversions
    finish them. The pass also adds `@dynbatch_entry`, which reads an instance's
    arguments and writes its results, and the descriptor that makes the module
    self-describing (docs/RuntimeABI.md).

    With `tensors=buffers` tensors stay tensors, for bufferization, and become
    addresses only where data structures hold them: that is how the `reference`
    target computes every instance on its own, and, in any mode, how the
    prologue is lowered.

    With `device=cuda` tensors are in a device's memory, which host code cannot
    look into: a forced read asks the runtime for a copy, and the descriptor
    names the device. Constant tensors must be parameters then
    (`dynbatch-hoist-prologue{constants=true}`).

    Before:

    ```mlir
    %l = dynbatch.field @Node[0] of %t : !dynbatch.adt<@Tree> -> !dynbatch.adt<@Tree>
    ```

    After:

    ```mlir
    %p = llvm.getelementptr %t[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %l = llvm.load %p : !llvm.ptr -> !llvm.ptr
    ```
  }];
  let options = [
    Option<"tensors", "tensors", "::mlir::dynbatch::TensorLowering",
           /*default=*/"::mlir::dynbatch::TensorLowering::Handles",
           "What host functions do with tensors",
           [{::llvm::cl::values(
             clEnumValN(::mlir::dynbatch::TensorLowering::Handles, "handles",
                        "(address, stamp) pairs; kernels compute"),
             clEnumValN(::mlir::dynbatch::TensorLowering::Buffers, "buffers",
                        "left to bufferization; host code computes"))}]>,
    Option<"device", "device", "std::string", /*default=*/"\"\"",
           "Device that has the tensors in its memory (cuda); empty: the host">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ExportModule : Pass<"dynbatch-export-module", "::mlir::ModuleOp"> {
  let summary = "emit the table that the runtime loads";
  let description = [{
    Runs last, on LLVM functions: adds the symbol `dynbatch_module` with the
    descriptor, the entry, the prologue and the kernels' implementations, makes
    everything else internal, and drops the declarations that are no longer
    needed.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // DYNBATCH_CONVERSION_HOSTPASSES_TD
