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

/// Writes now, so that a full disk is an error here: a stream that is destroyed
/// with an error ends the program.
static llvm::Error write(llvm::raw_fd_ostream &stream,
                         llvm::StringRef contents) {
  stream << contents;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return llvm::errorCodeToError(code);
}

/// Writes to what a renamed file cannot replace: devices and pipes.
static llvm::Error writeInPlace(llvm::StringRef path,
                                llvm::StringRef contents) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  return code ? llvm::errorCodeToError(code) : write(stream, contents);
}

static llvm::Error writeAndRename(llvm::StringRef path,
                                  llvm::StringRef contents) {
  llvm::Expected<llvm::sys::fs::TempFile> file =
      llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%",
                                      llvm::sys::fs::all_read |
                                          llvm::sys::fs::all_write);
  if (!file)
    return file.takeError();
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  if (llvm::Error error = write(stream, contents))
    return llvm::joinErrors(std::move(error), file->discard());
  return file->keep(path);
}

llvm::Error mlir::dynbatch::writeFile(llvm::StringRef path,
                                      llvm::StringRef contents) {
  if (path == "-") {
    if (llvm::Error error = write(llvm::outs(), contents))
      return llvm::createFileError("standard output", std::move(error));
    return llvm::Error::success();
  }
  llvm::sys::fs::file_status status;
  bool replaceable = llvm::sys::fs::status(path, status) ||
                     status.type() == llvm::sys::fs::file_type::regular_file;
  llvm::Error error = replaceable ? writeAndRename(path, contents)
                                  : writeInPlace(path, contents);
  if (!error)
    return llvm::Error::success();
  // Without the name of the temporary file.
  return llvm::createFileError(path, llvm::errorToErrorCode(std::move(error)));
}
