//===- Program.cpp - Runs a compiled module on minibatches ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Program.h"

#include "core/Context.h"
#include "cpu/CpuExecutor.h"
#include "cuda/CudaExecutor.h"
#include "stats/ProcessMemory.h"

#include <ostream>
#include <vector>

using namespace dynbatch::rt;

class Program::Impl {
public:
  Impl(const Module &module, ParameterSet params,
       std::unique_ptr<Recorder> recorderInUse,
       std::unique_ptr<Executor> executorInUse, const ProgramOptions &options,
       std::unique_ptr<HostStack> stack)
      : module(module), params(std::move(params)),
        recorder(std::move(recorderInUse)), executor(std::move(executorInUse)),
        context(module.descriptor(), this->params.addresses(), *executor,
                std::move(stack), recorder->isOn() ? recorder.get() : nullptr,
                {options.memoryLimitBytes, options.verifySchedule,
                 options.schedule, options.fiberStackBytes}) {}

  /// Computes the derived parameters and gives all of them to the device.
  Status prepare() {
    Status status = module.raw()->prologue ? runPrologue() : Status::success();
    if (!status.ok() || !executor->hasOwnMemory())
      return status;
    Result<void *const *> placed = executor->placeParameters(params);
    if (!placed.ok())
      return placed.takeError();
    context.useDevice(*placed);
    return status;
  }

  Status runPrologue() {
    Status status = context.execute(
        [](void *self) {
          auto &impl = *static_cast<Impl *>(self);
          impl.module.raw()->prologue(&impl.context);
        },
        this);
    context.reset();
    context.releaseTemporaries();
    recorder->reset();
    return status.ok() ? std::move(status)
                       : Status::error("prologue: " + status.message());
  }

  Status run(const InstanceSet &instances, size_t begin, size_t end,
             const ResultSink &sink, const std::atomic<bool> *stop) {
    if (begin > end || end > instances.size())
      return Status::error("instances " + std::to_string(begin) + " to " +
                           std::to_string(end) + " of " +
                           std::to_string(instances.size()));
    const ModuleDescriptor &descriptor = module.descriptor();
    size_t stride = descriptor.results.bytes;
    // Never empty, so that the entry always gets an address.
    slots.resize((end - begin) * stride / sizeof(uint64_t) + 1);
    job = {&instances, begin, end, nullptr};
    context.stopOn(stop);

    if (recorder->isOn())
      recorder->beginMinibatch();
    Status status = compute();
    if (recorder->isOn()) {
      Recorder::Time ended = recorder->now();
      recorder->endMinibatch(status.ok(), ended, end - begin, memoryUsage());
    }
    if (status.ok())
      for (size_t i = begin; i < end; ++i)
        sink(ResultView(descriptor, i, resultSlots(i)));
    else
      status = locate(status);
    if (!status.ok()) {
      executor->abandon();
      // A device's memory may be what there was not enough of.
      if (executor->hasOwnMemory())
        context.releaseTensors();
    }
    context.reset();
    return status;
  }

  const Module module;
  ParameterSet params;
  std::unique_ptr<Recorder> recorder;

private:
  struct Job {
    const InstanceSet *instances = nullptr;
    size_t begin = 0;
    size_t end = 0;
    const char *arguments = nullptr; ///< of the first instance
  };

  /// The job, up to its results.
  Status compute() {
    Result<const char *> arguments =
        executor->beginMinibatch(*job.instances, job.begin, job.end);
    if (!arguments.ok())
      return arguments.takeError();
    job.arguments = *arguments;
    Status status =
        module.descriptor().parks
            ? context.executeOnFibers(
                  [](dynbatch_context *, char *self) {
                    reinterpret_cast<Impl *>(self)->runEntry();
                  },
                  reinterpret_cast<char *>(this), job.begin, job.end)
            : context.execute(
                  [](void *self) { static_cast<Impl *>(self)->runEntries(); },
                  this);
    if (!status.ok() || !executor->hasOwnMemory())
      return status;
    Recorder::Time began = recorder->now();
    status = executor->fetchResults(reinterpret_cast<char *>(slots.data()),
                                    job.end - job.begin);
    if (!status.ok())
      context.instance = -1;
    else if (recorder->isOn())
      recorder->fetchedResults(began);
    return status;
  }

  char *resultSlots(size_t instance) {
    return reinterpret_cast<char *>(slots.data()) +
           (instance - job.begin) * module.descriptor().results.bytes;
  }

  /// On the host stack: the instance program of each instance of the job.
  void runEntries() {
    for (size_t i = job.begin; i < job.end; ++i) {
      context.enterInstance(static_cast<int64_t>(i));
      runEntry();
    }
  }
  void runEntry() {
    context.leaveIfStopped();
    size_t instance = context.instance;
    module.raw()->entry(&context,
                        job.arguments + (instance - job.begin) *
                                            module.descriptor().inputs.bytes,
                        resultSlots(instance));
  }

  Recorder::Usage memoryUsage() {
    Recorder::Usage usage;
    // Counting resident pages takes a while.
    if (!recorder->hasStatistics())
      return usage;
    usage.arenaBytes = context.arenaUsed();
    usage.heapBytes = context.heapUsed();
    usage.mappedBytes = context.mappedBytes();
    // Only new memory changes it much.
    if (usage.mappedBytes != mappedBytes)
      hugePageBytes = countHugePageBytes();
    mappedBytes = usage.mappedBytes;
    usage.hugePageBytes = hugePageBytes;
    usage.fibers = context.takeFiberPeak();
    usage.fiberReservedBytes = context.fiberStacks().reservedBytes();
    usage.fiberResidentBytes = context.fiberStacks().residentBytes();
    usage.device = executor->takeStatistics();
    return usage;
  }

  /// Says in which instance the error came up.
  Status locate(const Status &status) {
    size_t instance = context.instance;
    if (context.instance < 0)
      return Status::error(status.message());
    std::string text =
        "instance " + std::to_string(instance) + ": " + status.message();
    if (int64_t line = job.instances->line(instance))
      text += " (" + job.instances->name() + ":" + std::to_string(line) + ")";
    return Status::error(std::move(text));
  }

  std::unique_ptr<Executor> executor;
  Context context;
  std::vector<uint64_t> slots; ///< results of the present minibatch
  Job job;
  int64_t mappedBytes = 0;   ///< at the end of the last minibatch
  int64_t hugePageBytes = 0; ///< when these became so many
};

Program::Program(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Program::~Program() = default;

/// The executor that the module's descriptor asks for.
static Result<std::unique_ptr<Executor>>
createExecutor(const Module &module, const ParameterSet &params,
               const ProgramOptions &options, Recorder &recorder) {
  if (module.descriptor().device == DeviceKind::Cuda)
    return createCudaExecutor(module, options.device,
                              options.stats || options.trace ? &recorder
                                                             : nullptr);
  return std::unique_ptr<Executor>(std::make_unique<CpuExecutor>(
      module, params.addresses(),
      CpuExecutor::Options{options.threads, options.grainRows,
                           options.grainFlops}));
}

Result<std::unique_ptr<Program>>
Program::create(const Module &module, ParameterSet params,
                const ProgramOptions &options) {
  if (params.size() != module.descriptor().params.size())
    return Status::error("the parameters belong to another module");
  if (options.threads == 0 || options.grainRows <= 0)
    return Status::error("threads and grainRows must be at least 1");
  Status fits = StackPool::check(options.fiberStackBytes);
  if (!fits.ok())
    return fits;
  Result<std::unique_ptr<HostStack>> stack =
      HostStack::create(options.stackBytes);
  if (!stack.ok())
    return stack.takeError();
  auto recorder = std::make_unique<Recorder>(
      module.descriptor(),
      Recorder::Options{options.stats, options.trace, options.verifySchedule});
  Result<std::unique_ptr<Executor>> executor =
      createExecutor(module, params, options, *recorder);
  if (!executor.ok())
    return executor.takeError();
  std::unique_ptr<Program> program(new Program(
      std::make_unique<Impl>(module, std::move(params), std::move(recorder),
                             executor.take(), options, stack.take())));
  Status status = program->impl->prepare();
  if (!status.ok())
    return status;
  return program;
}

Status Program::run(const InstanceSet &instances, size_t begin, size_t end,
                    const ResultSink &sink, const std::atomic<bool> *stop) {
  return impl->run(instances, begin, end, sink, stop);
}

const ModuleDescriptor &Program::descriptor() const {
  return impl->module.descriptor();
}

const Statistics &Program::statistics() const {
  return impl->recorder->total();
}

const Statistics &Program::lastStatistics() const {
  return impl->recorder->last();
}

void Program::resetStatistics() { impl->recorder->reset(); }

void Program::printStats(std::ostream &out) const { statistics().print(out); }

void Program::writeTrace(std::ostream &out) const {
  impl->recorder->writeTrace(out);
}
