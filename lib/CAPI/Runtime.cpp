//===- Runtime.cpp - C API of the runtime -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch-c/Runtime.h"

#include "Objects.h"
#include "dynbatch/Runtime/InstanceBuilder.h"
#include "dynbatch/Runtime/Program.h"

#include <atomic>
#include <optional>
#include <sstream>

using namespace dynbatch::rt;

struct DynbatchParameters {
  std::optional<ParameterSet> set; ///< none after it was given away
};

struct DynbatchInstances {
  std::shared_ptr<const DynbatchCode> code;
  InstanceSet set;
};

struct DynbatchInstanceBuilder {
  std::shared_ptr<const DynbatchCode> code;
  InstanceBuilder builder;
};

struct DynbatchProgram {
  std::shared_ptr<const DynbatchCode> code;
  std::unique_ptr<Program> program; ///< null after close
  std::atomic<bool> stop{false};
};

const char *dynbatchErrorGetMessage(const DynbatchError *error) {
  return error->message.c_str();
}

void dynbatchErrorDestroy(DynbatchError *error) { delete error; }

DynbatchError *dynbatchModuleLoad(const char *path, DynbatchModule **module) {
  Result<Module> loaded = Module::load(path);
  if (!loaded.ok())
    return toError(loaded.takeError());
  *module = new DynbatchModule{std::make_shared<const DynbatchCode>(
      DynbatchCode{nullptr, loaded.take()})};
  return nullptr;
}

void dynbatchModuleDestroy(DynbatchModule *module) { delete module; }

const char *dynbatchModuleGetDescriptor(const DynbatchModule *module) {
  return module->code->module.raw()->descriptor;
}

static DynbatchError *giveParameters(Result<ParameterSet> set,
                                     DynbatchParameters **parameters) {
  if (!set.ok())
    return toError(set.takeError());
  *parameters = new DynbatchParameters{set.take()};
  return nullptr;
}

DynbatchError *dynbatchParametersLoad(const DynbatchModule *module,
                                      const char *spec,
                                      DynbatchParameters **parameters) {
  return giveParameters(
      ParameterSet::load(module->code->module.descriptor(), spec), parameters);
}

DynbatchError *dynbatchParametersCreate(const DynbatchModule *module,
                                        const DynbatchTensor *tensors,
                                        size_t count,
                                        DynbatchParameters **parameters) {
  std::vector<ParameterSet::Source> sources;
  for (size_t i = 0; i < count; ++i) {
    const DynbatchTensor &tensor = tensors[i];
    std::optional<DType> dtype = parseDType(tensor.elementType);
    if (!dtype)
      return new DynbatchError{"parameter '" + std::string(tensor.name) +
                               "': '" + tensor.elementType +
                               "' is not an element type"};
    sources.push_back({tensor.name,
                       *dtype,
                       {tensor.shape, tensor.shape + tensor.rank},
                       tensor.data});
  }
  return giveParameters(
      ParameterSet::fromMemory(module->code->module.descriptor(), sources),
      parameters);
}

void dynbatchParametersDestroy(DynbatchParameters *parameters) {
  delete parameters;
}

DynbatchError *dynbatchInstancesParse(const DynbatchModule *module,
                                      const char *text, const char *name,
                                      DynbatchInstances **instances) {
  Result<InstanceSet> set =
      InstanceSet::fromText(module->code->module.descriptor(), text, name);
  if (!set.ok())
    return toError(set.takeError());
  *instances = new DynbatchInstances{module->code, set.take()};
  return nullptr;
}

size_t dynbatchInstancesGetSize(const DynbatchInstances *instances) {
  return instances->set.size();
}

void dynbatchInstancesDestroy(DynbatchInstances *instances) {
  delete instances;
}

DynbatchInstanceBuilder *
dynbatchInstanceBuilderCreate(const DynbatchModule *module) {
  return new DynbatchInstanceBuilder{
      module->code, InstanceBuilder(module->code->module.descriptor())};
}

void dynbatchInstanceBuilderDestroy(DynbatchInstanceBuilder *builder) {
  delete builder;
}

DynbatchError *
dynbatchInstanceBuilderAddInteger(DynbatchInstanceBuilder *builder,
                                  int64_t value) {
  return toError(builder->builder.addInteger(value));
}

DynbatchError *dynbatchInstanceBuilderAddFloat(DynbatchInstanceBuilder *builder,
                                               double value) {
  return toError(builder->builder.addFloat(value));
}

DynbatchError *
dynbatchInstanceBuilderAddTensor(DynbatchInstanceBuilder *builder,
                                 const void *data) {
  return toError(builder->builder.addTensor(data));
}

DynbatchError *
dynbatchInstanceBuilderBeginConstructor(DynbatchInstanceBuilder *builder,
                                        const char *name) {
  return toError(builder->builder.beginConstructor(std::string_view(name)));
}

DynbatchError *
dynbatchInstanceBuilderBeginSequence(DynbatchInstanceBuilder *builder) {
  return toError(builder->builder.beginSequence());
}

DynbatchError *dynbatchInstanceBuilderEnd(DynbatchInstanceBuilder *builder) {
  return toError(builder->builder.end());
}

DynbatchError *
dynbatchInstanceBuilderEndInstance(DynbatchInstanceBuilder *builder) {
  return toError(builder->builder.endInstance());
}

DynbatchInstances *
dynbatchInstanceBuilderFinish(DynbatchInstanceBuilder *builder) {
  return new DynbatchInstances{builder->code, builder->builder.finish()};
}

static DynbatchValue wrap(const ModuleDescriptor &descriptor,
                          const ValueView &value) {
  return {&descriptor, &value.type(), value.slotAddress()};
}

static ValueView unwrap(DynbatchValue value) {
  return {*static_cast<const ModuleDescriptor *>(value.descriptor),
          *static_cast<const Type *>(value.type),
          static_cast<const char *>(value.slot)};
}

DynbatchKind dynbatchValueGetKind(DynbatchValue value) {
  switch (unwrap(value).type().kind) {
  case Type::Kind::Scalar:
    return DynbatchKindScalar;
  case Type::Kind::Tensor:
    return DynbatchKindTensor;
  case Type::Kind::Adt:
    return DynbatchKindAdt;
  case Type::Kind::Sequence:
    break;
  }
  return DynbatchKindSequence;
}

const char *dynbatchValueGetElementType(DynbatchValue value) {
  return name(unwrap(value).type().dtype);
}

int64_t dynbatchValueGetInteger(DynbatchValue value) {
  return unwrap(value).integer();
}

double dynbatchValueGetFloat(DynbatchValue value) {
  return unwrap(value).number();
}

int64_t dynbatchValueGetRank(DynbatchValue value) {
  return static_cast<int64_t>(unwrap(value).type().shape.size());
}

const int64_t *dynbatchValueGetShape(DynbatchValue value) {
  return unwrap(value).type().shape.data();
}

const void *dynbatchValueGetData(DynbatchValue value) {
  return unwrap(value).tensorData();
}

const char *dynbatchValueGetConstructor(DynbatchValue value) {
  return unwrap(value).constructor().name.c_str();
}

int64_t dynbatchValueGetSize(DynbatchValue value) {
  ValueView view = unwrap(value);
  return view.type().kind == Type::Kind::Adt
             ? static_cast<int64_t>(view.numFields())
             : view.length();
}

DynbatchValue dynbatchValueGet(DynbatchValue value, int64_t index) {
  ValueView view = unwrap(value);
  return wrap(*static_cast<const ModuleDescriptor *>(value.descriptor),
              view.type().kind == Type::Kind::Adt ? view.field(index)
                                                  : view.element(index));
}

static void give(const std::string &text, DynbatchStringCallback callback,
                 void *userData) {
  callback(text.data(), text.size(), userData);
}

void dynbatchValuePrint(DynbatchValue value, DynbatchStringCallback callback,
                        void *userData) {
  std::string text;
  print(unwrap(value), text);
  give(text, callback, userData);
}

DynbatchProgramOptions dynbatchProgramOptionsGetDefault(void) {
  ProgramOptions defaults;
  return {defaults.threads,
          defaults.stats,
          defaults.trace,
          defaults.verifySchedule,
          defaults.memoryLimitBytes,
          defaults.fiberStackBytes,
          defaults.device};
}

DynbatchError *dynbatchProgramCreate(const DynbatchModule *module,
                                     DynbatchParameters *parameters,
                                     const DynbatchProgramOptions *given,
                                     DynbatchProgram **program) {
  if (!parameters->set)
    return new DynbatchError{"the parameters belong to another program"};
  DynbatchProgramOptions values =
      given ? *given : dynbatchProgramOptionsGetDefault();
  ProgramOptions options;
  options.threads = values.threads;
  options.stats = values.statistics;
  options.trace = values.trace;
  options.verifySchedule = values.verifySchedule;
  options.memoryLimitBytes = values.memoryLimit;
  options.fiberStackBytes = values.fiberStackSize;
  options.device = values.device;
  ParameterSet set = std::move(*parameters->set);
  parameters->set.reset();
  Result<std::unique_ptr<Program>> created =
      Program::create(module->code->module, std::move(set), options);
  if (!created.ok())
    return toError(created.takeError());
  *program = new DynbatchProgram{module->code, created.take()};
  return nullptr;
}

void dynbatchProgramClose(DynbatchProgram *program) {
  program->program.reset();
}

void dynbatchProgramDestroy(DynbatchProgram *program) { delete program; }

static DynbatchError *closedError() {
  return new DynbatchError{"the program is closed"};
}

DynbatchError *dynbatchProgramRun(DynbatchProgram *program,
                                  const DynbatchInstances *instances,
                                  size_t begin, size_t end,
                                  DynbatchResultCallback callback,
                                  void *userData) {
  if (!program->program)
    return closedError();
  if (instances->code != program->code)
    return new DynbatchError{"the instances belong to another module"};
  program->stop = false;
  const ModuleDescriptor &descriptor = program->code->module.descriptor();
  std::vector<DynbatchValue> values;
  return toError(program->program->run(
      instances->set, begin, end,
      [&](const ResultView &result) {
        values.clear();
        for (size_t i = 0; i < result.size(); ++i)
          values.push_back(wrap(descriptor, result.value(i)));
        callback(result.instance(), values.data(), values.size(), userData);
      },
      &program->stop));
}

void dynbatchProgramStop(DynbatchProgram *program) { program->stop = true; }

DynbatchError *dynbatchProgramGetStatistics(DynbatchProgram *program,
                                            DynbatchStringCallback callback,
                                            void *userData) {
  if (!program->program)
    return closedError();
  std::ostringstream stream;
  program->program->statistics().printJson(stream);
  give(stream.str(), callback, userData);
  return nullptr;
}

DynbatchError *dynbatchProgramGetTrace(DynbatchProgram *program,
                                       DynbatchStringCallback callback,
                                       void *userData) {
  if (!program->program)
    return closedError();
  std::ostringstream stream;
  program->program->writeTrace(stream);
  give(stream.str(), callback, userData);
  return nullptr;
}
