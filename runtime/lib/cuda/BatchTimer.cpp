//===- BatchTimer.cpp - How long batches take on the device -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/BatchTimer.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

BatchTimer::~BatchTimer() {
  Device::Scope scope(stream.device());
  for (CUevent event : events)
    stream.device().driver().cuEventDestroy(event);
}

Result<CUevent> BatchTimer::record(size_t index) {
  Device &device = stream.device();
  while (events.size() <= index) {
    CUevent event = nullptr;
    Status status =
        device.check(device.driver().cuEventCreate(&event, CU_EVENT_DEFAULT),
                     "cuEventCreate");
    if (!status.ok())
      return status;
    events.push_back(event);
  }
  Status status = device.check(
      device.driver().cuEventRecord(events[index], stream.handle()),
      "cuEventRecord");
  if (!status.ok())
    return status;
  return events[index];
}

Status BatchTimer::calibrate() {
  if (!recorder)
    return Status::success();
  origin = recorder->now();
  return record(0).takeError();
}

Status BatchTimer::mark(bool endsBatch) {
  if (!recorder)
    return Status::success();
  Result<CUevent> event = record(used++);
  if (!event.ok())
    return event.takeError();
  marks.push_back({*event, endsBatch});
  return Status::success();
}

Status BatchTimer::begin() { return mark(/*endsBatch=*/false); }
Status BatchTimer::endBatch() { return mark(/*endsBatch=*/true); }

Status BatchTimer::collect() {
  Device &device = stream.device();
  Recorder::Time last = origin;
  for (const Mark &mark : marks) {
    float milliseconds = 0;
    Status status = device.check(device.driver().cuEventElapsedTime(
                                     &milliseconds, events.front(), mark.event),
                                 "cuEventElapsedTime");
    if (!status.ok())
      return status;
    Recorder::Time time =
        origin + std::chrono::duration_cast<Recorder::Clock::duration>(
                     std::chrono::duration<double, std::milli>(milliseconds));
    if (mark.endsBatch)
      recorder->deferredBatchRan(last, time);
    last = time;
  }
  clear();
  return Status::success();
}
