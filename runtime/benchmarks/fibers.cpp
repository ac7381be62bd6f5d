//===- fibers.cpp - What parking and spawning cost --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <time.h>

using namespace dynbatch::rt;

namespace {

constexpr int64_t kOperations = 100000;
constexpr int kRuns = 50;

#define ENTRY                                                                  \
  "\"entry\": {\"name\": \"main\", \"inputs\": [{\"kind\": \"scalar\", "       \
  "\"dtype\": \"i64\"}], \"results\": []}, \"adts\": [], \"params\": [], "     \
  "\"kernels\": [], \"stages\": []}"

void reads(dynbatch_context *ctx, const char *args, char *) {
  int64_t count;
  std::memcpy(&count, args, sizeof(count));
  for (int64_t i = 0; i < count; ++i)
    dynbatch_rt_flush(ctx);
}

template <bool parks>
void children(dynbatch_context *ctx, const char *args, char *) {
  int64_t count;
  std::memcpy(&count, args, sizeof(count));
  for (int64_t i = 0; i < count; ++i)
    dynbatch_rt_join(ctx, dynbatch_rt_spawn(
                              ctx,
                              [](dynbatch_context *ctx, char *) {
                                if (parks)
                                  dynbatch_rt_flush(ctx);
                              },
                              nullptr));
}

/// Of this thread, so that a busy machine counts less.
double secondsNow() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

/// Best nanoseconds an operation, when each of `instances` makes its share.
void measure(const char *what, const char *descriptor, dynbatch_entry_fn entry,
             int64_t instances) {
  dynbatch_module raw = {
      DYNBATCH_ABI_VERSION, 0, descriptor, entry, nullptr, nullptr};
  Result<Module> module = Module::create(&raw);
  Result<ParameterSet> params = ParameterSet::random(module->descriptor(), 0);
  Result<std::unique_ptr<Program>> program =
      Program::create(*module, params.take());
  int64_t share = kOperations / instances;
  std::string text;
  for (int64_t i = 0; i < instances; ++i)
    text += std::to_string(share) + "\n";
  Result<InstanceSet> set =
      InstanceSet::fromText(module->descriptor(), text, "benchmark");
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    double begin = secondsNow();
    Status status =
        (*program)->run(*set, 0, set->size(), [](const ResultView &) {});
    if (!status.ok()) {
      std::printf("%s\n", status.message().c_str());
      return;
    }
    double seconds = secondsNow() - begin;
    best = std::min(best, 1e9 * seconds / (share * instances));
  }
  std::printf("%-32s %6lld instances  %8.1f ns\n", what,
              static_cast<long long>(instances), best);
}

} // namespace

int main() {
  const char *plain = "{\"name\": \"plain\", " ENTRY;
  const char *parks = "{\"name\": \"parks\", \"parks\": true, " ENTRY;
  measure("flush at once", plain, reads, 1);
  for (int64_t instances : {1, 64, 1000, 10000})
    measure("park and resume", parks, reads, instances);
  measure("spawn and join, no fibers", plain, children<false>, 1);
  measure("spawn and join", parks, children<false>, 1);
  measure("spawn, park, resume and join", parks, children<true>, 1);
  for (int64_t instances : {64, 1000, 10000})
    measure("spawn, park, resume and join", parks, children<true>, instances);
  return 0;
}
