//===- SimtCalls.cpp - Calls into the runtime from GPU kernels -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimtCalls.h"
#include "dynbatch/Conversion/Place.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::dynbatch;

Value mlir::dynbatch::createI32(OpBuilder &builder, Location loc,
                                int32_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value mlir::dynbatch::createI64(OpBuilder &builder, Location loc,
                                int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value mlir::dynbatch::toI64(OpBuilder &builder, Location loc, Value index) {
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
}

Value mlir::dynbatch::loadThreadField(OpBuilder &builder, Location loc,
                                      Value thread, int64_t offset, Type type) {
  Value field = LLVM::GEPOp::create(
      builder, loc, thread.getType(), builder.getI8Type(), thread,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(builder, loc, type, field, sizeof(int64_t),
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/true);
}

SimtCalls::SimtCalls(ModuleOp module)
    : module(module), symbols(module),
      ptr(LLVM::LLVMPointerType::get(module.getContext())),
      i32(IntegerType::get(module.getContext(), 32)),
      i64(IntegerType::get(module.getContext(), 64)),
      voidType(LLVM::LLVMVoidType::get(module.getContext())) {}

Value SimtCalls::getThread(Operation *op) {
  return op->getParentOfType<func::FuncOp>().getArgument(0);
}

LLVM::GlobalOp SimtCalls::buildString(Location loc, StringRef text) {
  std::string contents = text.str();
  contents.push_back('\0');
  OpBuilder builder(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), contents.size());
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "dynbatch_simt_string", builder.getStringAttr(contents));
  symbols.insert(global);
  return global;
}

Value SimtCalls::createString(OpBuilder &builder, Location loc,
                              StringRef text) {
  LLVM::GlobalOp &global = strings[text];
  if (!global)
    global = buildString(loc, text);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

static std::string describe(Operation *op) {
  std::string name = ("'" + op->getName().getStringRef() + "'").str();
  return withPlace(name, op->getLoc());
}

Value SimtCalls::createDescription(OpBuilder &builder, Operation *op) {
  return createString(builder, op->getLoc(), describe(op));
}

Value SimtCalls::createMeetingPoint(OpBuilder &builder, Operation *op) {
  return LLVM::AddressOfOp::create(builder, op->getLoc(),
                                   buildString(op->getLoc(), describe(op)));
}

Value SimtCalls::createCall(OpBuilder &builder, Location loc, StringRef name,
                            Type result, ValueRange operands) {
  auto func = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (!func) {
    OpBuilder moduleBuilder(module.getBodyRegion());
    func = LLVM::LLVMFuncOp::create(
        moduleBuilder, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(
            result, llvm::to_vector(ValueRange(operands).getTypes())));
    symbols.insert(func);
  }
  auto call = LLVM::CallOp::create(builder, loc, func, operands);
  return call.getNumResults() ? call.getResult() : Value();
}

void SimtCalls::createLaunch(OpBuilder &builder, Location loc,
                             ValueRange operands) {
  createCall(builder, loc, "dynbatch_rt_simt_launch", voidType, operands);
}

void SimtCalls::createBarrier(OpBuilder &builder, Operation *op) {
  createCall(builder, op->getLoc(), "dynbatch_rt_simt_barrier", voidType,
             {getThread(op), createMeetingPoint(builder, op)});
}

std::pair<Value, Value> SimtCalls::createShuffle(OpBuilder &builder,
                                                 Operation *op, int32_t mode,
                                                 Value value, Value offset,
                                                 Value width) {
  Location loc = op->getLoc();
  Type result =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i64});
  Value pair =
      createCall(builder, loc, "dynbatch_rt_simt_shuffle", result,
                 {getThread(op), createMeetingPoint(builder, op),
                  createI32(builder, loc, mode), value, offset, width});
  Value valid = LLVM::ExtractValueOp::create(builder, loc, pair, 1);
  return {LLVM::ExtractValueOp::create(builder, loc, pair, 0),
          arith::TruncIOp::create(builder, loc, builder.getI1Type(), valid)};
}

void SimtCalls::createMma(OpBuilder &builder, Operation *op, int32_t type,
                          int32_t k, ValueRange fragments) {
  Location loc = op->getLoc();
  SmallVector<Value> operands = {getThread(op), createMeetingPoint(builder, op),
                                 createI32(builder, loc, type),
                                 createI32(builder, loc, k)};
  llvm::append_range(operands, fragments);
  createCall(builder, loc, "dynbatch_rt_simt_mma", voidType, operands);
}

void SimtCalls::createCheckIndex(OpBuilder &builder, Operation *op, Value what,
                                 int64_t dimension, Value index, Value extent,
                                 Value size) {
  Location loc = op->getLoc();
  createCall(builder, loc, "dynbatch_rt_simt_check_index", voidType,
             {getThread(op), what, createI64(builder, loc, dimension),
              toI64(builder, loc, index), toI64(builder, loc, extent),
              toI64(builder, loc, size)});
}

void SimtCalls::createAccess(OpBuilder &builder, Operation *op, Value what,
                             int32_t access, Value address, int64_t bytes,
                             int64_t alignment) {
  Location loc = op->getLoc();
  Value pointer = LLVM::IntToPtrOp::create(builder, loc, ptr, address);
  createCall(builder, loc, "dynbatch_rt_simt_access", voidType,
             {getThread(op), what, createI32(builder, loc, access), pointer,
              createI64(builder, loc, bytes),
              createI64(builder, loc, alignment)});
}
