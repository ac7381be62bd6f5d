//===- ObjectCache.cpp - Machine code kept between runs -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/ObjectCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <dlfcn.h>
#include <link.h>

using namespace mlir;
using namespace mlir::dynbatch;

/// The file that holds this code: a program, or a library in one.
static std::string findThisFile() {
  void *self = reinterpret_cast<void *>(&findThisFile);
  Dl_info info;
  link_map *map = nullptr;
  // The program itself has no name there.
  if (dladdr1(self, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) &&
      map && map->l_name[0])
    return map->l_name;
  return llvm::sys::fs::getMainExecutable(nullptr, self);
}

/// Tells one build of this compiler from another.
static std::string identifyThisCompiler() {
  std::string path = findThisFile();
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return path;
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return llvm::formatv("{0} {1} {2} {3}", path, status.getSize(), time,
                       LLVM_VERSION_STRING)
      .str();
}

static std::string makeKey(llvm::MemoryBufferRef source,
                           const CompileOptions &options,
                           const TargetInfo &target) {
  llvm::BLAKE3 hash;
  auto add = [&](StringRef text) {
    hash.update(text);
    // Texts must not run into each other.
    hash.update(StringRef("\0", 1));
  };
  add(identifyThisCompiler());
  for (llvm::MemoryBufferRef library : options.libraries) {
    add(library.getBufferIdentifier());
    add(library.getBuffer());
  }
  add(std::to_string(static_cast<int>(options.target)));
  add(options.chip);
  add(options.pipelineOptions);
  add(target.triple.str());
  add(target.cpu);
  add(target.features);
  add(std::to_string(target.l2Bytes));
  add(source.getBufferIdentifier());
  add(source.getBuffer());
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::dynbatch::getCachedObject(StringRef folder, llvm::MemoryBufferRef source,
                                const CompileOptions &options,
                                const TargetInfo &target,
                                raw_ostream &diagnostics) {
  if (options.hooks)
    return llvm::createStringError(
        "the cache cannot tell what the hooks of another compiler do");
  std::unique_ptr<llvm::MemoryBuffer> object;
  auto cache = llvm::localCache(
      "dynbatch", "dynbatch", folder,
      [&](unsigned, const Twine &, std::unique_ptr<llvm::MemoryBuffer> buffer) {
        object = std::move(buffer);
      });
  if (!cache)
    return cache.takeError();
  StringRef name = source.getBufferIdentifier();
  auto addStream = (*cache)(0, makeKey(source, options, target), name);
  if (!addStream)
    return addStream.takeError();
  if (!*addStream)
    return object;

  auto code = compile(source, options, target, diagnostics);
  if (!code)
    return code.takeError();
  auto bytes = (*code)->emit(CodeForm::Object);
  if (!bytes)
    return bytes.takeError();
  auto stream = (*addStream)(0, name);
  if (!stream)
    return llvm::createFileError(folder, stream.takeError());
  *(*stream)->OS << *bytes;
  if (llvm::Error error = (*stream)->commit())
    return error;
  return object;
}
