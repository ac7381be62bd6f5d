//===- Compiler.h - C API of the compiler -*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_C_COMPILER_H
#define DYNBATCH_C_COMPILER_H

#include "dynbatch-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DynbatchCompileOptions {
  const char *target;          ///< "cpu", "cuda", "simt" or "reference"
  const char *chip;            ///< oldest GPU for "cuda"; empty: sm_80
  const char *pipelineOptions; ///< "coarsen=false ...", or empty
  const char *cacheFolder;     ///< keeps machine code; empty: none
} DynbatchCompileOptions;

/// For this processor, with all optimizations, without a cache.
DYNBATCH_C_EXPORTED DynbatchCompileOptions
dynbatchCompileOptionsGetDefault(void);

/// Compiles a program, `length` bytes of text or bytecode, for this process.
/// `name` stands for its file in messages. The error has all diagnostics, each
/// with its location; `warnings`, if not null, gets those of a success.
/// `options` may be null.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchCompile(const char *source, size_t length, const char *name,
                const DynbatchCompileOptions *options,
                DynbatchStringCallback warnings, void *userData,
                DynbatchModule **module);

#ifdef __cplusplus
}
#endif

#endif // DYNBATCH_C_COMPILER_H
