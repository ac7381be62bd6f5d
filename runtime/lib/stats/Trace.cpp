//===- Trace.cpp - Chrome trace events --------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stats/Trace.h"

#include <nlohmann/json.hpp>
#include <ostream>

using namespace dynbatch::rt;
using nlohmann::ordered_json;

Trace::Trace(const ModuleDescriptor &descriptor)
    : descriptor(descriptor), origin(std::chrono::steady_clock::now()) {}

void Trace::write(std::ostream &out) const {
  auto micros = [](Time::duration duration) {
    return std::chrono::duration<double, std::micro>(duration).count();
  };
  out << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  const char *separator = "\n";
  for (const Event &event : events) {
    ordered_json json;
    ordered_json args = ordered_json::object();
    switch (event.kind) {
    case Event::Kind::Prologue:
      json["name"] = "prologue";
      break;
    case Event::Kind::Minibatch:
      json["name"] = "minibatch";
      args["instances"] = event.count;
      break;
    case Event::Kind::Host:
      json["name"] = "host";
      break;
    case Event::Kind::Results:
      json["name"] = "results";
      break;
    case Event::Kind::Flush:
      json["name"] = "flush";
      args["tasks"] = event.count;
      break;
    case Event::Kind::Batch: {
      const Kernel &kernel = descriptor.kernels[event.kernel];
      json["name"] = kernel.name;
      args["kernel"] = kernel.name;
      args["stage"] = kernel.stage;
      args["depth"] = kernel.round(event.depth);
      if (kernel.turn == Turn::Steps)
        args["step"] = kernel.step(event.depth);
      args["tasks"] = event.count;
      break;
    }
    }
    json["cat"] = event.kind == Event::Kind::Batch ? "kernel" : "runtime";
    json["ph"] = "X";
    json["ts"] = micros(event.begin - origin);
    json["dur"] = micros(event.end - event.begin);
    json["pid"] = 1;
    json["tid"] = event.onDevice ? 2 : 1;
    json["args"] = args;
    out << separator
        << json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    separator = ",\n";
  }
  out << "\n]}\n";
}
