//===- Values.h - Typed views of slots and cells ----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_VALUES_H
#define DYNBATCH_RUNTIME_VALUES_H

#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Descriptor.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace dynbatch::rt {

/// A value behind a slot. Owns nothing: valid as long as the memory behind it
/// (a result: until the sink returns; an argument: as long as its InstanceSet).
class ValueView {
public:
  ValueView(const ModuleDescriptor &descriptor, const Type &type,
            const char *slot)
      : descriptor(&descriptor), valueType(&type), slot(slot) {}

  const Type &type() const { return *valueType; }

  const char *slotAddress() const { return slot; }
  /// The slot's first word: a scalar's bits zero-extended, a cell's address.
  uint64_t bits() const {
    uint64_t word;
    std::memcpy(&word, slot, sizeof(word));
    return word;
  }

  /// Scalar of an integer type (sign-extended; i1: 0 or 1), and of a float
  /// type.
  int64_t integer() const;
  double number() const;

  /// Tensor: its storage, row-major, Type::elements elements.
  const void *tensorData() const {
    return reinterpret_cast<const void *>(bits());
  }

  /// ADT: which constructor, and its fields.
  unsigned tag() const { return static_cast<unsigned>(header()); }
  const Constructor &constructor() const {
    return descriptor->adts[valueType->adt].ctors[tag()];
  }
  size_t numFields() const { return constructor().fields.types.size(); }
  ValueView field(size_t index) const {
    const SlotList &fields = constructor().fields;
    return {*descriptor, fields.types[index],
            cell() + 8 + fields.offsets[index]};
  }

  /// Sequence: number of elements, and each of them.
  int64_t length() const { return header(); }
  ValueView element(int64_t index) const {
    const Type &type = *valueType->element;
    return {*descriptor, type, cell() + 8 + index * type.slotBytes()};
  }

private:
  const char *cell() const { return reinterpret_cast<const char *>(bits()); }
  int64_t header() const {
    int64_t word;
    std::memcpy(&word, cell(), sizeof(word));
    return word;
  }

  const ModuleDescriptor *descriptor;
  const Type *valueType;
  const char *slot;
};

/// Results of one instance.
class ResultView {
public:
  ResultView(const ModuleDescriptor &descriptor, size_t instance,
             const char *slots)
      : descriptor(&descriptor), index(instance), slots(slots) {}

  /// 0-based index of the instance in its InstanceSet.
  size_t instance() const { return index; }
  size_t size() const { return descriptor->results.types.size(); }
  ValueView value(size_t i) const {
    const SlotList &list = descriptor->results;
    return {*descriptor, list.types[i], slots + list.offsets[i]};
  }

private:
  const ModuleDescriptor *descriptor;
  size_t index;
  const char *slots;
};

/// Appends the value in the text syntax of instances. Floats get the shortest
/// digits that read back as the same float. Takes any depth of nesting.
void print(const ValueView &value, std::string &out);
/// Appends all results of an instance, separated by a blank, without newline.
void print(const ResultView &results, std::string &out);

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_VALUES_H
