//===- MappedFile.h - A file as memory --------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_MAPPEDFILE_H
#define DYNBATCH_LIB_LOADERS_MAPPEDFILE_H

#include "dynbatch/Runtime/Status.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dynbatch::rt {

/// A whole regular file, mapped read-only. It must not shrink meanwhile.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) { *this = std::move(other); }
  MappedFile &operator=(MappedFile &&other) {
    std::swap(base, other.base);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~MappedFile();

  static Result<MappedFile> open(const std::string &path);

  std::string_view text() const { return {base, bytes}; }

private:
  const char *base = nullptr; ///< null for an empty file
  size_t bytes = 0;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_MAPPEDFILE_H
