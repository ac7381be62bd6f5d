//===- InstanceBuilder.cpp - Instances value by value -----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/InstanceBuilder.h"

#include "dynbatch/Runtime/ABI.h"
#include "loaders/InstanceStorage.h"
#include "loaders/Scalars.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace dynbatch::rt;

static Status outOfMemory() {
  return Status::error("out of memory for the instances");
}

InstanceBuilder::InstanceBuilder(const ModuleDescriptor &descriptor,
                                 std::string name)
    : descriptor(descriptor), name(std::move(name)) {
  reset();
}

InstanceBuilder::~InstanceBuilder() = default;

void InstanceBuilder::reset() {
  storage = std::make_unique<InstanceSet::Storage>();
  storage->name = name;
  storage->argumentWords = descriptor.inputs.bytes / sizeof(uint64_t);
  dropInstance();
}

void InstanceBuilder::dropInstance() {
  values.clear();
  scopes.assign(1, {Scope::Kind::Instance, &descriptor.inputs, nullptr, nullptr,
                    0, 0, 0});
}

Status InstanceBuilder::expect(Type::Kind kind) {
  const Type *type = next();
  if (type && type->kind == kind)
    return Status::success();
  if (type)
    return Status::error("expected a value of type " + type->str());
  const Scope &top = scope();
  std::string size = std::to_string(top.fields->types.size());
  if (top.kind == Scope::Kind::Constructor)
    return Status::error("constructor '" + top.ctor->name + "' has only " +
                         size + " fields");
  return Status::error("the entry has only " + size + " inputs");
}

Status InstanceBuilder::addScalar(uint64_t bits) {
  Status status = expect(Type::Kind::Scalar);
  if (!status.ok())
    return status;
  ++scopes.back().count;
  values.push_back(bits);
  return status;
}

Status InstanceBuilder::addInteger(int64_t value) {
  const Type *type = next();
  if (type && type->kind == Type::Kind::Scalar) {
    if (isFloat(type->dtype))
      return Status::error("expected a value of type " + type->str() +
                           ", not an integer");
    int64_t least, most;
    integerRange(type->dtype, least, most);
    if (value < least || value > most)
      return Status::error(
          outOfIntegerRange(type->dtype, std::to_string(value)));
    return addScalar(integerBits(type->dtype, value));
  }
  return expect(Type::Kind::Scalar);
}

Status InstanceBuilder::addFloat(double value) {
  const Type *type = next();
  if (type && type->kind == Type::Kind::Scalar) {
    if (!isFloat(type->dtype))
      return Status::error("expected a value of type " + type->str() +
                           ", not a float");
    bool infinite;
    uint64_t bits = floatBits(type->dtype, value, infinite);
    if (infinite && !std::isinf(value))
      return Status::error(std::to_string(value) + " is out of range for " +
                           type->str());
    return addScalar(bits);
  }
  return expect(Type::Kind::Scalar);
}

Result<char *> InstanceBuilder::addTensor() {
  Status status = expect(Type::Kind::Tensor);
  if (!status.ok())
    return status;
  constexpr size_t kUnit = DYNBATCH_TENSOR_ALIGNMENT;
  size_t bytes = std::max<size_t>(next()->dataBytes(), 1);
  char *data = storage->tensors.allocate((bytes + kUnit - 1) & ~(kUnit - 1));
  if (!data)
    return outOfMemory();
  ++scopes.back().count;
  values.push_back(reinterpret_cast<uintptr_t>(data));
  values.push_back(0); // the stamp: ready
  return data;
}

Status InstanceBuilder::addTensor(const void *data) {
  if (reinterpret_cast<uintptr_t>(data) % DYNBATCH_TENSOR_ALIGNMENT != 0) {
    const Type *type = next();
    Result<char *> copy = addTensor();
    if (!copy.ok())
      return copy.takeError();
    std::memcpy(*copy, data, type->dataBytes());
    return Status::success();
  }
  Status status = expect(Type::Kind::Tensor);
  if (!status.ok())
    return status;
  ++scopes.back().count;
  values.push_back(reinterpret_cast<uintptr_t>(data));
  values.push_back(0); // the stamp: ready
  return status;
}

Status InstanceBuilder::beginConstructor(unsigned tag) {
  Status status = expect(Type::Kind::Adt);
  if (!status.ok())
    return status;
  const Adt &adt = descriptor.adts[next()->adt];
  if (tag >= adt.ctors.size())
    return Status::error("ADT '" + adt.name + "' has no constructor number " +
                         std::to_string(tag));
  ++scopes.back().count;
  const Constructor &ctor = adt.ctors[tag];
  scopes.push_back({Scope::Kind::Constructor, &ctor.fields, nullptr, &ctor, tag,
                    0, values.size()});
  return status;
}

Status InstanceBuilder::beginConstructor(std::string_view name) {
  Status status = expect(Type::Kind::Adt);
  if (!status.ok())
    return status;
  const Adt &adt = descriptor.adts[next()->adt];
  for (size_t tag = 0; tag < adt.ctors.size(); ++tag)
    if (adt.ctors[tag].name == name)
      return beginConstructor(static_cast<unsigned>(tag));
  return Status::error(adt.noSuchConstructor(name));
}

Status InstanceBuilder::beginSequence() {
  Status status = expect(Type::Kind::Sequence);
  if (!status.ok())
    return status;
  const Type *element = next()->element.get();
  ++scopes.back().count;
  scopes.push_back(
      {Scope::Kind::Sequence, nullptr, element, nullptr, 0, 0, values.size()});
  return status;
}

/// Moves the words of the innermost scope into a cell; its address becomes a
/// value of the scope around it.
Status InstanceBuilder::end() {
  const Scope &top = scope();
  if (top.kind == Scope::Kind::Instance)
    return Status::error("no constructor or sequence is open");
  if (top.kind == Scope::Kind::Constructor && next())
    return Status::error("constructor '" + top.ctor->name + "' has " +
                         std::to_string(top.fields->types.size()) +
                         " fields, found only " + std::to_string(top.count));
  size_t count = values.size() - top.base;
  size_t bytes = (8 * (count + 1) + 15) & ~size_t(15);
  char *cell = storage->cells.allocate(bytes);
  if (!cell)
    return outOfMemory();
  uint64_t header = top.kind == Scope::Kind::Sequence
                        ? static_cast<uint64_t>(top.count)
                        : top.tag;
  std::memcpy(cell, &header, sizeof(header));
  if (count)
    std::memcpy(cell + sizeof(header), values.data() + top.base, 8 * count);
  values.resize(top.base);
  values.push_back(reinterpret_cast<uintptr_t>(cell));
  scopes.pop_back();
  return Status::success();
}

Status InstanceBuilder::endInstance(int64_t line) {
  const Scope &top = scope();
  if (top.kind == Scope::Kind::Constructor)
    return Status::error("constructor '" + top.ctor->name + "' has no end");
  if (top.kind == Scope::Kind::Sequence)
    return Status::error("a sequence has no end");
  if (next())
    return Status::error("the entry has " +
                         std::to_string(top.fields->types.size()) +
                         " inputs, found only " + std::to_string(top.count));
  storage->lines.push_back(line);
  storage->arguments.insert(storage->arguments.end(), values.begin(),
                            values.end());
  dropInstance();
  return Status::success();
}

InstanceSet InstanceBuilder::finish() {
  InstanceSet result(std::move(storage));
  reset();
  return result;
}
