//===- BatchTimer.h - How long batches take on the device -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CUDA_BATCHTIMER_H
#define DYNBATCH_LIB_CUDA_BATCHTIMER_H

#include "cuda/Stream.h"
#include "stats/Recorder.h"

#include <vector>

namespace dynbatch::rt::cuda {

/// Marks the beginnings and ends of batches in a stream. Does nothing without a
/// recorder. But for the destructor, functions need the device's Scope.
class BatchTimer {
public:
  BatchTimer(Stream &stream, Recorder *recorder)
      : stream(stream), recorder(recorder) {}
  BatchTimer(const BatchTimer &) = delete;
  BatchTimer &operator=(const BatchTimer &) = delete;
  ~BatchTimer();

  /// The device has nothing to do: its clock is compared with the host's.
  Status calibrate();
  /// Batches begin here.
  Status begin();
  /// A batch ends here, and the next one begins.
  Status endBatch();
  /// The device is done: gives all times to the recorder.
  Status collect();
  /// Forgets what was not collected.
  void clear() { marks.clear(), used = 1; }

private:
  struct Mark {
    CUevent event;
    bool endsBatch;
  };
  Result<CUevent> record(size_t index);
  Status mark(bool endsBatch);

  Stream &stream;
  Recorder *recorder;
  std::vector<CUevent> events; ///< the first one is that of `calibrate`
  size_t used = 1;
  std::vector<Mark> marks;
  Recorder::Time origin;
};

} // namespace dynbatch::rt::cuda

#endif // DYNBATCH_LIB_CUDA_BATCHTIMER_H
