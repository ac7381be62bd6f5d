//===- InstanceBuilder.h - Instances value by value -------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_INSTANCEBUILDER_H
#define DYNBATCH_RUNTIME_INSTANCEBUILDER_H

#include "dynbatch/Runtime/Instances.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynbatch::rt {

/// Builds an InstanceSet from values in the order in which the text syntax has
/// them: the inputs of each instance one after the other, fields and elements
/// between the begin and the end of what holds them. Needs no recursion: values
/// may be nested to any depth.
///
///   InstanceBuilder builder(descriptor);        // (Node (Leaf 3) (Leaf 5))
///   builder.beginConstructor(node);
///   builder.beginConstructor(leaf); builder.addScalar(3); builder.end();
///   builder.beginConstructor(leaf); builder.addScalar(5); builder.end();
///   builder.end();
///   builder.endInstance();
///
/// A value that does not fit next() is an error and adds nothing.
class InstanceBuilder {
public:
  /// What values are added to: the innermost that is open.
  struct Scope {
    enum class Kind { Instance, Constructor, Sequence };
    Kind kind;
    const SlotList *fields;  ///< instance, constructor
    const Type *element;     ///< sequence
    const Constructor *ctor; ///< constructor
    unsigned tag;            ///< constructor
    int64_t count;           ///< values so far
    size_t base;             ///< the first word of its values
  };

  /// The descriptor must outlive the builder. `name` stands for a file in
  /// messages about instances that have lines.
  explicit InstanceBuilder(const ModuleDescriptor &descriptor,
                           std::string name = "");
  ~InstanceBuilder();

  const Scope &scope() const { return scopes.back(); }
  /// Type of the value that comes next; null where all fields or inputs are
  /// there. In a sequence it is that of the elements.
  const Type *next() const {
    const Scope &top = scope();
    if (top.kind == Scope::Kind::Sequence)
      return top.element;
    return top.count < static_cast<int64_t>(top.fields->types.size())
               ? &top.fields->types[top.count]
               : nullptr;
  }

  /// `bits` of the scalar's type, zero-extended.
  Status addScalar(uint64_t bits);
  /// A number for a scalar of an integer type; it must be in the type's range
  /// (signed; i1: 0 and 1).
  Status addInteger(int64_t value);
  /// A number for a scalar of a float type, rounded to nearest even. A finite
  /// number that would become infinite is an error.
  Status addFloat(double value);
  /// Storage for a tensor's elements, row-major, to be filled before the set is
  /// used: Type::dataBytes() of them.
  Result<char *> addTensor();
  /// Tensor-aligned data is used in place and must outlive the set; other data
  /// is copied.
  Status addTensor(const void *data);
  /// Constructor number `tag` of the ADT that comes next; its fields follow.
  Status beginConstructor(unsigned tag);
  /// The same by its name.
  Status beginConstructor(std::string_view name);
  /// A sequence; its elements follow.
  Status beginSequence();
  /// Ends the innermost constructor or sequence.
  Status end();
  /// Ends an instance, which has all its inputs; another may follow. `line` is
  /// for messages, 0 for none.
  Status endInstance(int64_t line = 0);
  /// Forgets the values of the instance that is not ended.
  void dropInstance();

  /// The instances that have ended. The builder is empty then.
  InstanceSet finish();

private:
  Status expect(Type::Kind kind);
  void reset();

  const ModuleDescriptor &descriptor;
  std::string name;
  std::unique_ptr<InstanceSet::Storage> storage;
  std::vector<Scope> scopes;
  std::vector<uint64_t> values; ///< words of the values not yet in a cell
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_INSTANCEBUILDER_H
