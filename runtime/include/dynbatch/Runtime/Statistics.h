//===- Statistics.h - What a run did, counted -------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_STATISTICS_H
#define DYNBATCH_RUNTIME_STATISTICS_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace dynbatch::rt {

/// Rows from which a batch counts as big: the register tile of a kernel is
/// full.
constexpr int64_t kBigBatchRows = 12;

struct KernelStatistics {
  std::string name;
  std::string location;
  unsigned stage = 0;
  int64_t flopsPerTask = 0; ///< 0 when unknown
  int64_t batches = 0;
  int64_t tasks = 0;
  int64_t minRows = 0; ///< fewest tasks in a batch; 0 without batches
  int64_t maxRows = 0;
  double seconds = 0;     ///< in the kernel, wall clock (GPU: the device's)
  int64_t lowerBound = 0; ///< longest chain of its tasks, see RuntimeABI.md
  /// The part of the batches that have at least kBigBatchRows rows.
  int64_t bigBatches = 0;
  int64_t bigTasks = 0;
  double bigSeconds = 0;

  double meanRows() const { return batches ? double(tasks) / batches : 0; }
  double gflops() const {
    return seconds > 0 ? 1e-9 * flopsPerTask * tasks / seconds : 0;
  }
  double bigGflops() const {
    return bigSeconds > 0 ? 1e-9 * flopsPerTask * bigTasks / bigSeconds : 0;
  }
};

/// What a device with memory of its own was asked to do. All zero for others.
struct DeviceStatistics {
  int64_t launches = 0;      ///< of GPU kernels
  int64_t uploads = 0;       ///< copies to the device
  int64_t uploadedBytes = 0; ///< in them
  int64_t fetchedBytes = 0;  ///< copied back
  double launchSeconds = 0;  ///< the host's, to start copies and launches
  double waitSeconds = 0;    ///< the host's, until the device is done
};

/// Counts of one minibatch, or of all of them together.
struct Statistics {
  int64_t minibatches = 0;
  int64_t failedMinibatches = 0; ///< not counted in anything below
  int64_t instances = 0;
  int64_t tasks = 0;
  int64_t batches = 0;
  int64_t flushes = 0;
  int64_t lowerBound = 0;     ///< of batches: sum over kernels
  double seconds = 0;         ///< wall clock of Program::run without the sink
  double hostSeconds = 0;     ///< in entry functions, without their flushes
  double flushSeconds = 0;    ///< in flushes, kernels included
  double kernelSeconds = 0;   ///< in kernels; on a GPU the device's time
  int64_t arenaPeakBytes = 0; ///< tensors of the largest minibatch
  int64_t heapPeakBytes = 0;  ///< host cells of the largest minibatch
  int64_t mappedBytes = 0;    ///< host memory kept for both and temporaries
  int64_t hugePageBytes = 0;  ///< of the process in huge pages, when mapped
  int64_t pageFaults = 0;     ///< of the process during minibatches
  int64_t fiberPeak = 0;      ///< most fibers at once
  int64_t fiberReservedBytes = 0;        ///< address space of all fiber stacks
  int64_t fiberResidentBytes = 0;        ///< the part of it that is in memory
  DeviceStatistics device;               ///< parameters not counted
  std::vector<KernelStatistics> kernels; ///< in descriptor order

  /// A short aligned table.
  void print(std::ostream &out) const;
  /// One JSON object, for scripts; keys as the fields here in snake_case.
  void printJson(std::ostream &out) const;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_STATISTICS_H
