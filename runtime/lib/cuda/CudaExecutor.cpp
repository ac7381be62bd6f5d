//===- CudaExecutor.cpp - Runs batches on a GPU -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/CudaExecutor.h"

#include "core/KernelError.h"
#include "cuda/ArenaMemory.h"
#include "cuda/BatchTimer.h"
#include "cuda/DeviceParameters.h"
#include "cuda/Gather.h"
#include "cuda/InstanceUpload.h"
#include "cuda/Launcher.h"
#include "cuda/ResultFetch.h"
#include "cuda/TableUpload.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

using namespace dynbatch::rt;
using namespace dynbatch::rt::cuda;

namespace {

/// Reserved; only what is used becomes resident.
constexpr size_t kDriverStackBytes = size_t(8) << 20;

/// Adds the time of a scope to a figure.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds)
      : seconds(seconds), began(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
            .count();
  }

private:
  double &seconds;
  std::chrono::steady_clock::time_point began;
};

class CudaExecutor final : public Executor {
public:
  CudaExecutor(const Module &module, std::unique_ptr<Device> device,
               std::unique_ptr<Stream> stream,
               std::unique_ptr<TableUpload> tables,
               std::unique_ptr<HostStack> stack, Recorder *recorder)
      : module(module), device(std::move(device)), stream(std::move(stream)),
        driverStack(std::move(stack)), arenaMemory(*this->stream, driverStack),
        tables(std::move(tables)), launcher(*this->stream),
        scratch(*this->stream, "scratch"), gather(*this->stream),
        inputs(*this->stream, module.descriptor()),
        results(module.descriptor()), timer(*this->stream, recorder) {}
  ~CudaExecutor() override { waitForAnything(); }

  Status run(unsigned kernel, const int64_t *rows, int64_t count) override;
  bool runsLater() const override { return true; }
  Status endFlush() override;

  bool hasOwnMemory() const override { return true; }
  MemorySource &tensorMemory() override { return arenaMemory; }
  void request(Read &read) override {
    gather.add(read.address, read.bytes, &read.value);
  }
  Status readNow(Read &read) override;

  Result<void *const *> placeParameters(const ParameterSet &set) override;
  Result<const char *> beginMinibatch(const InstanceSet &instances,
                                      size_t begin, size_t end) override;
  Status fetchResults(char *slots, size_t count) override;
  void abandon() override;
  DeviceStatistics takeStatistics() override;

private:
  /// A batch of the flush at hand.
  struct Batch {
    unsigned kernel;
    int64_t count;
    size_t rows; ///< place in the tables
  };

  /// Gives the device all there is to do.
  Status submit();
  Status launchBatches();
  Status synchronize();
  void waitForAnything();
  /// What the host knows of device memory, or null.
  const void *hostCopy(int64_t address) const {
    const void *copy = inputs.hostCopies().find(address);
    return copy ? copy : params.hostCopies().find(address);
  }

  Module module;
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  DriverStack driverStack;
  ArenaMemory arenaMemory;
  std::unique_ptr<TableUpload> tables;
  Launcher launcher;
  DeviceBuffer scratch;
  Gather gather;
  DeviceParameters params;
  InstanceUpload inputs;
  ResultFetch results;
  BatchTimer timer;
  PinnedMemory readMemory; ///< of readNow
  std::vector<Batch> batches;
  DeviceStatistics statistics;
  int64_t launchesBefore = 0; ///< part of earlier statistics
  int64_t fetchedBefore = 0;
};

} // namespace

Status CudaExecutor::run(unsigned kernel, const int64_t *rows, int64_t count) {
  size_t bytes = static_cast<size_t>(count) *
                 module.descriptor().kernels[kernel].rowWords * sizeof(int64_t);
  Result<size_t> place = tables->add(bytes);
  if (!place.ok())
    return place.takeError();
  std::memcpy(tables->data(*place), rows, bytes);
  batches.push_back({kernel, count, *place});
  return Status::success();
}

Status CudaExecutor::endFlush() {
  if (batches.empty() && gather.empty())
    return Status::success();
  Device::Scope scope(*device);
  Status status = submit();
  if (status.ok() && !gather.empty()) {
    status = synchronize();
    if (status.ok())
      gather.deliver();
  }
  return status;
}

Status CudaExecutor::submit() {
  Stopwatch watch(statistics.launchSeconds);
  Status status = gather.empty() ? Status::success() : gather.prepare(*tables);
  size_t scratchBytes = 0;
  for (const Batch &batch : batches) {
    const Kernel &kernel = module.descriptor().kernels[batch.kernel];
    scratchBytes = std::max<size_t>(scratchBytes,
                                    kernel.scratchBytes +
                                        batch.count * kernel.rowScratchBytes);
  }
  if (status.ok())
    status = scratch.reserve(scratchBytes);
  if (status.ok() && tables->size()) {
    ++statistics.uploads;
    statistics.uploadedBytes += tables->size();
    status = tables->send();
  }
  if (status.ok() && !batches.empty())
    status = launchBatches();
  if (status.ok() && !gather.empty())
    status = gather.start(*tables, launcher);
  batches.clear();
  return status;
}

Status CudaExecutor::launchBatches() {
  Status status = timer.begin();
  Launcher::Active active(launcher);
  for (const Batch &batch : batches) {
    if (!status.ok())
      break;
    module.raw()->kernels[batch.kernel](
        reinterpret_cast<const int64_t *>(tables->address(batch.rows)),
        batch.count, reinterpret_cast<char *>(scratch.address()),
        reinterpret_cast<void *const *>(params.table()));
    status = takeKernelError();
    if (status.ok())
      status = timer.endBatch();
  }
  return status;
}

Status CudaExecutor::synchronize() {
  Stopwatch watch(statistics.waitSeconds);
  Status status = stream->synchronize();
  return status.ok() ? timer.collect() : std::move(status);
}

Status CudaExecutor::readNow(Read &read) {
  read.value = hostCopy(read.address);
  if (read.value)
    return Status::success();
  Status status = Status::success();
  driverStack.run([&] {
    Device::Scope scope(*device);
    status = readMemory.reserve(*device, std::max<size_t>(read.bytes, 1));
    if (status.ok() && read.bytes) {
      status =
          stream->download(readMemory.data(),
                           static_cast<CUdeviceptr>(read.address), read.bytes);
      if (status.ok())
        status = synchronize();
      statistics.fetchedBytes += read.bytes;
    }
  });
  read.value = readMemory.data();
  return status;
}

Result<void *const *> CudaExecutor::placeParameters(const ParameterSet &set) {
  Device::Scope scope(*device);
  Status status = params.place(*stream, module.descriptor(), set);
  if (!status.ok())
    return status;
  return params.addresses();
}

Result<const char *> CudaExecutor::beginMinibatch(const InstanceSet &instances,
                                                  size_t begin, size_t end) {
  Status status = device->usable();
  if (!status.ok())
    return status;
  Device::Scope scope(*device);
  status = timer.calibrate();
  if (!status.ok())
    return status;
  Result<const char *> arguments = inputs.send(instances, begin, end);
  if (inputs.bytes()) {
    ++statistics.uploads;
    statistics.uploadedBytes += inputs.bytes();
  }
  return arguments;
}

Status CudaExecutor::fetchResults(char *slots, size_t count) {
  Device::Scope scope(*device);
  results.collect(
      slots, count, [&](int64_t address) { return hostCopy(address); }, gather);
  Status status = gather.empty() ? Status::success() : submit();
  // Also when no result is a tensor: the error of a kernel must come up.
  if (status.ok() && !stream->idle())
    status = synchronize();
  if (status.ok())
    gather.deliver();
  return status;
}

void CudaExecutor::abandon() {
  batches.clear();
  gather.clear();
  tables->clear();
  timer.clear();
  waitForAnything();
}

void CudaExecutor::waitForAnything() {
  // What is in flight still uses memory. An error is told already, or of work
  // that nobody wants any more; if it is the context's, it comes up again.
  if (stream->idle())
    return;
  Device::Scope scope(*device);
  (void)stream->synchronize().ok();
}

DeviceStatistics CudaExecutor::takeStatistics() {
  DeviceStatistics result = statistics;
  result.launches = launcher.launches() - launchesBefore;
  result.fetchedBytes += gather.fetchedBytes() - fetchedBefore;
  statistics = {};
  launchesBefore = launcher.launches();
  fetchedBefore = gather.fetchedBytes();
  return result;
}

Result<std::unique_ptr<Executor>>
dynbatch::rt::createCudaExecutor(const Module &module, int ordinal,
                                 Recorder *recorder) {
  Result<std::unique_ptr<Device>> device = Device::open(ordinal);
  if (!device.ok())
    return device.takeError();
  Device::Scope scope(**device);
  Result<std::unique_ptr<Stream>> stream = Stream::create(**device);
  if (!stream.ok())
    return stream.takeError();
  Result<std::unique_ptr<TableUpload>> tables = TableUpload::create(**stream);
  if (!tables.ok())
    return tables.takeError();
  Result<std::unique_ptr<HostStack>> stack =
      HostStack::create(kDriverStackBytes);
  if (!stack.ok())
    return stack.takeError();
  return std::unique_ptr<Executor>(
      std::make_unique<CudaExecutor>(module, device.take(), stream.take(),
                                     tables.take(), stack.take(), recorder));
}
