//===- Program.cpp - Running programs from Python -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <chrono>
#include <exception>
#include <future>
#include <sstream>

namespace nb = nanobind;
using namespace dynbatch;
using namespace dynbatch::python;

/// How long a signal may wait.
static constexpr std::chrono::milliseconds kSignalPeriod(20);

Parameters dynbatch::python::loadParameters(const Module &module,
                                            const std::string &spec) {
  rt::Result<rt::ParameterSet> set =
      rt::ParameterSet::load(module.descriptor(), spec);
  if (!set.ok())
    check(set.takeError());
  return {set.take(), {}};
}

Parameters dynbatch::python::convertParameters(const Module &module,
                                               nb::dict values) {
  std::vector<rt::ParameterSet::Source> sources;
  std::vector<Array> arrays;
  for (const rt::Parameter &param : module.descriptor().params) {
    if (param.derived)
      continue;
    std::string path = "params['" + param.name + "']";
    nb::str key(param.name.c_str());
    if (!values.contains(key))
      throw nb::value_error(
          (path + ": missing, expected " + describeArray(param.type)).c_str());
    std::optional<Array> array = toArray(values[key]);
    if (!array)
      throw nb::type_error(
          (path + ": expected " + describeArray(param.type) + ", got " +
           nb::cast<std::string>(nb::inst_name(values[key])))
              .c_str());
    std::string wrong = mismatch(*array, param.type);
    if (!wrong.empty())
      throw nb::value_error((path + ": " + wrong).c_str());
    sources.push_back(
        {param.name, param.type.dtype, param.type.shape, array->data()});
    arrays.push_back(std::move(*array));
  }
  rt::Result<rt::ParameterSet> set =
      rt::ParameterSet::fromMemory(module.descriptor(), sources);
  if (!set.ok())
    check(set.takeError());
  return {set.take(), std::move(arrays)};
}

Program::Use::Use(Program &program) : program(program) {
  if (program.used.exchange(true))
    raise("BusyError", "another thread uses the program: run several programs, "
                       "or one after the other");
  if (program.program)
    return;
  program.used = false;
  raise("ClosedError", "the program is closed");
}

Program::Program(std::shared_ptr<Module> usedModule, Parameters params,
                 const rt::ProgramOptions &options)
    : module(std::move(usedModule)), arrays(std::move(params.arrays)) {
  rt::Result<std::unique_ptr<rt::Program>> created = [&] {
    nb::gil_scoped_release release;
    return rt::Program::create(module->code(), std::move(params.set), options);
  }();
  if (!created.ok())
    check(created.takeError());
  program = created.take();
}

rt::Status Program::runInterruptibly(const Instances &instances, size_t begin,
                                     size_t end, const rt::ResultSink &sink,
                                     std::exception_ptr &raised) {
  std::atomic<bool> stop{false};
  std::future<rt::Status> done = std::async(std::launch::async, [&] {
    // One thread state for all calls of the sink.
    nb::gil_scoped_acquire acquire;
    nb::gil_scoped_release release;
    return program->run(instances.set, begin, end, sink, &stop);
  });
  // Handlers of signals run in the main thread, which is this one.
  while (done.wait_for(kSignalPeriod) != std::future_status::ready) {
    nb::gil_scoped_acquire acquire;
    if (stop || PyErr_CheckSignals() == 0)
      continue;
    raised = std::make_exception_ptr(nb::python_error());
    stop = true;
  }
  return done.get();
}

nb::list Program::run(const Instances &instances, size_t begin, size_t end,
                      bool interruptible) {
  Use use(*this);
  nb::list results;
  std::exception_ptr raised;
  auto sink = [&](const rt::ResultView &result) {
    // The main thread writes it, too, when there is a signal.
    nb::gil_scoped_acquire acquire;
    if (raised)
      return;
    // The runtime is compiled without exceptions.
    try {
      results.append(convertResult(result, module->names()));
    } catch (...) {
      raised = std::current_exception();
    }
  };
  rt::Status status = [&] {
    nb::gil_scoped_release release;
    return interruptible
               ? runInterruptibly(instances, begin, end, sink, raised)
               : program->run(instances.set, begin, end, sink);
  }();
  if (raised)
    std::rethrow_exception(raised);
  if (!status.ok())
    raise("RunError", status.message());
  return results;
}

std::string Program::statistics() {
  Use use(*this);
  std::ostringstream stream;
  program->statistics().printJson(stream);
  return stream.str();
}

std::string Program::trace() {
  Use use(*this);
  std::ostringstream stream;
  program->writeTrace(stream);
  return stream.str();
}

void Program::close() {
  if (isClosed())
    return;
  Use use(*this);
  program.reset();
  arrays.clear();
}
