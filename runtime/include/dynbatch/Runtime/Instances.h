//===- Instances.h - Inputs of an instance program --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_INSTANCES_H
#define DYNBATCH_RUNTIME_INSTANCES_H

#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dynbatch::rt {

/// Instances as argument slots and cells in memory of their own, so that they
/// serve any number of minibatches. Immutable. Made from text here, from values
/// by InstanceBuilder.
class InstanceSet {
public:
  /// Reads a file: text, one instance a line (docs/RuntimeABI.md).
  static Result<InstanceSet> fromFile(const ModuleDescriptor &descriptor,
                                      const std::string &path);
  /// The same from memory; `name` stands for the file in messages.
  static Result<InstanceSet> fromText(const ModuleDescriptor &descriptor,
                                      std::string_view text,
                                      std::string_view name);

  InstanceSet(InstanceSet &&);
  InstanceSet &operator=(InstanceSet &&);
  ~InstanceSet();

  size_t size() const;
  /// Argument slots of instance `index`, as the entry reads them.
  const char *arguments(size_t index) const;
  /// 1-based line of instance `index` in its text; 0 where there is none.
  int64_t line(size_t index) const;
  /// The file's name, as given.
  const std::string &name() const;

private:
  friend class InstanceBuilder;
  struct Storage;
  explicit InstanceSet(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_INSTANCES_H
