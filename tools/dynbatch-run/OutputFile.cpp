//===- OutputFile.cpp - Files that appear whole or not at all -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

llvm::Error mlir::dynbatch::writeFile(llvm::StringRef path,
                                      llvm::StringRef contents) {
  if (path == "-") {
    llvm::outs() << contents;
    llvm::outs().flush();
    return llvm::Error::success();
  }
  // Devices and pipes cannot be replaced by a renamed file.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() != llvm::sys::fs::file_type::regular_file) {
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (code)
      return llvm::createFileError(path, code);
    stream << contents;
    return llvm::Error::success();
  }
  if (llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
        os << contents;
        return llvm::Error::success();
      }))
    return llvm::createFileError(path, std::move(error));
  return llvm::Error::success();
}
