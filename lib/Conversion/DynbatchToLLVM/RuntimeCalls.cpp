//===- RuntimeCalls.cpp - Calls into the runtime from host code -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "dynbatch/Conversion/Place.h"
#include "dynbatch/Runtime/ABI.h"
#include <cstddef>

using namespace mlir;
using namespace mlir::dynbatch;

RuntimeCalls::RuntimeCalls(ModuleOp module)
    : module(module), symbols(module),
      ptr(LLVM::LLVMPointerType::get(module.getContext())),
      i64(IntegerType::get(module.getContext(), 64)),
      voidType(LLVM::LLVMVoidType::get(module.getContext())) {}

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value RuntimeCalls::createI64(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, i64,
                                  builder.getI64IntegerAttr(value));
}

Value RuntimeCalls::createOffset(OpBuilder &builder, Location loc, Value base,
                                 int64_t fieldOffset) {
  if (fieldOffset == 0)
    return base;
  return LLVM::GEPOp::create(
      builder, loc, ptr, builder.getI8Type(), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(fieldOffset)});
}

Value RuntimeCalls::createString(OpBuilder &builder, Location loc,
                                 StringRef text) {
  std::string contents = text.str();
  contents.push_back('\0');
  OpBuilder moduleBuilder(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), contents.size());
  auto global = LLVM::GlobalOp::create(
      moduleBuilder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "dynbatch_message", builder.getStringAttr(contents));
  symbols.insert(global);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value RuntimeCalls::createParameterAddress(OpBuilder &builder, Location loc,
                                           Value ctx, int64_t index) {
  Value params = LLVM::LoadOp::create(
      builder, loc, ptr,
      createOffset(builder, loc, ctx, offsetof(dynbatch_context, params)));
  Value slot = createOffset(builder, loc, params, index * sizeof(void *));
  return LLVM::LoadOp::create(builder, loc, i64, slot);
}

LLVM::LLVMFuncOp RuntimeCalls::declare(StringRef name, Type result,
                                       ArrayRef<Type> inputs) {
  if (auto func = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return func;
  OpBuilder builder(module.getBodyRegion());
  auto func =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name,
                               LLVM::LLVMFunctionType::get(result, inputs));
  symbols.insert(func);
  return func;
}

LLVM::LLVMFuncOp RuntimeCalls::getHelper(
    StringRef name, Type result, ArrayRef<Type> inputs,
    function_ref<void(OpBuilder &, LLVM::LLVMFuncOp)> define) {
  if (auto func = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return func;
  LLVM::LLVMFuncOp func = declare(name, result, inputs);
  func.setLinkage(LLVM::Linkage::Internal);
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(func.addEntryBlock(builder));
  define(builder, func);
  return func;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void RuntimeCalls::buildGuard(OpBuilder &builder, LLVM::LLVMFuncOp func,
                              Value failed, LLVM::LLVMFuncOp handler,
                              ValueRange arguments) {
  Location loc = func.getLoc();
  Block *current = builder.getInsertionBlock();
  Block *error = builder.createBlock(&func.getBody());
  LLVM::CallOp::create(builder, loc, handler, arguments);
  LLVM::UnreachableOp::create(builder, loc);
  Block *done = builder.createBlock(&func.getBody());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  builder.setInsertionPointToEnd(current);
  LLVM::CondBrOp::create(builder, loc, failed, error, done);
}

void RuntimeCalls::createCheckIndex(OpBuilder &builder, Location loc, Value ctx,
                                    StringRef what, Value index, Value size) {
  LLVM::LLVMFuncOp helper = getHelper(
      "dynbatch_check_index", voidType, {ptr, ptr, i64, i64},
      [&](OpBuilder &b, LLVM::LLVMFuncOp func) {
        // Unsigned: a negative index is out of bounds, too.
        Value failed =
            LLVM::ICmpOp::create(b, func.getLoc(), LLVM::ICmpPredicate::uge,
                                 func.getArgument(2), func.getArgument(3));
        buildGuard(
            b, func, failed,
            declare("dynbatch_rt_index_error", voidType, {ptr, ptr, i64, i64}),
            func.getArguments());
      });
  Value message = createString(builder, loc, withPlace(what, loc));
  LLVM::CallOp::create(builder, loc, helper,
                       ValueRange{ctx, message, index, size});
}

void RuntimeCalls::createCheck(OpBuilder &builder, Location loc, Value ctx,
                               Value condition, StringRef text) {
  LLVM::LLVMFuncOp helper =
      getHelper("dynbatch_check", voidType, {ptr, builder.getI1Type(), ptr},
                [&](OpBuilder &b, LLVM::LLVMFuncOp func) {
                  Value yes = LLVM::ConstantOp::create(
                      b, func.getLoc(), b.getI1Type(), b.getBoolAttr(true));
                  Value failed = LLVM::XOrOp::create(b, func.getLoc(),
                                                     func.getArgument(1), yes);
                  buildGuard(b, func, failed,
                             declare("dynbatch_rt_error", voidType, {ptr, ptr}),
                             {func.getArgument(0), func.getArgument(2)});
                });
  Value message = createString(builder, loc, withPlace(text, loc));
  LLVM::CallOp::create(builder, loc, helper,
                       ValueRange{ctx, condition, message});
}

void RuntimeCalls::createCheckStack(OpBuilder &builder, Location loc,
                                    Value ctx) {
  LLVM::LLVMFuncOp helper = getHelper(
      "dynbatch_check_stack", voidType, {ptr},
      [&](OpBuilder &b, LLVM::LLVMFuncOp func) {
        Location loc = func.getLoc();
        Value here = LLVM::CallIntrinsicOp::create(
                         b, loc, ptr, b.getStringAttr("llvm.frameaddress.p0"),
                         ValueRange{LLVM::ConstantOp::create(
                             b, loc, b.getI32Type(), b.getI32IntegerAttr(0))})
                         .getResult(0);
        Value limit = LLVM::LoadOp::create(
            b, loc, ptr,
            createOffset(b, loc, func.getArgument(0),
                         offsetof(dynbatch_context, stack_limit)));
        Value failed =
            LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, here, limit);
        buildGuard(b, func, failed,
                   declare("dynbatch_rt_stack_overflow", voidType, {ptr}),
                   func.getArguments());
      });
  LLVM::CallOp::create(builder, loc, helper, ctx);
}

void RuntimeCalls::createForce(OpBuilder &builder, Location loc, Value ctx,
                               Value stamp) {
  LLVM::LLVMFuncOp helper = getHelper(
      "dynbatch_force", voidType, {ptr, i64},
      [&](OpBuilder &b, LLVM::LLVMFuncOp func) {
        Location loc = func.getLoc();
        Value ctx = func.getArgument(0);
        Value shift = createI64(b, loc, DYNBATCH_STAMP_EPOCH_SHIFT);
        Value epoch = LLVM::LoadOp::create(
            b, loc, i64,
            createOffset(b, loc, ctx, offsetof(dynbatch_context, epoch)));
        // Ready tensors have stamp 0, and no epoch is 0.
        Value pending = LLVM::ICmpOp::create(
            b, loc, LLVM::ICmpPredicate::eq,
            LLVM::LShrOp::create(b, loc, func.getArgument(1), shift),
            LLVM::LShrOp::create(b, loc, epoch, shift));
        Block *entry = b.getInsertionBlock();
        Block *flush = b.createBlock(&func.getBody());
        LLVM::CallOp::create(
            b, loc, declare("dynbatch_rt_flush", voidType, {ptr}), ctx);
        LLVM::ReturnOp::create(b, loc, ValueRange());
        Block *done = b.createBlock(&func.getBody());
        LLVM::ReturnOp::create(b, loc, ValueRange());
        b.setInsertionPointToEnd(entry);
        LLVM::CondBrOp::create(b, loc, pending, flush, done);
      });
  LLVM::CallOp::create(builder, loc, helper, ValueRange{ctx, stamp});
}

Value RuntimeCalls::createRead(OpBuilder &builder, Location loc, Value ctx,
                               Value address, Value stamp, int64_t bytes) {
  return LLVM::CallOp::create(
             builder, loc,
             declare("dynbatch_rt_read", ptr, {ptr, i64, i64, i64}),
             ValueRange{ctx, address, stamp, createI64(builder, loc, bytes)})
      .getResult();
}

Value RuntimeCalls::createSpawn(OpBuilder &builder, Location loc, Value ctx,
                                Value function, Value frame) {
  return LLVM::CallOp::create(
             builder, loc, declare("dynbatch_rt_spawn", ptr, {ptr, ptr, ptr}),
             ValueRange{ctx, function, frame})
      .getResult();
}

void RuntimeCalls::createJoin(OpBuilder &builder, Location loc, Value ctx,
                              Value handle) {
  LLVM::CallOp::create(builder, loc,
                       declare("dynbatch_rt_join", voidType, {ptr, ptr}),
                       ValueRange{ctx, handle});
}

//===----------------------------------------------------------------------===//
// Allocation and enqueue
//===----------------------------------------------------------------------===//

Value RuntimeCalls::buildBump(OpBuilder &b, LLVM::LLVMFuncOp func, Value ctx,
                              Value bytes, int64_t cursorOffset,
                              int64_t endOffset, StringRef slow) {
  Location loc = func.getLoc();
  Value cursorField = createOffset(b, loc, ctx, cursorOffset);
  Value cursor = LLVM::LoadOp::create(b, loc, ptr, cursorField);
  Value next = LLVM::GEPOp::create(b, loc, ptr, b.getI8Type(), cursor,
                                   ArrayRef<LLVM::GEPArg>{bytes});
  Value end =
      LLVM::LoadOp::create(b, loc, ptr, createOffset(b, loc, ctx, endOffset));
  Value full =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ugt, next, end);
  Block *entry = b.getInsertionBlock();
  Block *grow = b.createBlock(&func.getBody());
  Value fresh = LLVM::CallOp::create(b, loc, declare(slow, ptr, {ptr, i64}),
                                     ValueRange{ctx, bytes})
                    .getResult();
  Block *take = b.createBlock(&func.getBody());
  LLVM::StoreOp::create(b, loc, next, cursorField);
  Block *done = b.createBlock(&func.getBody(), {}, ptr, loc);
  b.setInsertionPointToEnd(entry);
  LLVM::CondBrOp::create(b, loc, full, grow, take);
  b.setInsertionPointToEnd(grow);
  LLVM::BrOp::create(b, loc, fresh, done);
  b.setInsertionPointToEnd(take);
  LLVM::BrOp::create(b, loc, cursor, done);
  b.setInsertionPointToEnd(done);
  return done->getArgument(0);
}

Value RuntimeCalls::createHeapAlloc(OpBuilder &builder, Location loc, Value ctx,
                                    Value bytes) {
  LLVM::LLVMFuncOp helper = getHelper(
      "dynbatch_heap", ptr, {ptr, i64},
      [&](OpBuilder &b, LLVM::LLVMFuncOp func) {
        Value cell = buildBump(
            b, func, func.getArgument(0), func.getArgument(1),
            offsetof(dynbatch_context, heap_cursor),
            offsetof(dynbatch_context, heap_end), "dynbatch_rt_heap_alloc");
        LLVM::ReturnOp::create(b, func.getLoc(), cell);
      });
  return LLVM::CallOp::create(builder, loc, helper, ValueRange{ctx, bytes})
      .getResult();
}

/// Arguments: context, depth, operand words. Returns the result block.
void RuntimeCalls::buildEnqueue(OpBuilder &b, LLVM::LLVMFuncOp func,
                                int64_t index, int64_t resultBytes) {
  Location loc = func.getLoc();
  Value ctx = func.getArgument(0), depth = func.getArgument(1);
  auto operands = func.getArguments().drop_front(2);
  int64_t rowBytes = (operands.size() + 1) * sizeof(int64_t);

  Value queues = LLVM::LoadOp::create(
      b, loc, ptr,
      createOffset(b, loc, ctx, offsetof(dynbatch_context, queues)));
  Value queue = createOffset(b, loc, queues, index * sizeof(dynbatch_queue));
  Value numBuckets = LLVM::LoadOp::create(
      b, loc, i64,
      createOffset(b, loc, queue, offsetof(dynbatch_queue, num_buckets)));
  Value exists =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ult, depth, numBuckets);
  Block *entry = b.getInsertionBlock();

  Block *found = b.createBlock(&func.getBody());
  Value buckets = LLVM::LoadOp::create(b, loc, ptr, queue);
  auto bucketType =
      LLVM::LLVMArrayType::get(b.getI8Type(), sizeof(dynbatch_bucket));
  Value bucket = LLVM::GEPOp::create(b, loc, ptr, bucketType, buckets,
                                     ArrayRef<LLVM::GEPArg>{depth});
  Value cursor = LLVM::LoadOp::create(b, loc, ptr, bucket);
  Value next = createOffset(b, loc, cursor, rowBytes);
  Value end = LLVM::LoadOp::create(
      b, loc, ptr,
      createOffset(b, loc, bucket, offsetof(dynbatch_bucket, end)));
  Value full =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ugt, next, end);

  Block *slow = b.createBlock(&func.getBody());
  Value reserved =
      LLVM::CallOp::create(b, loc,
                           declare("dynbatch_rt_reserve", ptr, {ptr, i64, i64}),
                           ValueRange{ctx, createI64(b, loc, index), depth})
          .getResult();
  Block *take = b.createBlock(&func.getBody());
  LLVM::StoreOp::create(b, loc, next, bucket);
  Block *write = b.createBlock(&func.getBody(), {}, ptr, loc);

  b.setInsertionPointToEnd(entry);
  LLVM::CondBrOp::create(b, loc, exists, found, slow);
  b.setInsertionPointToEnd(found);
  LLVM::CondBrOp::create(b, loc, full, slow, take);
  b.setInsertionPointToEnd(slow);
  LLVM::BrOp::create(b, loc, reserved, write);
  b.setInsertionPointToEnd(take);
  LLVM::BrOp::create(b, loc, cursor, write);

  b.setInsertionPointToEnd(write);
  Value row = write->getArgument(0);
  for (auto [i, operand] : llvm::enumerate(operands))
    LLVM::StoreOp::create(b, loc, operand,
                          createOffset(b, loc, row, i * sizeof(int64_t)));
  Value block = buildBump(b, func, ctx, createI64(b, loc, resultBytes),
                          offsetof(dynbatch_context, arena_cursor),
                          offsetof(dynbatch_context, arena_end),
                          "dynbatch_rt_arena_alloc");
  Value address = LLVM::PtrToIntOp::create(b, loc, i64, block);
  LLVM::StoreOp::create(b, loc, address,
                        createOffset(b, loc, row, rowBytes - sizeof(int64_t)));
  LLVM::ReturnOp::create(b, loc, address);
}

Value RuntimeCalls::createEnqueue(OpBuilder &builder, Location loc, Value ctx,
                                  KernelOp kernel, int64_t index,
                                  int64_t resultBytes, Value depth,
                                  ValueRange operands) {
  SmallVector<Type> inputs = {ptr, i64};
  inputs.append(operands.size(), i64);
  LLVM::LLVMFuncOp helper =
      getHelper(("dynbatch_enqueue_" + kernel.getSymName()).str(), i64, inputs,
                [&](OpBuilder &b, LLVM::LLVMFuncOp func) {
                  buildEnqueue(b, func, index, resultBytes);
                });
  SmallVector<Value> arguments = {ctx, depth};
  llvm::append_range(arguments, operands);
  return LLVM::CallOp::create(builder, loc, helper, arguments).getResult();
}
