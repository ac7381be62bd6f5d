//===- DynbatchPlugin.cpp - dynbatch inside of other MLIR tools -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include <dlfcn.h>

using namespace mlir;

#define DYNBATCH_STRING_OF(X) #X
#define DYNBATCH_STRING(X) DYNBATCH_STRING_OF(X)
#define DYNBATCH_MLIR_VERSION                                                  \
  DYNBATCH_STRING(LLVM_VERSION_MAJOR) "." DYNBATCH_STRING(LLVM_VERSION_MINOR)

/// The plugin API's version number has not changed for years while MLIR's
/// classes have, so this looks at the host: the version of the plugin API if
/// the code at `caller`, which loads this plugin, lies in the libMLIR that the
/// plugin was built for; 0, which every host refuses, after a message if not.
static uint32_t getApiVersionFor(const void *caller) {
  Dl_info host;
  SmallString<128> path;
  if (!dladdr(caller, &host) || llvm::sys::fs::real_path(host.dli_fname, path))
    path = "an unknown place";
  if (llvm::sys::path::filename(path) == "libMLIR.so." DYNBATCH_MLIR_VERSION)
    return MLIR_PLUGIN_API_VERSION;
  llvm::WithColor::error(llvm::errs(), "DynbatchPlugin")
      << "was built for MLIR " DYNBATCH_MLIR_VERSION
         " and loads into programs that use libMLIR.so." DYNBATCH_MLIR_VERSION
         ", but the MLIR of this program is in "
      << path << "\n";
  return 0;
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {getApiVersionFor(__builtin_return_address(0)), "dynbatch",
          DYNBATCH_VERSION, [](DialectRegistry *registry) {
            mlir::dynbatch::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {getApiVersionFor(__builtin_return_address(0)), "dynbatch",
          DYNBATCH_VERSION, [] { mlir::dynbatch::registerAllPasses(); }};
}
