//===- Safetensors.h - The safetensors file format --------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_SAFETENSORS_H
#define DYNBATCH_LIB_LOADERS_SAFETENSORS_H

#include "dynbatch/Runtime/Descriptor.h"
#include "dynbatch/Runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynbatch::rt {

/// A tensor in a safetensors file.
struct SafeTensor {
  std::string dtype; ///< the format's name: "F32", "BF16", ...
  std::vector<int64_t> shape;
  const char *data;
  int64_t bytes;
};

using SafeTensors = std::unordered_map<std::string, SafeTensor>;

/// Reads the header of a file's contents; the tensors point into them. Every
/// tensor lies inside the contents, has the size that its type needs, and
/// shares no byte with another.
Result<SafeTensors> readSafetensors(std::string_view contents);

/// The format's name of a dtype.
const char *safetensorsName(DType dtype);

/// A tensor to be written.
struct SafeTensorSource {
  std::string name;
  const Type *type;
  const void *data;
};

/// Writes a file; the data begin tensor aligned.
Status writeSafetensors(const std::string &path,
                        const std::vector<SafeTensorSource> &tensors);

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_SAFETENSORS_H
