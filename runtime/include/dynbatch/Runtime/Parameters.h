//===- Parameters.h - Model weights -----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_PARAMETERS_H
#define DYNBATCH_RUNTIME_PARAMETERS_H

#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Status.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dynbatch::rt {

/// Storage of all parameters of one module, in descriptor order and tensor
/// aligned; that of derived parameters is allocated, and filled by the prologue
/// in Program::create.
class ParameterSet {
public:
  /// A parameter in the caller's memory: row-major and contiguous.
  struct Source {
    std::string name;
    DType dtype;
    std::vector<int64_t> shape;
    const void *data;
  };

  /// `spec` is `random:SEED` or the path of a safetensors file.
  static Result<ParameterSet> load(const ModuleDescriptor &descriptor,
                                   const std::string &spec);
  /// Maps the file; tensor-aligned data is used in place, other data copied.
  /// Tensors that the module does not name are ignored.
  static Result<ParameterSet>
  fromSafetensors(const ModuleDescriptor &descriptor, const std::string &path);
  /// Reproducible values; the formula is in docs/RuntimeABI.md.
  static Result<ParameterSet> random(const ModuleDescriptor &descriptor,
                                     uint64_t seed);
  /// Tensor-aligned data is used in place and must outlive the set (and the
  /// Program that takes it); other data is copied.
  static Result<ParameterSet> fromMemory(const ModuleDescriptor &descriptor,
                                         const std::vector<Source> &sources);

  ParameterSet(ParameterSet &&);
  ParameterSet &operator=(ParameterSet &&);
  ~ParameterSet();

  /// Writes the parameters that are not derived as a safetensors file.
  Status saveSafetensors(const ModuleDescriptor &descriptor,
                         const std::string &path) const;

  size_t size() const;
  /// First byte of parameter `index`; writable only if derived.
  void *data(size_t index) const;
  /// One address a parameter: what `dynbatch_context::params` names.
  void *const *addresses() const;

private:
  struct Storage;
  explicit ParameterSet(std::unique_ptr<Storage> storage);
  std::unique_ptr<Storage> storage;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_PARAMETERS_H
