//===- FiberPasses.td - Passes for forced reads -*- tablegen -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TRANSFORMS_FIBERPASSES_TD
#define DYNBATCH_TRANSFORMS_FIBERPASSES_TD

include "mlir/Pass/PassBase.td"

def ForkCalls : Pass<"dynbatch-fork-calls", "::mlir::ModuleOp"> {
  let summary = "let independent code that may be parked run concurrently";
  let description = [{
    A call that may reach a forced read may be parked until the next flush. Calls
    of one instance that do not depend on one another become child fibers, so
    that a single flush serves the forced reads of all of them: a call is spawned
    when a later one that may be parked, too, does not need its results, and
    joined at the first use. A conditional or a loop with such calls, or with
    forced reads of tensors that it computes itself, is treated likewise: it
    moves into a function of its own. The elements of a `dynbatch.map` whose body
    may be parked are spawned all before the first is joined. Code that uses a
    value from outside that is no data of the dialect, a vector for example, stays
    where it is. Programs without
    forced reads are left as they are.

    Before:

    ```mlir
    %a = func.call @encode(%l) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
    %b = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
    %c = dynbatch.enqueue @cell(%a, %b) ...
    ```

    After:

    ```mlir
    %f = dynbatch.spawn @encode(%l) : (!dynbatch.adt<@Tree>) -> !dynbatch.fiber<tensor<4xf32>>
    %b = func.call @encode(%r) : (!dynbatch.adt<@Tree>) -> tensor<4xf32>
    %a = dynbatch.join %f : !dynbatch.fiber<tensor<4xf32>> -> tensor<4xf32>
    %c = dynbatch.enqueue @cell(%a, %b) ...
    ```
  }];
  let statistics = [
    Statistic<"numSpawns", "spawns", "Calls, branches, loops and maps that became child fibers">
  ];
  let dependentDialects = ["::mlir::dynbatch::DynbatchDialect"];
}

#endif // DYNBATCH_TRANSFORMS_FIBERPASSES_TD
