//===- TestContext.h - A context to call the ABI on -------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TEST_TESTCONTEXT_H
#define DYNBATCH_TEST_TESTCONTEXT_H

#include "TestModules.h"

#include "core/Context.h"
#include "cpu/CpuExecutor.h"

namespace dynbatch::rt::test {

/// A context of the tree module, to call the ABI as host code would, right or
/// wrong. Checks the schedule.
class TestContext {
public:
  explicit TestContext(const Context::Options &options = {})
      : module(Module::create(&treeModule()).take()),
        executor(module, params, {}),
        recorder(module.descriptor(), {false, false, true}),
        context(module.descriptor(), params, executor,
                HostStack::create(1 << 20).take(), &recorder, options) {
    recorder.beginMinibatch();
  }

  /// Runs `code(ctx)` on the host stack.
  Status run(void (*code)(dynbatch_context *)) {
    struct Call {
      void (*code)(dynbatch_context *);
      dynbatch_context *ctx;
    } call{code, &context};
    return context.execute(
        [](void *argument) {
          Call &call = *static_cast<Call *>(argument);
          call.code(call.ctx);
        },
        &call);
  }
  /// Runs `code(ctx, frame)` for instances 0, 1, ... on fibers.
  Status runOnFibers(int64_t count, Fiber::Function code,
                     char *frame = nullptr) {
    return context.executeOnFibers(code, frame, 0, count);
  }

private:
  Module module;
  void *params[2] = {nullptr, nullptr};
  CpuExecutor executor;
  Recorder recorder;

public:
  Context context;
};

} // namespace dynbatch::rt::test

#endif // DYNBATCH_TEST_TESTCONTEXT_H
