//===- Bindings.cpp - The extension module of the Python package -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace dynbatch;
using namespace dynbatch::python;

static rt::ProgramOptions toOptions(unsigned threads, bool stats, bool trace,
                                    bool verifySchedule,
                                    const std::string &schedule,
                                    size_t memoryLimit, size_t fiberStackBytes,
                                    int device) {
  rt::ProgramOptions options;
  options.threads = threads;
  options.stats = stats;
  options.trace = trace;
  options.verifySchedule = verifySchedule;
  options.memoryLimitBytes = memoryLimit;
  if (fiberStackBytes)
    options.fiberStackBytes = fiberStackBytes;
  options.device = device;
  if (schedule == "depth")
    options.schedule = rt::Schedule::Depth;
  else if (schedule == "agenda")
    options.schedule = rt::Schedule::Agenda;
  else if (schedule != "static")
    throw nb::value_error(
        ("schedule must be 'static', 'depth' or 'agenda', not '" + schedule +
         "'")
            .c_str());
  return options;
}

NB_MODULE(_core, m) {
  m.doc() = "What the package dynbatch is made of. Use the package.";

  nb::class_<Instances>(m, "Instances",
                        "Instances in the form in which programs read them, "
                        "for any number of runs.")
      .def("__len__", [](const Instances &self) { return self.set.size(); });

  nb::class_<Parameters>(m, "Parameters");

  nb::class_<Module>(m, "Module")
      .def_static(
          "compile",
          [](const Source &source, const std::string &target,
             const std::string &chip, const std::string &options,
             const std::vector<Source> &libraries, const std::string &cache,
             nb::object classes) {
            return Module::compile(source, {target, chip, options, libraries},
                                   cache, std::move(classes));
          },
          "source"_a, "target"_a, "chip"_a, "options"_a, "libraries"_a,
          "cache"_a, "classes"_a.none())
      .def_static("load", &Module::load, "path"_a, "classes"_a.none())
      .def_prop_ro("descriptor",
                   [](const Module &self) {
                     return std::string(self.code().raw()->descriptor);
                   })
      .def(
          "convert",
          [](const Module &self, nb::object values) {
            return convertInstances(self.descriptor(), self.names(), values);
          },
          "values"_a)
      .def(
          "parse",
          [](const Module &self, const std::string &text,
             const std::string &name) {
            auto set =
                rt::InstanceSet::fromText(self.descriptor(), text, name);
            if (!set.ok())
              throw nb::value_error(set.message().c_str());
            return Instances{set.take(), {}};
          },
          "text"_a, "name"_a)
      .def("load_parameters", &loadParameters, "spec"_a)
      .def("convert_parameters", &convertParameters, "arrays"_a);

  nb::class_<Program>(m, "Program")
      .def(
          "__init__",
          [](Program *self, std::shared_ptr<Module> module, Parameters &params,
             unsigned threads, bool stats, bool trace, bool verifySchedule,
             const std::string &schedule, size_t memoryLimit,
             size_t fiberStackBytes, int device) {
            new (self) Program(std::move(module), std::move(params),
                               toOptions(threads, stats, trace, verifySchedule,
                                         schedule, memoryLimit, fiberStackBytes,
                                         device));
          },
          "module"_a, "params"_a, "threads"_a, "stats"_a, "trace"_a,
          "verify_schedule"_a, "schedule"_a, "memory_limit"_a,
          "fiber_stack_bytes"_a, "device"_a)
      .def("run", &Program::run, "instances"_a, "begin"_a, "end"_a,
           "interruptible"_a)
      .def_prop_ro("statistics", &Program::statistics)
      .def_prop_ro("trace", &Program::trace)
      .def("close", &Program::close)
      .def_prop_ro("closed", &Program::isClosed);

  m.def(
      "lower",
      [](const Source &source, const std::string &target,
         const std::string &chip, const std::string &options,
         const std::vector<Source> &libraries) {
        return lower(source, {target, chip, options, libraries});
      },
      "source"_a, "target"_a, "chip"_a, "options"_a, "libraries"_a);
}
