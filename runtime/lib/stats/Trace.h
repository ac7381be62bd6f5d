//===- Trace.h - Chrome trace events ----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_STATS_TRACE_H
#define DYNBATCH_LIB_STATS_TRACE_H

#include "dynbatch/Runtime/Descriptor.h"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <vector>

namespace dynbatch::rt {

/// Events in memory until they are written.
class Trace {
public:
  using Time = std::chrono::steady_clock::time_point;

  struct Event {
    enum class Kind { Prologue, Minibatch, Host, Flush, Batch, Results } kind;
    Time begin, end;
    unsigned kernel = 0;   ///< batch
    int64_t depth = 0;     ///< batch
    int64_t count = 0;     ///< batch, flush: tasks; minibatch: instances
    bool onDevice = false; ///< beside the host's events, not among them
  };

  explicit Trace(const ModuleDescriptor &descriptor);

  void add(const Event &event) { events.push_back(event); }
  /// In the trace event format's JSON object form; times since creation.
  void write(std::ostream &out) const;

private:
  const ModuleDescriptor &descriptor;
  Time origin;
  std::vector<Event> events;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_STATS_TRACE_H
