//===- TableUpload.cpp - Tables for the device, in one copy -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/TableUpload.h"

#include "dynbatch/Runtime/ABI.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

Result<std::unique_ptr<TableUpload>> TableUpload::create(Stream &stream) {
  std::unique_ptr<TableUpload> upload(new TableUpload(stream));
  Device &device = stream.device();
  for (Side &side : upload->sides) {
    Status status = device.check(
        device.driver().cuEventCreate(&side.copied, CU_EVENT_DISABLE_TIMING),
        "cuEventCreate");
    if (!status.ok())
      return status;
  }
  return upload;
}

TableUpload::~TableUpload() {
  Device::Scope scope(stream.device());
  for (Side &side : sides)
    if (side.copied)
      stream.device().driver().cuEventDestroy(side.copied);
}

Status TableUpload::wait() {
  Side &side = sides[current];
  if (!std::exchange(side.inFlight, false) ||
      side.sentAt != stream.synchronizations())
    return Status::success();
  Device::Scope scope(stream.device());
  return stream.device().check(
      stream.device().driver().cuEventSynchronize(side.copied),
      "cuEventSynchronize");
}

Result<size_t> TableUpload::add(size_t bytes) {
  constexpr size_t kUnit = DYNBATCH_TENSOR_ALIGNMENT;
  if (used == 0) {
    Status status = wait();
    if (!status.ok())
      return status;
  }
  PinnedMemory &memory = sides[current].memory;
  size_t place = used;
  size_t end = place + ((bytes + kUnit - 1) & ~(kUnit - 1));
  if (end > memory.size()) {
    PinnedMemory old = std::move(memory);
    memory = PinnedMemory();
    Status status =
        memory.reserve(stream.device(), std::max(end, 2 * old.size()));
    if (!status.ok()) {
      memory = std::move(old);
      return status;
    }
    if (place)
      std::memcpy(memory.data(), old.data(), place);
  }
  used = end;
  return place;
}

Status TableUpload::send() {
  Status status = buffer.reserve(used);
  if (!status.ok() || used == 0)
    return status;
  Side &side = sides[current];
  status = stream.upload(buffer.address(), side.memory.data(),
                         std::exchange(used, 0));
  if (!status.ok())
    return status;
  side.inFlight = true;
  side.sentAt = stream.synchronizations();
  current ^= 1;
  return stream.device().check(
      stream.device().driver().cuEventRecord(side.copied, stream.handle()),
      "cuEventRecord");
}
