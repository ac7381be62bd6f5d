//===- FakeCuda.cpp - A CUDA driver without a GPU ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <sys/mman.h>
#include <utility>

using namespace dynbatch::rt::cuda;
using namespace dynbatch::rt::test;

namespace {

constexpr size_t kSpace = size_t(64) << 30;
/// What a program gets, as on a real device; tests choose what they need.
constexpr size_t kMemoryOfPrograms = kSpace / 2;
constexpr size_t kPage = 4096;

/// Work of a stream that has not been done.
struct Operation {
  std::function<CUresult()> run;
  const char *hostBegin = nullptr; ///< host memory that it needs
  const char *hostEnd = nullptr;
};

} // namespace

namespace dynbatch::rt::cuda {

struct CUctx_st {};
struct CUfunc_st {
  std::string name;
};
struct CUmod_st {
  std::string text;
  std::map<std::string, CUfunc_st> functions;
};
struct CUstream_st {
  std::deque<Operation> pending;
};
struct CUevent_st {
  CUstream_st *stream = nullptr;
  int recorded = 0; ///< times in a stream's pending operations
  double milliseconds = 0;
};

} // namespace dynbatch::rt::cuda

namespace {

thread_local std::vector<CUcontext> contexts;

class Fake final : public FakeCuda {
public:
  struct Kernel {
    int arguments;
    FakeKernel function;
    int error = 0;
  };

  Fake() {
    deviceSpace = map(PROT_NONE);
    realSpace = map(PROT_READ | PROT_WRITE);
    distance = reinterpret_cast<uintptr_t>(realSpace) -
               reinterpret_cast<uintptr_t>(deviceSpace);
    reset();
    if (const char *file = std::getenv("DYNBATCH_FAKE_CUDA_LOG")) {
      log.open(file);
      memory = kMemoryOfPrograms;
    }
  }
  ~Fake() {
    for (const std::string &text : complaints)
      write("violation: " + text);
    for (const std::string &text : leaks())
      write("leak: " + text);
  }

  void reset() override {
    std::lock_guard<std::recursive_mutex> lock(guard);
    devices = 1;
    memory = size_t(256) << 20;
    kernels.clear();
    calls.clear();
    complaints.clear();
    counts.clear();
    failFunction.clear();
    failed = false;
    lost = 0;
  }
  void setDevices(int count) override { devices = count; }
  void setMemory(size_t bytes) override { memory = bytes; }
  void addKernel(const char *name, int arguments, FakeKernel kernel) override {
    kernels[name] = {arguments, kernel};
  }
  void failKernel(const char *name, int error) override {
    kernels.at(name).error = error;
  }
  void failCall(const char *function, int call, int error) override {
    counts.clear();
    failFunction = function;
    failNumber = call;
    failError = error;
    failed = false;
  }
  bool hasFailed() const override { return failed; }
  std::vector<std::string> takeCalls() override {
    std::lock_guard<std::recursive_mutex> lock(guard);
    return std::exchange(calls, {});
  }
  std::vector<std::string> leaks() const override {
    std::vector<std::string> texts;
    auto add = [&](size_t count, const char *what) {
      if (count)
        texts.push_back(std::to_string(count) + " " + what);
    };
    add(allocations.size(), "blocks of device memory");
    add(pinned.size(), "blocks of pinned memory");
    add(live, "streams, events, modules or contexts");
    return texts;
  }
  std::vector<std::string> violations() const override { return complaints; }

  /// Begins a call of `function`: what it must return, or 0.
  CUresult enter(const char *function, bool needsContext = true,
                 bool note = true, const std::string &detail = "") {
    if (note) {
      calls.push_back(detail.empty() ? function
                                     : std::string(function) + " " + detail);
      write(calls.back());
    }
    if (needsContext && contexts.empty()) {
      complain(std::string(function) + " without a context");
      return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (++counts[function] == failNumber && failFunction == function) {
      failed = true;
      return failError;
    }
    return needsContext ? lost : 0;
  }

  void complain(std::string text) { complaints.push_back(std::move(text)); }

  /// Programs that nobody tells about kernels have a log instead, in which
  /// whatever an image has does nothing.
  bool acceptsAnyKernel() const { return log.is_open(); }
  void write(const std::string &text) {
    if (log.is_open())
      log << text << std::endl;
  }

  char *real(CUdeviceptr address) const {
    return reinterpret_cast<char *>(address + distance);
  }

  /// Is all of it in one block?
  bool isAllocated(CUdeviceptr address, size_t bytes) const {
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin())
      return false;
    --after;
    return address + bytes <= after->first + after->second;
  }

  CUresult allocate(CUdeviceptr *address, size_t bytes) {
    if (bytes == 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (bytes > memory || usedMemory > memory - bytes)
      return CUDA_ERROR_OUT_OF_MEMORY;
    // Never twice the same address, and a gap, so that errors are seen.
    *address = reinterpret_cast<uintptr_t>(deviceSpace) + nextOffset;
    nextOffset += (bytes + 2 * kPage - 1) / kPage * kPage;
    allocations[*address] = bytes;
    usedMemory += bytes;
    return 0;
  }

  CUresult release(CUdeviceptr address) {
    auto found = allocations.find(address);
    if (found == allocations.end()) {
      complain("cuMemFree of no memory");
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (CUstream_st *stream : streams)
      if (!stream->pending.empty() && streams.size() == 1)
        complain("cuMemFree while the device works");
    usedMemory -= found->second;
    madvise(real(address), found->second, MADV_DONTNEED);
    allocations.erase(found);
    return 0;
  }

  CUresult releasePinned(void *block) {
    auto found = pinned.find(block);
    if (found == pinned.end()) {
      complain("cuMemFreeHost of no memory");
      return CUDA_ERROR_INVALID_VALUE;
    }
    const char *begin = static_cast<char *>(block);
    for (CUstream_st *stream : streams)
      for (const Operation &operation : stream->pending)
        if (operation.hostBegin < begin + found->second &&
            begin < operation.hostEnd)
          complain("cuMemFreeHost of memory that the device uses");
    pinned.erase(found);
    std::free(block);
    return 0;
  }

  CUresult push(CUstream stream, Operation operation) {
    stream->pending.push_back(std::move(operation));
    return 0;
  }

  /// Does what `stream` has to do; up to `event` unless that is null.
  CUresult drain(CUstream stream, CUevent event = nullptr) {
    while (!stream->pending.empty() && (!event || event->recorded)) {
      Operation operation = std::move(stream->pending.front());
      stream->pending.pop_front();
      if (lost)
        continue;
      if (CUresult error = operation.run())
        lost = error;
    }
    return lost;
  }

  std::recursive_mutex guard;
  std::set<CUstream_st *> streams;
  std::map<void *, size_t> pinned;
  std::map<std::string, Kernel> kernels;
  int devices;
  size_t memory;
  size_t usedMemory = 0;
  int live = 0;
  double clock = 0; ///< of the device, in milliseconds
  CUresult lost = 0;
  uint64_t distance;
  CUctx_st context;

private:
  static char *map(int protection) {
    void *space = mmap(nullptr, kSpace, protection,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space == MAP_FAILED ? nullptr : static_cast<char *>(space);
  }

  char *deviceSpace;
  char *realSpace;
  size_t nextOffset = kPage;
  std::map<CUdeviceptr, size_t> allocations;
  std::ofstream log;
  std::vector<std::string> calls;
  std::vector<std::string> complaints;
  std::map<std::string, int> counts;
  std::string failFunction;
  int failNumber = 0;
  CUresult failError = 0;
  bool failed = false;
};

Fake &fake() {
  static Fake instance;
  return instance;
}

} // namespace

#define LOCK std::lock_guard<std::recursive_mutex> lock(fake().guard)
/// Begins a function of the driver.
#define ENTER(...)                                                             \
  LOCK;                                                                        \
  if (CUresult error = fake().enter(__VA_ARGS__))                              \
    return error;

extern "C" {

FakeCuda *dynbatchFakeCuda() { return &fake(); }

CUresult cuInit(unsigned) {
  ENTER("cuInit", false);
  return fake().devices ? 0 : CUDA_ERROR_NO_DEVICE;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  switch (error) {
  case CUDA_ERROR_INVALID_VALUE:
    *name = "CUDA_ERROR_INVALID_VALUE";
    return 0;
  case CUDA_ERROR_OUT_OF_MEMORY:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return 0;
  case CUDA_ERROR_NO_DEVICE:
    *name = "CUDA_ERROR_NO_DEVICE";
    return 0;
  case CUDA_ERROR_INVALID_PTX:
    *name = "CUDA_ERROR_INVALID_PTX";
    return 0;
  case CUDA_ERROR_NOT_FOUND:
    *name = "CUDA_ERROR_NOT_FOUND";
    return 0;
  case CUDA_ERROR_ILLEGAL_ADDRESS:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return 0;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "some text";
  return 0;
}

CUresult cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount", false, false);
  *count = fake().devices;
  return 0;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER("cuDeviceGet", false, false);
  *device = 100 + ordinal;
  return 0;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  ENTER("cuDeviceGetAttribute", false, false);
  static const int values[] = {0,  1024,       1024,  1024,
                               64, 2147483647, 65535, 65535};
  *value = attribute < 8 ? values[attribute] : 200000;
  return 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  ++fake().live;
  *context = &fake().context;
  return 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  ENTER("cuDevicePrimaryCtxRelease", false);
  --fake().live;
  return 0;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  contexts.push_back(context);
  return 0;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER("cuMemGetInfo", true, false);
  *total = fake().memory;
  *free = fake().memory - fake().usedMemory;
  return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER("cuMemAlloc");
  return fake().allocate(address, bytes);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  LOCK;
  CUresult error = fake().enter("cuMemFree");
  // A lost context's memory is gone all the same.
  CUresult result = fake().release(address);
  return error ? error : result;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  ENTER("cuMemHostAlloc");
  *memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  fake().pinned[*memory] = bytes;
  return 0;
}

CUresult cuMemFreeHost(void *memory) {
  LOCK;
  CUresult error = fake().enter("cuMemFreeHost");
  CUresult result = fake().releasePinned(memory);
  return error ? error : result;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  ENTER("cuMemcpyHtoDAsync");
  if (!fake().isAllocated(to, bytes)) {
    fake().complain("cuMemcpyHtoDAsync to no memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  const char *begin = static_cast<const char *>(from);
  return fake().push(stream, {[=] {
                                std::memcpy(fake().real(to), from, bytes);
                                return 0;
                              },
                              begin, begin + bytes});
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  ENTER("cuMemcpyDtoHAsync");
  if (!fake().isAllocated(from, bytes)) {
    fake().complain("cuMemcpyDtoHAsync from no memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  const char *begin = static_cast<const char *>(to);
  return fake().push(stream, {[=] {
                                std::memcpy(to, fake().real(from), bytes);
                                return 0;
                              },
                              begin, begin + bytes});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
                         CUstream stream) {
  ENTER("cuMemsetD8Async");
  if (!fake().isAllocated(to, bytes)) {
    fake().complain("cuMemsetD8Async of no memory");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return fake().push(stream, {[=] {
                       std::memset(fake().real(to), value, bytes);
                       return 0;
                     }});
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  ENTER("cuStreamCreate");
  *stream = new CUstream_st;
  fake().streams.insert(*stream);
  ++fake().live;
  return 0;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  LOCK;
  fake().enter("cuStreamDestroy");
  if (!stream->pending.empty() && !fake().lost)
    fake().complain("cuStreamDestroy of a stream that works");
  fake().streams.erase(stream);
  delete stream;
  --fake().live;
  return 0;
}

CUresult cuStreamSynchronize(CUstream stream) {
  LOCK;
  CUresult error = fake().enter("cuStreamSynchronize");
  CUresult result = fake().drain(stream);
  return error ? error : result;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  ENTER("cuEventCreate");
  *event = new CUevent_st;
  ++fake().live;
  return 0;
}

CUresult cuEventDestroy_v2(CUevent event) {
  LOCK;
  fake().enter("cuEventDestroy");
  if (event->recorded && !fake().lost)
    fake().drain(event->stream, event);
  delete event;
  --fake().live;
  return 0;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER("cuEventRecord");
  ++event->recorded;
  event->stream = stream;
  return fake().push(stream, {[=] {
                       --event->recorded;
                       event->milliseconds = fake().clock;
                       return 0;
                     }});
}

CUresult cuEventSynchronize(CUevent event) {
  ENTER("cuEventSynchronize");
  return event->recorded ? fake().drain(event->stream, event) : fake().lost;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  ENTER("cuEventElapsedTime");
  if (begin->recorded || end->recorded) {
    fake().complain("cuEventElapsedTime of an event that waits");
    return CUDA_ERROR_INVALID_VALUE;
  }
  *milliseconds = static_cast<float>(end->milliseconds - begin->milliseconds);
  return 0;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values) {
  ENTER("cuModuleLoadDataEx");
  std::string text = static_cast<const char *>(image);
  if (size_t wrong = text.find("nonsense"); wrong != std::string::npos) {
    char *log = nullptr;
    size_t bytes = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        log = static_cast<char *>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        bytes = reinterpret_cast<uintptr_t>(values[i]);
    }
    if (log)
      std::strncpy(log, "ptxas application ptx input, line 1; error\n", bytes);
    return CUDA_ERROR_INVALID_PTX;
  }
  *module = new CUmod_st{text, {}};
  ++fake().live;
  return 0;
}

CUresult cuModuleUnload(CUmodule module) {
  LOCK;
  fake().enter("cuModuleUnload");
  delete module;
  --fake().live;
  return 0;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  ENTER("cuModuleGetFunction");
  // Binaries keep their secrets.
  bool isText = module->text.find(".entry ") != std::string::npos;
  size_t entry = module->text.find(".entry " + std::string(name) + "(");
  if (isText ? entry == std::string::npos : !fake().acceptsAnyKernel())
    return CUDA_ERROR_NOT_FOUND;
  if (fake().acceptsAnyKernel()) {
    int arguments = 0;
    size_t end = isText ? module->text.find(')', entry) : 0;
    for (size_t at = entry;
         isText && (at = module->text.find(".param ", at)) < end; ++at)
      ++arguments;
    fake().kernels.try_emplace(
        name, Fake::Kernel{arguments, [](const FakeLaunch &) {}});
  }
  if (!fake().kernels.count(name))
    return CUDA_ERROR_NOT_FOUND;
  *function = &module->functions.emplace(name, CUfunc_st{name}).first->second;
  return 0;
}

#ifndef DYNBATCH_FAKE_OLD_DRIVER
CUresult cuFuncSetAttribute(CUfunction, int, int) {
  ENTER("cuFuncSetAttribute");
  return 0;
}
#endif

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, CUstream stream,
                        void **arguments, void **) {
  ENTER("cuLaunchKernel", true, true, function->name);
  Fake::Kernel &kernel = fake().kernels.at(function->name);
  std::vector<uint64_t> values(kernel.arguments);
  for (int i = 0; i < kernel.arguments; ++i)
    std::memcpy(&values[i], arguments[i], sizeof(uint64_t));
  std::string shape = "  blocks " + std::to_string(gridX) + " threads " +
                      std::to_string(blockX) + " arguments";
  for (uint64_t value : values)
    shape +=
        fake().isAllocated(value, 1) ? " device" : " " + std::to_string(value);
  fake().write(shape);
  return fake().push(stream, {[=, &kernel] {
                       if (kernel.error)
                         return kernel.error;
                       kernel.function({{gridX, gridY, gridZ},
                                        {blockX, blockY, blockZ},
                                        sharedBytes,
                                        values.data(),
                                        fake().distance});
                       fake().clock += 1;
                       return 0;
                     }});
}

} // extern "C"
