//===- Schedule.h - How a flush makes batches -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_SCHEDULE_H
#define DYNBATCH_RUNTIME_SCHEDULE_H

namespace dynbatch::rt {

/// Results are the same with any of them.
enum class Schedule {
  /// By the stages of the descriptor and the depths that compiled code
  /// computes: batches are ready as soon as their tasks are enqueued.
  Static,
  /// For comparison: by depth in the dataflow graph of all pending tasks, as
  /// TensorFlow Fold does.
  Depth,
  /// For comparison: DyNet's agenda (Neubig et al., 2017). Of the kernels with
  /// ready tasks the one whose pending tasks have the smallest mean depth runs
  /// all its ready tasks.
  Agenda
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_SCHEDULE_H
