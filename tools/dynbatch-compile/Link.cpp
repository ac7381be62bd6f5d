//===- Link.cpp - From an object to a shared library -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Link.h"
#include "OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir::dynbatch;

llvm::Expected<std::string> mlir::dynbatch::findLinker(llvm::StringRef given) {
  std::string versioned = "ld.lld-" + std::to_string(LLVM_VERSION_MAJOR);
  llvm::SmallVector<llvm::StringRef> names{"ld.lld", versioned, "ld",
                                           "cc",     "clang",   "gcc"};
  if (!given.empty())
    names = {given};
  for (llvm::StringRef name : names)
    if (auto path = llvm::sys::findProgramByName(name))
      // Names with a slash come back unseen.
      if (llvm::sys::fs::can_execute(*path))
        return *path;
  if (!given.empty())
    return llvm::createStringError("there is no linker '" + given + "'");
  return llvm::createStringError("no linker: none of " +
                                 llvm::join(names, ", ") +
                                 " is on PATH; name one with --linker");
}

/// A file name in the system's folder for such files, and its end.
static llvm::Error createTemporary(llvm::StringRef suffix,
                                   llvm::SmallVectorImpl<char> &path,
                                   llvm::FileRemover &remover) {
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("dynbatch", suffix, path))
    return llvm::createFileError("temporary file", code);
  remover.setFile(llvm::StringRef(path.data(), path.size()));
  return llvm::Error::success();
}

llvm::Expected<std::string> mlir::dynbatch::linkShared(llvm::StringRef linker,
                                                       llvm::StringRef object) {
  llvm::SmallString<128> input, output;
  llvm::FileRemover removeInput, removeOutput;
  if (llvm::Error error = createTemporary("o", input, removeInput))
    return error;
  if (llvm::Error error = createTemporary("so", output, removeOutput))
    return error;
  if (llvm::Error error = writeFile(input, object))
    return error;

  // Linkers and C compilers alike understand these.
  llvm::StringRef arguments[] = {linker, "-shared", "-nostdlib",
                                 "-o",   output,    input};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(linker, arguments, /*Env=*/{},
                                         /*Redirects=*/{}, /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status != 0)
    return llvm::createStringError(
        "the linker '" + linker + "' failed: " +
        (message.empty() ? "exit code " + std::to_string(status) : message));
  auto library = llvm::MemoryBuffer::getFile(output);
  if (!library)
    return llvm::createFileError(output, library.getError());
  return (*library)->getBuffer().str();
}
