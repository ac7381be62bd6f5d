//===- Recorder.cpp - Statistics and trace of a program ---------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stats/Recorder.h"

#include "stats/ProcessMemory.h"

#include <algorithm>

using namespace dynbatch::rt;

static double inSeconds(Recorder::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// All counts zero, the kernels named.
static Statistics emptyStatistics(const ModuleDescriptor &descriptor) {
  Statistics result;
  for (const Kernel &kernel : descriptor.kernels) {
    KernelStatistics entry;
    entry.name = kernel.name;
    entry.location = kernel.location;
    entry.stage = kernel.stage;
    entry.flopsPerTask = kernel.flops;
    result.kernels.push_back(entry);
  }
  return result;
}

static void accumulate(KernelStatistics &sum, const KernelStatistics &part) {
  if (part.batches)
    sum.minRows =
        sum.batches ? std::min(sum.minRows, part.minRows) : part.minRows;
  sum.maxRows = std::max(sum.maxRows, part.maxRows);
  sum.batches += part.batches;
  sum.tasks += part.tasks;
  sum.seconds += part.seconds;
  sum.lowerBound += part.lowerBound;
  sum.bigBatches += part.bigBatches;
  sum.bigTasks += part.bigTasks;
  sum.bigSeconds += part.bigSeconds;
}

static void accumulate(DeviceStatistics &sum, const DeviceStatistics &part) {
  sum.launches += part.launches;
  sum.uploads += part.uploads;
  sum.uploadedBytes += part.uploadedBytes;
  sum.fetchedBytes += part.fetchedBytes;
  sum.launchSeconds += part.launchSeconds;
  sum.waitSeconds += part.waitSeconds;
}

static void accumulate(Statistics &sum, const Statistics &part) {
  sum.minibatches += part.minibatches;
  sum.failedMinibatches += part.failedMinibatches;
  sum.instances += part.instances;
  sum.tasks += part.tasks;
  sum.batches += part.batches;
  sum.flushes += part.flushes;
  sum.lowerBound += part.lowerBound;
  sum.seconds += part.seconds;
  sum.hostSeconds += part.hostSeconds;
  sum.flushSeconds += part.flushSeconds;
  sum.kernelSeconds += part.kernelSeconds;
  sum.arenaPeakBytes = std::max(sum.arenaPeakBytes, part.arenaPeakBytes);
  sum.heapPeakBytes = std::max(sum.heapPeakBytes, part.heapPeakBytes);
  sum.mappedBytes = std::max(sum.mappedBytes, part.mappedBytes);
  sum.hugePageBytes = std::max(sum.hugePageBytes, part.hugePageBytes);
  sum.pageFaults += part.pageFaults;
  sum.fiberPeak = std::max(sum.fiberPeak, part.fiberPeak);
  sum.fiberReservedBytes =
      std::max(sum.fiberReservedBytes, part.fiberReservedBytes);
  sum.fiberResidentBytes =
      std::max(sum.fiberResidentBytes, part.fiberResidentBytes);
  accumulate(sum.device, part.device);
  for (size_t i = 0; i < sum.kernels.size(); ++i)
    accumulate(sum.kernels[i], part.kernels[i]);
}

Recorder::Recorder(const ModuleDescriptor &descriptor, const Options &options)
    : descriptor(descriptor), options(options),
      graph(descriptor, options.stats, options.verify), trace(descriptor) {
  reset();
}

void Recorder::reset() {
  totals = emptyStatistics(descriptor);
  minibatch = totals;
}

void Recorder::beginMinibatch() {
  minibatch = emptyStatistics(descriptor);
  graph.clear();
  minibatchAnalysis = {};
  deferred.clear();
  inMinibatch = true;
  if (options.stats)
    faultsBefore = countPageFaults();
  minibatchBegan = now();
}

void Recorder::endMinibatch(bool ok, Time end, int64_t instances,
                            const Usage &usage) {
  if (options.trace)
    trace.add(
        {Trace::Event::Kind::Minibatch, minibatchBegan, end, 0, 0, instances});
  if (!options.stats)
    return;
  if (!ok) {
    minibatch = emptyStatistics(descriptor);
    minibatch.failedMinibatches = 1;
  } else {
    minibatch.minibatches = 1;
    minibatch.instances = instances;
    minibatch.seconds = inSeconds(end - minibatchBegan - minibatchAnalysis);
    minibatch.arenaPeakBytes = usage.arenaBytes;
    minibatch.heapPeakBytes = usage.heapBytes;
    minibatch.mappedBytes = usage.mappedBytes;
    minibatch.hugePageBytes = usage.hugePageBytes;
    minibatch.pageFaults = countPageFaults() - faultsBefore;
    minibatch.fiberPeak = usage.fibers;
    minibatch.fiberReservedBytes = usage.fiberReservedBytes;
    minibatch.fiberResidentBytes = usage.fiberResidentBytes;
    minibatch.device = usage.device;
    for (size_t k = 0; k < minibatch.kernels.size(); ++k) {
      minibatch.kernels[k].lowerBound = graph.longestChain(k);
      minibatch.lowerBound += minibatch.kernels[k].lowerBound;
    }
  }
  accumulate(totals, minibatch);
}

void Recorder::beginInstance(int64_t instance, uint64_t position) {
  if (options.verify)
    graph.beginInstance(instance, position);
}

void Recorder::host(Time began) {
  Time end = now();
  if (options.stats)
    minibatch.hostSeconds += inSeconds(end - began);
  if (options.trace)
    trace.add(
        {inMinibatch ? Trace::Event::Kind::Host : Trace::Event::Kind::Prologue,
         began, end});
}

void Recorder::beginFlush(const Queues &queues, const Arena &arena) {
  flushTasks = 0;
  flushAnalysis = {};
  if (!options.stats && !options.verify)
    return;
  Time began = now();
  graph.addPending(queues, arena);
  analysed(began);
}

void Recorder::analysed(Time began) {
  Clock::duration duration = now() - began;
  flushAnalysis += duration;
  minibatchAnalysis += duration;
}

void Recorder::endFlush(Time began) {
  // The end of a minibatch flushes also when nothing is pending.
  if (flushTasks == 0)
    return;
  Time end = now();
  if (options.stats) {
    ++minibatch.flushes;
    minibatch.flushSeconds += inSeconds(end - began - flushAnalysis);
  }
  if (options.trace)
    trace.add({Trace::Event::Kind::Flush, began, end, 0, 0, flushTasks});
}

Status Recorder::beforeBatch(unsigned kernel, int64_t depth,
                             const int64_t *rows, int64_t count,
                             const Arena &arena) {
  if (!options.stats && !options.verify)
    return Status::success();
  Time began = now();
  Status status = graph.addBatch(kernel, depth, rows, count, arena);
  analysed(began);
  return status;
}

void Recorder::countBatch(unsigned kernel, int64_t count) {
  flushTasks += count;
  if (!options.stats)
    return;
  KernelStatistics one;
  one.batches = 1;
  one.tasks = one.minRows = one.maxRows = count;
  if (count >= kBigBatchRows) {
    one.bigBatches = 1;
    one.bigTasks = count;
  }
  accumulate(minibatch.kernels[kernel], one);
  ++minibatch.batches;
  minibatch.tasks += count;
}

void Recorder::timeBatch(unsigned kernel, int64_t depth, int64_t count,
                         Time began, Time ended, bool onDevice) {
  if (options.stats) {
    double seconds = inSeconds(ended - began);
    minibatch.kernelSeconds += seconds;
    minibatch.kernels[kernel].seconds += seconds;
    if (count >= kBigBatchRows)
      minibatch.kernels[kernel].bigSeconds += seconds;
  }
  if (options.trace)
    trace.add({Trace::Event::Kind::Batch, began, ended, kernel, depth, count,
               onDevice});
}

void Recorder::afterBatch(unsigned kernel, int64_t depth, int64_t count,
                          Time began) {
  Time ended = now();
  countBatch(kernel, count);
  timeBatch(kernel, depth, count, began, ended, /*onDevice=*/false);
}

void Recorder::afterBatches(const std::vector<Batch> &batches, Time began) {
  Clock::duration wall = now() - began;
  double work = 0;
  for (const Batch &batch : batches)
    work += batch.seconds;
  double done = 0;
  auto timeAfter = [&](double seconds) {
    return work > 0 ? began + std::chrono::duration_cast<Clock::duration>(
                                  wall * (seconds / work))
                    : began;
  };
  for (const Batch &batch : batches) {
    countBatch(batch.kernel, batch.count);
    timeBatch(batch.kernel, batch.depth, batch.count, timeAfter(done),
              timeAfter(done + batch.seconds), /*onDevice=*/false);
    done += batch.seconds;
  }
}

void Recorder::deferBatch(unsigned kernel, int64_t depth, int64_t count) {
  countBatch(kernel, count);
  deferred.push_back({kernel, depth, count});
}

void Recorder::deferredBatchRan(Time began, Time ended) {
  DeferredBatch batch = deferred.front();
  deferred.pop_front();
  timeBatch(batch.kernel, batch.depth, batch.count, began, ended,
            /*onDevice=*/true);
}

void Recorder::fetchedResults(Time began) {
  Time ended = now();
  if (options.stats)
    minibatch.flushSeconds += inSeconds(ended - began);
  if (options.trace)
    trace.add({Trace::Event::Kind::Results, began, ended});
}
