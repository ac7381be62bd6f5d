//===- Executor.h - Where batches run ---------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_EXECUTOR_H
#define DYNBATCH_LIB_CORE_EXECUTOR_H

#include "core/MemorySource.h"
#include "dynbatch/Runtime/Instances.h"
#include "dynbatch/Runtime/Parameters.h"
#include "dynbatch/Runtime/Statistics.h"
#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dynbatch::rt {

/// Bytes of a tensor that host code asks for.
struct Read {
  int64_t address;
  size_t bytes;
  const void *value = nullptr; ///< where host code finds them
};

/// Tasks of one kernel, one a row.
struct Batch {
  unsigned kernel;
  int64_t depth;
  const int64_t *rows;
  int64_t count; ///< at least 1
  double seconds = 0; ///< set by Executor::runTogether
};

/// Runs batches on some device. Batches come in an order in which each may use
/// the results of all before it.
///
/// Functions with a body here are those of a device with memory of its own; the
/// body is that of one which works in host memory.
class Executor {
public:
  virtual ~Executor() = default;

  /// Runs `count` >= 1 tasks of `kernel`, one a row; returns when their results
  /// are in place, or with the error that ends the minibatch. If `runsLater`,
  /// only takes note of them and copies the rows.
  virtual Status run(unsigned kernel, const int64_t *rows, int64_t count) = 0;

  /// Whether batches that do not need each other should come together.
  virtual bool runsSideBySide() const { return false; }
  /// Runs batches none of which uses a result of another; sets how long all
  /// threads together worked on each.
  virtual Status runTogether(std::vector<Batch> &batches) {
    (void)batches;
    return Status::error("this device takes batches one by one");
  }

  virtual bool runsLater() const { return false; }
  /// The last batch of a flush has been given to `run`: starts all that were.
  /// Reads requested before have their values when it returns.
  virtual Status endFlush() { return Status::success(); }

  virtual bool hasOwnMemory() const { return false; }
  virtual MemorySource &tensorMemory() { return hostMemory(); }

  /// The pending flush gives `read` its value, which stays valid until the next
  /// flush. `read` must stay in place until then.
  virtual void request(Read &read) {
    read.value = reinterpret_cast<const void *>(read.address);
  }
  /// Reads something computed; the value is valid until the next call.
  virtual Status readNow(Read &read) {
    request(read);
    return Status::success();
  }

  /// Takes the parameters, computed ones included; returns the addresses for
  /// host code, which live as long as the executor.
  virtual Result<void *const *> placeParameters(const ParameterSet &params) {
    return params.addresses();
  }
  /// A minibatch of instances [begin, end) begins. Returns the first one's
  /// argument slots as the entry may read them; the others' follow.
  virtual Result<const char *> beginMinibatch(const InstanceSet &instances,
                                              size_t begin, size_t end) {
    return end > begin ? instances.arguments(begin) : nullptr;
  }
  /// The last flush is over: makes tensors in the `count` instances' result
  /// slots, which lie one behind the other, and in cells that these name, name
  /// host memory that is valid until the next minibatch.
  virtual Status fetchResults(char *slots, size_t count) {
    (void)slots, (void)count;
    return Status::success();
  }
  /// The minibatch has failed: forgets all that is left of it.
  virtual void abandon() {}

  /// What a device did since the last call.
  virtual DeviceStatistics takeStatistics() { return {}; }
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_EXECUTOR_H
