//===- ProcessMemory.cpp - What the system says of this process -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stats/ProcessMemory.h"

#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>

int64_t dynbatch::rt::countPageFaults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

int64_t dynbatch::rt::countHugePageBytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string key;
  while (file >> key) {
    if (key == "AnonHugePages:") {
      int64_t kibibytes = 0;
      file >> kibibytes;
      return kibibytes * 1024;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}
