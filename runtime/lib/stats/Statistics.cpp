//===- Statistics.cpp - What a run did, counted -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Statistics.h"

#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

using namespace dynbatch::rt;
using nlohmann::ordered_json;

__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char buffer[256];
  va_list args;
  va_start(args, pattern);
  std::vsnprintf(buffer, sizeof(buffer), pattern, args);
  va_end(args);
  return buffer;
}

void Statistics::print(std::ostream &out) const {
  double overhead = flushSeconds - kernelSeconds;
  auto perTask = [&](double time) { return tasks ? 1e9 * time / tasks : 0.0; };
  auto count = [](int64_t n) { return static_cast<long long>(n); };

  out << format("minibatches       %12lld\n", count(minibatches));
  if (failedMinibatches)
    out << format("failed            %12lld\n", count(failedMinibatches));
  out << format("instances         %12lld\n", count(instances));
  out << format("tasks             %12lld\n", count(tasks));
  out << format("batches           %12lld   lower bound %lld\n", count(batches),
                count(lowerBound));
  out << format("flushes           %12lld\n", count(flushes));
  out << format("time              %12.3f ms\n", 1e3 * seconds);
  out << format("  host            %12.3f ms   %.1f ns a task\n",
                1e3 * hostSeconds, perTask(hostSeconds));
  out << format("  kernels         %12.3f ms\n", 1e3 * kernelSeconds);
  out << format("  flush overhead  %12.3f ms   %.1f ns a task\n",
                1e3 * overhead, perTask(overhead));
  out << format("arena peak        %12.3f MiB\n", arenaPeakBytes / 1048576.0);
  out << format("host heap peak    %12.3f MiB\n", heapPeakBytes / 1048576.0);
  out << format("memory mapped     %12.3f MiB   %.3f MiB of the process in "
                "huge pages\n",
                mappedBytes / 1048576.0, hugePageBytes / 1048576.0);
  out << format("page faults       %12lld\n", count(pageFaults));
  if (fiberPeak)
    out << format("fibers peak       %12lld   stacks %.3f MiB resident, "
                  "%.3f MiB reserved\n",
                  count(fiberPeak), fiberResidentBytes / 1048576.0,
                  fiberReservedBytes / 1048576.0);
  if (device.launches)
    out << format("device launches   %12lld   %.3f ms to start them\n",
                  count(device.launches), 1e3 * device.launchSeconds)
        << format("  waited for it   %12.3f ms\n", 1e3 * device.waitSeconds)
        << format("  uploads         %12lld   %.3f MiB, %.3f MiB back\n",
                  count(device.uploads), device.uploadedBytes / 1048576.0,
                  device.fetchedBytes / 1048576.0);
  if (kernels.empty())
    return;

  size_t width = 6;
  for (const KernelStatistics &kernel : kernels)
    width = std::max(width, kernel.name.size());
  auto pad = [width](std::string name) {
    name.resize(std::max(width, name.size()), ' ');
    return name;
  };
  out << '\n'
      << pad("kernel")
      << "  stage  batches   bound    tasks  rows min     mean      max"
         "    time ms  GFLOP/s\n";
  for (const KernelStatistics &kernel : kernels)
    out << pad(kernel.name)
        << format("  %5u %8lld %7lld %8lld  %8lld %8.1f %8lld %10.3f %8.1f\n",
                  kernel.stage, count(kernel.batches), count(kernel.lowerBound),
                  count(kernel.tasks), count(kernel.minRows), kernel.meanRows(),
                  count(kernel.maxRows), 1e3 * kernel.seconds, kernel.gflops());
}

void Statistics::printJson(std::ostream &out) const {
  ordered_json json;
  json["minibatches"] = minibatches;
  json["failed_minibatches"] = failedMinibatches;
  json["instances"] = instances;
  json["tasks"] = tasks;
  json["batches"] = batches;
  json["lower_bound"] = lowerBound;
  json["flushes"] = flushes;
  json["seconds"] = seconds;
  json["host_seconds"] = hostSeconds;
  json["flush_seconds"] = flushSeconds;
  json["kernel_seconds"] = kernelSeconds;
  json["flush_overhead_seconds"] = flushSeconds - kernelSeconds;
  json["arena_peak_bytes"] = arenaPeakBytes;
  json["heap_peak_bytes"] = heapPeakBytes;
  json["mapped_bytes"] = mappedBytes;
  json["huge_page_bytes"] = hugePageBytes;
  json["page_faults"] = pageFaults;
  json["fiber_peak"] = fiberPeak;
  json["fiber_reserved_bytes"] = fiberReservedBytes;
  json["fiber_resident_bytes"] = fiberResidentBytes;
  json["device_launches"] = device.launches;
  json["device_uploads"] = device.uploads;
  json["device_uploaded_bytes"] = device.uploadedBytes;
  json["device_fetched_bytes"] = device.fetchedBytes;
  json["device_launch_seconds"] = device.launchSeconds;
  json["device_wait_seconds"] = device.waitSeconds;
  ordered_json list = ordered_json::array();
  for (const KernelStatistics &kernel : kernels) {
    ordered_json entry;
    entry["name"] = kernel.name;
    entry["location"] = kernel.location;
    entry["stage"] = kernel.stage;
    entry["flops_per_task"] = kernel.flopsPerTask;
    entry["batches"] = kernel.batches;
    entry["lower_bound"] = kernel.lowerBound;
    entry["tasks"] = kernel.tasks;
    entry["min_rows"] = kernel.minRows;
    entry["mean_rows"] = kernel.meanRows();
    entry["max_rows"] = kernel.maxRows;
    entry["seconds"] = kernel.seconds;
    entry["gflops"] = kernel.gflops();
    entry["big_batches"] = kernel.bigBatches;
    entry["big_tasks"] = kernel.bigTasks;
    entry["big_seconds"] = kernel.bigSeconds;
    entry["big_gflops"] = kernel.bigGflops();
    list.push_back(std::move(entry));
  }
  json["kernels"] = std::move(list);
  out << json.dump(2, ' ', false, ordered_json::error_handler_t::replace)
      << '\n';
}
