//===- Abi.cpp - Functions given to compiled code ---------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/ABI.h"
#include "core/Context.h"
#include "dynbatch/Runtime/Module.h"

#include <cstdio>
#include <cstdlib>

using namespace dynbatch::rt;

int64_t *dynbatch_rt_reserve(dynbatch_context *ctx, int64_t kernel,
                             int64_t depth) {
  return Context::from(ctx).reserve(kernel, depth);
}

char *dynbatch_rt_arena_alloc(dynbatch_context *ctx, int64_t bytes) {
  return Context::from(ctx).allocateTensor(static_cast<size_t>(bytes));
}

char *dynbatch_rt_heap_alloc(dynbatch_context *ctx, int64_t bytes) {
  return Context::from(ctx).allocateCell(static_cast<size_t>(bytes));
}

void dynbatch_rt_flush(dynbatch_context *ctx) {
  Context::from(ctx).requestFlush();
}

const void *dynbatch_rt_read(dynbatch_context *ctx, int64_t address,
                             uint64_t stamp, int64_t bytes) {
  return Context::from(ctx).read(address, stamp, static_cast<size_t>(bytes));
}

void *dynbatch_rt_spawn(dynbatch_context *ctx,
                        void (*function)(dynbatch_context *, char *),
                        char *frame) {
  return Context::from(ctx).spawn(function, frame);
}

void dynbatch_rt_join(dynbatch_context *ctx, void *handle) {
  Context::from(ctx).join(handle);
}

void dynbatch_rt_index_error(dynbatch_context *ctx, const char *what,
                             int64_t index, int64_t size) {
  Context::from(ctx).fail(std::string(what) + ": index " +
                          std::to_string(index) +
                          " is out of bounds for size " + std::to_string(size));
}

void dynbatch_rt_stack_overflow(dynbatch_context *ctx) {
  Context::from(ctx).stackOverflow();
}

void dynbatch_rt_error(dynbatch_context *ctx, const char *message) {
  Context::from(ctx).fail(message);
}

static Context &runningContext() {
  if (Context *context = Context::running())
    return *context;
  std::fputs("dynbatch runtime: memory asked for outside host code\n", stderr);
  std::abort();
}

void *_mlir_memref_to_llvm_alloc(uint64_t bytes) {
  return runningContext().allocateTemporary(DYNBATCH_TENSOR_ALIGNMENT, bytes);
}

void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t bytes) {
  return runningContext().allocateTemporary(alignment, bytes);
}

void _mlir_memref_to_llvm_free(void *) {}

const AbiSymbol *dynbatch::rt::abiSymbols(size_t &count) {
#define DYNBATCH_SYMBOL(name)                                                  \
  { #name, reinterpret_cast < void *>(&name) }
  static const AbiSymbol symbols[] = {
      DYNBATCH_SYMBOL(dynbatch_rt_reserve),
      DYNBATCH_SYMBOL(dynbatch_rt_arena_alloc),
      DYNBATCH_SYMBOL(dynbatch_rt_heap_alloc),
      DYNBATCH_SYMBOL(dynbatch_rt_flush),
      DYNBATCH_SYMBOL(dynbatch_rt_read),
      DYNBATCH_SYMBOL(dynbatch_rt_spawn),
      DYNBATCH_SYMBOL(dynbatch_rt_join),
      DYNBATCH_SYMBOL(dynbatch_rt_index_error),
      DYNBATCH_SYMBOL(dynbatch_rt_stack_overflow),
      DYNBATCH_SYMBOL(dynbatch_rt_error),
      DYNBATCH_SYMBOL(dynbatch_rt_simt_launch),
      DYNBATCH_SYMBOL(dynbatch_rt_simt_barrier),
      DYNBATCH_SYMBOL(dynbatch_rt_simt_shuffle),
      DYNBATCH_SYMBOL(dynbatch_rt_simt_mma),
      DYNBATCH_SYMBOL(dynbatch_rt_simt_check_index),
      DYNBATCH_SYMBOL(dynbatch_rt_simt_access),
      DYNBATCH_SYMBOL(dynbatch_rt_gpu_launch),
      DYNBATCH_SYMBOL(_mlir_memref_to_llvm_alloc),
      DYNBATCH_SYMBOL(_mlir_memref_to_llvm_aligned_alloc),
      DYNBATCH_SYMBOL(_mlir_memref_to_llvm_free),
  };
#undef DYNBATCH_SYMBOL
  count = sizeof(symbols) / sizeof(symbols[0]);
  return symbols;
}
