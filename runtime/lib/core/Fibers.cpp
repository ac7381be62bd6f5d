//===- Fibers.cpp - Host code that may wait ---------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Fibers.h"

#include <algorithm>
#include <utility>

using namespace dynbatch::rt;

Fiber *Fibers::create(Fiber::Function function, char *frame, int64_t instance,
                      bool child) {
  char *stack = pool.acquire();
  if (!stack)
    return nullptr;
  peak = std::max(peak, pool.inUse());
  if (unused.empty())
    unused.push(fibers.emplace_back());
  Fiber *fiber = unused.pop();
  fiber->stack = stack;
  fiber->function = function;
  fiber->frame = frame;
  fiber->context = &context;
  fiber->instance = instance;
  fiber->child = child;
  fiber->waiter = nullptr;
  fiber->code.prepare(
      stack, pool.stackBytes(),
      [](void *argument) {
        Fiber &self = *static_cast<Fiber *>(argument);
        self.function(self.context, self.frame);
      },
      fiber);
  return fiber;
}

void Fibers::abandon() {
  unused.clear();
  ready.clear();
  parked.clear();
  for (Fiber &fiber : fibers) {
    fiber.code.drop();
    if (fiber.stack)
      pool.release(std::exchange(fiber.stack, nullptr));
    unused.push(fiber);
  }
}

size_t Fibers::takePeak() { return std::exchange(peak, pool.inUse()); }
