//===- Runtime.h - C API of the runtime -*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads compiled programs and runs minibatches. Needs the runtime library
// alone; dynbatch-c/Compiler.h compiles programs in the same process.
//
// Functions that can fail return an error, null on success; their results come
// through pointers and are untouched on an error. Whoever gets an error or an
// object destroys it. Objects are used from one thread at a time; several may
// be in use at once. Strings are UTF-8 and end in a NUL.
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_C_RUNTIME_H
#define DYNBATCH_C_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DYNBATCH_C_EXPORTED __attribute__((visibility("default")))
#else
#define DYNBATCH_C_EXPORTED
#endif

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

typedef struct DynbatchError DynbatchError;

/// What went wrong, for the user: with the instance where one is to blame, and
/// with all diagnostics of a compilation. Lives as long as the error.
DYNBATCH_C_EXPORTED const char *
dynbatchErrorGetMessage(const DynbatchError *error);
/// Null is fine.
DYNBATCH_C_EXPORTED void dynbatchErrorDestroy(DynbatchError *error);

/// Takes text piece by piece; `data` is not NUL-terminated.
typedef void (*DynbatchStringCallback)(const char *data, size_t length,
                                       void *userData);

//===----------------------------------------------------------------------===//
// Modules: compiled programs
//===----------------------------------------------------------------------===//

typedef struct DynbatchModule DynbatchModule;

/// Opens a library that dynbatch-compile wrote. It stays loaded for good, and
/// binds to the runtime's functions in this process: these must be exported, as
/// CMake's dynbatch::Runtime arranges.
DYNBATCH_C_EXPORTED DynbatchError *dynbatchModuleLoad(const char *path,
                                                      DynbatchModule **module);
/// What is made of a module may outlive it.
DYNBATCH_C_EXPORTED void dynbatchModuleDestroy(DynbatchModule *module);

/// A JSON object with the entry's inputs and results, ADTs, parameters and
/// kernels: docs/RuntimeABI.md. Lives as long as the module.
DYNBATCH_C_EXPORTED const char *
dynbatchModuleGetDescriptor(const DynbatchModule *module);

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

typedef struct DynbatchParameters DynbatchParameters;

/// A parameter in the caller's memory.
typedef struct DynbatchTensor {
  const char *name;
  const char *elementType; ///< "f32", "i8", "bf16", ...: as in the descriptor
  int64_t rank;
  const int64_t *shape; ///< `rank` sizes
  const void *data;     ///< row-major and contiguous
} DynbatchTensor;

/// `spec` is `random:SEED` or the path of a safetensors file.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchParametersLoad(const DynbatchModule *module, const char *spec,
                       DynbatchParameters **parameters);
/// Data aligned to 64 bytes is used in place: it must neither change nor end
/// before the parameters and the program that takes them. Other data is copied.
/// Tensors that the module does not name are ignored.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchParametersCreate(const DynbatchModule *module,
                         const DynbatchTensor *tensors, size_t count,
                         DynbatchParameters **parameters);
DYNBATCH_C_EXPORTED void
dynbatchParametersDestroy(DynbatchParameters *parameters);

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

typedef struct DynbatchInstances DynbatchInstances;

/// Reads text, one instance a line (docs/RuntimeABI.md); `name` stands for a
/// file in messages.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstancesParse(const DynbatchModule *module, const char *text,
                       const char *name, DynbatchInstances **instances);
DYNBATCH_C_EXPORTED size_t
dynbatchInstancesGetSize(const DynbatchInstances *instances);
DYNBATCH_C_EXPORTED void dynbatchInstancesDestroy(DynbatchInstances *instances);

/// Builds instances from values: the inputs of each one after the other, fields
/// and elements between begin and end. What does not fit the types of the entry
/// is an error and adds nothing.
typedef struct DynbatchInstanceBuilder DynbatchInstanceBuilder;

DYNBATCH_C_EXPORTED DynbatchInstanceBuilder *
dynbatchInstanceBuilderCreate(const DynbatchModule *module);
DYNBATCH_C_EXPORTED void
dynbatchInstanceBuilderDestroy(DynbatchInstanceBuilder *builder);
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderAddInteger(DynbatchInstanceBuilder *builder,
                                  int64_t value);
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderAddFloat(DynbatchInstanceBuilder *builder, double value);
/// `data`: the elements of a tensor of the type that comes next, row-major.
/// Used in place if aligned to 64 bytes, as for dynbatchParametersCreate.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderAddTensor(DynbatchInstanceBuilder *builder,
                                 const void *data);
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderBeginConstructor(DynbatchInstanceBuilder *builder,
                                        const char *name);
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderBeginSequence(DynbatchInstanceBuilder *builder);
/// Ends the innermost constructor or sequence.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderEnd(DynbatchInstanceBuilder *builder);
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchInstanceBuilderEndInstance(DynbatchInstanceBuilder *builder);
/// The instances that have ended; the builder is empty then.
DYNBATCH_C_EXPORTED DynbatchInstances *
dynbatchInstanceBuilderFinish(DynbatchInstanceBuilder *builder);

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A view of a value; valid until the callback that got it returns.
typedef struct DynbatchValue {
  const void *descriptor;
  const void *type;
  const void *slot;
} DynbatchValue;

typedef enum DynbatchKind {
  DynbatchKindScalar,
  DynbatchKindTensor,
  DynbatchKindAdt,
  DynbatchKindSequence
} DynbatchKind;

DYNBATCH_C_EXPORTED DynbatchKind dynbatchValueGetKind(DynbatchValue value);
/// Scalars and tensors: "f32", "i8", ...
DYNBATCH_C_EXPORTED const char *
dynbatchValueGetElementType(DynbatchValue value);
/// Scalars of an integer type, and of a float type.
DYNBATCH_C_EXPORTED int64_t dynbatchValueGetInteger(DynbatchValue value);
DYNBATCH_C_EXPORTED double dynbatchValueGetFloat(DynbatchValue value);
/// Tensors: elements are row-major.
DYNBATCH_C_EXPORTED int64_t dynbatchValueGetRank(DynbatchValue value);
DYNBATCH_C_EXPORTED const int64_t *dynbatchValueGetShape(DynbatchValue value);
DYNBATCH_C_EXPORTED const void *dynbatchValueGetData(DynbatchValue value);
/// ADTs: the constructor's name.
DYNBATCH_C_EXPORTED const char *
dynbatchValueGetConstructor(DynbatchValue value);
/// Fields of an ADT's value, or elements of a sequence.
DYNBATCH_C_EXPORTED int64_t dynbatchValueGetSize(DynbatchValue value);
DYNBATCH_C_EXPORTED DynbatchValue dynbatchValueGet(DynbatchValue value,
                                                   int64_t index);
/// The value in the text syntax of instances.
DYNBATCH_C_EXPORTED void dynbatchValuePrint(DynbatchValue value,
                                            DynbatchStringCallback callback,
                                            void *userData);

/// Gets the results of one instance: `count` values. `instance` is its index in
/// the instances.
typedef void (*DynbatchResultCallback)(size_t instance,
                                       const DynbatchValue *values,
                                       size_t count, void *userData);

//===----------------------------------------------------------------------===//
// Programs: modules with parameters
//===----------------------------------------------------------------------===//

typedef struct DynbatchProgram DynbatchProgram;

typedef struct DynbatchProgramOptions {
  unsigned threads;      ///< that run kernels, the caller's included
  bool statistics;       ///< count and time
  bool trace;            ///< record events
  bool verifySchedule;   ///< check that producers of operands have run
  size_t memoryLimit;    ///< bytes of a minibatch; 0: no limit
  size_t fiberStackSize; ///< bytes; of programs with forced reads
  int device;            ///< number of the GPU
} DynbatchProgramOptions;

/// One thread, nothing else asked for.
DYNBATCH_C_EXPORTED DynbatchProgramOptions
dynbatchProgramOptionsGetDefault(void);

/// Runs the prologue on the parameters, which are given away: they are empty
/// afterwards, also after an error, and must still be destroyed. `options` may
/// be null.
DYNBATCH_C_EXPORTED DynbatchError *dynbatchProgramCreate(
    const DynbatchModule *module, DynbatchParameters *parameters,
    const DynbatchProgramOptions *options, DynbatchProgram **program);
/// Gives memory, threads and parameters back; everything but destruction is
/// refused afterwards.
DYNBATCH_C_EXPORTED void dynbatchProgramClose(DynbatchProgram *program);
DYNBATCH_C_EXPORTED void dynbatchProgramDestroy(DynbatchProgram *program);

/// Runs instances [begin, end) as one minibatch and then calls `callback` for
/// each in order. After an error, which names the instance, no result has been
/// delivered and the program can be used again.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchProgramRun(DynbatchProgram *program, const DynbatchInstances *instances,
                   size_t begin, size_t end, DynbatchResultCallback callback,
                   void *userData);
/// From any thread: makes the present run, if there is one, end with an error
/// soon.
DYNBATCH_C_EXPORTED void dynbatchProgramStop(DynbatchProgram *program);

/// Counts and times of all minibatches as a JSON object (docs/RuntimeABI.md).
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchProgramGetStatistics(DynbatchProgram *program,
                             DynbatchStringCallback callback, void *userData);
/// Chrome trace events as JSON.
DYNBATCH_C_EXPORTED DynbatchError *
dynbatchProgramGetTrace(DynbatchProgram *program,
                        DynbatchStringCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif // DYNBATCH_C_RUNTIME_H
