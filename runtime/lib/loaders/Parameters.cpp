//===- Parameters.cpp - Model weights ---------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Parameters.h"

#include "dynbatch/Runtime/ABI.h"
#include "loaders/ParameterStorage.h"
#include "loaders/RandomParameters.h"
#include "loaders/Safetensors.h"

#include <charconv>
#include <cstring>

using namespace dynbatch::rt;

static Status outOfMemory(const Parameter &param) {
  return Status::error("no memory for parameter '" + param.name + "' of type " +
                       param.type.str());
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

void *ParameterSet::Storage::add(const Type &type) {
  PageBlock block = PageBlock::map(type.dataBytes());
  if (!block.data())
    return nullptr;
  addresses.push_back(block.data());
  owned.push_back(std::move(block));
  return addresses.back();
}

Status ParameterSet::Storage::place(const Parameter &param, const void *data) {
  if (reinterpret_cast<uintptr_t>(data) % DYNBATCH_TENSOR_ALIGNMENT == 0) {
    addresses.push_back(const_cast<void *>(data));
    return Status::success();
  }
  void *copy = add(param.type);
  if (!copy)
    return outOfMemory(param);
  std::memcpy(copy, data, param.type.dataBytes());
  return Status::success();
}

ParameterSet::ParameterSet(std::unique_ptr<Storage> storage)
    : storage(std::move(storage)) {}
ParameterSet::ParameterSet(ParameterSet &&) = default;
ParameterSet &ParameterSet::operator=(ParameterSet &&) = default;
ParameterSet::~ParameterSet() = default;

size_t ParameterSet::size() const { return storage->addresses.size(); }
void *ParameterSet::data(size_t index) const {
  return storage->addresses[index];
}
void *const *ParameterSet::addresses() const {
  return storage->addresses.data();
}

Result<ParameterSet> ParameterSet::load(const ModuleDescriptor &descriptor,
                                        const std::string &spec) {
  const std::string prefix = "random:";
  if (spec.compare(0, prefix.size(), prefix) != 0)
    return fromSafetensors(descriptor, spec);
  uint64_t seed = 0;
  const char *end = spec.data() + spec.size();
  std::from_chars_result parsed =
      std::from_chars(spec.data() + prefix.size(), end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return Status::error("'" + spec +
                         "': the seed must be an integer from 0 to 2^64 - 1");
  return random(descriptor, seed);
}

Result<ParameterSet> ParameterSet::random(const ModuleDescriptor &descriptor,
                                          uint64_t seed) {
  auto storage = std::make_unique<Storage>();
  for (const Parameter &param : descriptor.params) {
    void *data = storage->add(param.type);
    if (!data)
      return outOfMemory(param);
    if (param.derived)
      continue;
    Status status = fillRandom(param, seed, data);
    if (!status.ok())
      return status;
  }
  return ParameterSet(std::move(storage));
}

Result<ParameterSet>
ParameterSet::fromSafetensors(const ModuleDescriptor &descriptor,
                              const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.takeError();
  Result<SafeTensors> tensors = readSafetensors(file->text());
  if (!tensors.ok())
    return Status::error(path + ": " + tensors.message());

  auto storage = std::make_unique<Storage>();
  for (const Parameter &param : descriptor.params) {
    if (param.derived) {
      if (!storage->add(param.type))
        return outOfMemory(param);
      continue;
    }
    auto fail = [&](const std::string &what) {
      return Status::error(path + ": parameter '" + param.name + "': " + what);
    };
    auto found = tensors->find(param.name);
    if (found == tensors->end())
      return fail("the file does not have it (expected " + param.type.str() +
                  ")");
    const SafeTensor &tensor = found->second;
    const char *dtype = safetensorsName(param.type.dtype);
    if (tensor.dtype != dtype)
      return fail(std::string("expected dtype ") + dtype + ", found " +
                  tensor.dtype);
    if (tensor.shape != param.type.shape)
      return fail("expected shape " + shapeText(param.type.shape) + ", found " +
                  shapeText(tensor.shape));
    Status status = storage->place(param, tensor.data);
    if (!status.ok())
      return status;
  }
  storage->file = file.take();
  return ParameterSet(std::move(storage));
}

Result<ParameterSet>
ParameterSet::fromMemory(const ModuleDescriptor &descriptor,
                         const std::vector<Source> &sources) {
  auto storage = std::make_unique<Storage>();
  for (const Parameter &param : descriptor.params) {
    if (param.derived) {
      if (!storage->add(param.type))
        return outOfMemory(param);
      continue;
    }
    auto fail = [&](const std::string &what) {
      return Status::error("parameter '" + param.name + "': " + what);
    };
    const Source *found = nullptr;
    for (const Source &source : sources)
      if (source.name == param.name)
        found = &source;
    if (!found)
      return fail("missing (expected " + param.type.str() + ")");
    if (found->dtype != param.type.dtype)
      return fail(std::string("expected dtype ") + name(param.type.dtype) +
                  ", found " + name(found->dtype));
    if (found->shape != param.type.shape)
      return fail("expected shape " + shapeText(param.type.shape) + ", found " +
                  shapeText(found->shape));
    Status status = storage->place(param, found->data);
    if (!status.ok())
      return status;
  }
  return ParameterSet(std::move(storage));
}

Status ParameterSet::saveSafetensors(const ModuleDescriptor &descriptor,
                                     const std::string &path) const {
  std::vector<SafeTensorSource> tensors;
  for (size_t i = 0; i < descriptor.params.size(); ++i) {
    const Parameter &param = descriptor.params[i];
    if (!param.derived)
      tensors.push_back({param.name, &param.type, data(i)});
  }
  return writeSafetensors(path, tensors);
}
