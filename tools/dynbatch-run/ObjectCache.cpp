//===- ObjectCache.cpp - Machine code kept between runs -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// Tells one build of this program from another.
static std::string identifyThisProgram() {
  std::string path = llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&identifyThisProgram));
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return path;
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return llvm::formatv("{0} {1} {2} {3}", path, status.getSize(), time,
                       LLVM_VERSION_STRING)
      .str();
}

static std::string makeKey(StringRef source, StringRef path,
                           const CompileOptions &options,
                           const TargetInfo &target) {
  llvm::BLAKE3 hash;
  auto add = [&](StringRef text) {
    hash.update(text);
    // Texts must not run into each other.
    hash.update(StringRef("\0", 1));
  };
  add(identifyThisProgram());
  add(path);
  add(std::to_string(static_cast<int>(options.target.getValue())));
  add(options.chip);
  add(options.pipelineOptions);
  add(target.triple.str());
  add(target.cpu);
  add(target.features);
  add(source);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::dynbatch::getCachedObject(StringRef folder, StringRef path,
                                const CompileOptions &options,
                                const TargetInfo &target) {
  auto source = llvm::MemoryBuffer::getFile(path);
  if (!source)
    return llvm::createFileError(path, source.getError());
  std::unique_ptr<llvm::MemoryBuffer> object;
  auto cache = llvm::localCache(
      "dynbatch", "dynbatch", folder,
      [&](unsigned, const Twine &, std::unique_ptr<llvm::MemoryBuffer> buffer) {
        object = std::move(buffer);
      });
  if (!cache)
    return cache.takeError();
  auto addStream =
      (*cache)(0, makeKey((*source)->getBuffer(), path, options, target), path);
  if (!addStream)
    return addStream.takeError();
  if (!*addStream)
    return object;

  auto code = compileFile(path, options, target);
  if (!code)
    return code.takeError();
  auto bytes = (*code)->emit(CodeForm::Object);
  if (!bytes)
    return bytes.takeError();
  auto stream = (*addStream)(0, path);
  if (!stream)
    return llvm::createFileError(folder, stream.takeError());
  *(*stream)->OS << *bytes;
  if (llvm::Error error = (*stream)->commit())
    return error;
  return object;
}
