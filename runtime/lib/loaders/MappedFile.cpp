//===- MappedFile.cpp - A file as memory ------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dynbatch::rt;

MappedFile::~MappedFile() {
  if (base)
    munmap(const_cast<char *>(base), bytes);
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  auto failure = [&] {
    return Status::error("cannot read '" + path + "': " + std::strerror(errno));
  };
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failure();
  struct stat info;
  if (fstat(descriptor, &info) != 0) {
    Status status = failure();
    close(descriptor);
    return status;
  }
  if (!S_ISREG(info.st_mode)) {
    close(descriptor);
    return Status::error("cannot read '" + path + "': not a regular file");
  }
  MappedFile file;
  if (info.st_size > 0) {
    void *mapped =
        mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      Status status = failure();
      close(descriptor);
      return status;
    }
    file.base = static_cast<const char *>(mapped);
    file.bytes = info.st_size;
  }
  close(descriptor);
  return file;
}
