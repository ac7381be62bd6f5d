//===- DynbatchToSCF.cpp - match, map and scan to structured control flow -*-
//C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::dynbatch {
#define GEN_PASS_DEF_CONVERTDYNBATCHTOSCF
#include "dynbatch/Conversion/HostPasses.h.inc"
} // namespace mlir::dynbatch

using namespace mlir;
using namespace mlir::dynbatch;

/// Builds the loop that `map` and `scan` share: elements of `inputs` at
/// position i, carried values, and one new sequence for each of `outputs`.
static SmallVector<Value> buildLoop(Operation *op, Region &body,
                                    ValueRange inputs, ValueRange inits,
                                    TypeRange outputs, bool reverse,
                                    ConversionPatternRewriter &rewriter) {
  Location loc = op->getLoc();
  Value length = LengthOp::create(rewriter, loc, inputs.front());
  for (Value input : inputs.drop_front()) {
    Value other = LengthOp::create(rewriter, loc, input);
    Value same = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       length, other);
    cf::AssertOp::create(rewriter, loc, same, "sequences of different lengths");
  }
  SmallVector<Value> sequences;
  for (Type type : outputs)
    sequences.push_back(SeqAllocOp::create(rewriter, loc, type, length));

  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto loop = scf::ForOp::create(rewriter, loc, zero, length, one, inits);
  Block *block = loop.getBody();
  // Without carried values the loop comes with a terminator.
  if (!block->empty())
    rewriter.eraseOp(block->getTerminator());
  rewriter.setInsertionPointToStart(block);
  Value position = loop.getInductionVar();
  if (reverse) {
    Value last = arith::SubIOp::create(rewriter, loc, length, one);
    position = arith::SubIOp::create(rewriter, loc, last, position);
  }
  SmallVector<Value> arguments;
  for (Value input : inputs)
    arguments.push_back(GetOp::create(
        rewriter, loc, cast<SeqType>(input.getType()).getElementType(), input,
        position));
  llvm::append_range(arguments, loop.getRegionIterArgs());
  Operation *yield = body.front().getTerminator();
  rewriter.inlineBlockBefore(&body.front(), block, block->end(), arguments);

  rewriter.setInsertionPoint(yield);
  OperandRange values = yield->getOperands();
  for (auto [sequence, value] :
       llvm::zip_equal(sequences, values.drop_front(inits.size())))
    SeqSetOp::create(rewriter, loc, sequence, position, value);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield,
                                            values.take_front(inits.size()));

  SmallVector<Value> results(loop.getResults());
  llvm::append_range(results, sequences);
  return results;
}

namespace {
struct MatchLowering : OpConversionPattern<MatchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MatchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    AdtOp adt = lookupAdt(op, op.getScrutinee().getType());
    SmallVector<Region *> regions(op.getCaseRegions().size());
    for (auto [name, region] :
         llvm::zip_equal(op.getCases().getAsValueRange<FlatSymbolRefAttr>(),
                         op.getCaseRegions()))
      regions[*adt.getTag(name)] = &region;

    Value scrutinee = adaptor.getScrutinee();
    Value tag = TagOp::create(rewriter, op.getLoc(), scrutinee);
    // The last constructor needs no test.
    int64_t numCases = regions.size() - 1;
    auto switchOp = scf::IndexSwitchOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), tag,
        llvm::to_vector(llvm::seq<int64_t>(0, numCases)), numCases);
    for (auto [tagValue, region, ctor] :
         llvm::enumerate(regions, adt.getCtors())) {
      Region &target = static_cast<int64_t>(tagValue) == numCases
                           ? switchOp.getDefaultRegion()
                           : switchOp.getCaseRegions()[tagValue];
      Block *block = rewriter.createBlock(&target);
      SmallVector<Value> fields;
      for (BlockArgument argument : region->getArguments())
        fields.push_back(FieldOp::create(
            rewriter, argument.getLoc(), argument.getType(),
            FlatSymbolRefAttr::get(ctor.getSymNameAttr()),
            rewriter.getI64IntegerAttr(argument.getArgNumber()), scrutinee));
      Operation *yield = region->front().getTerminator();
      rewriter.inlineBlockBefore(&region->front(), block, block->end(), fields);
      rewriter.setInsertionPoint(yield);
      rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, yield->getOperands());
    }
    rewriter.replaceOp(op, switchOp.getResults());
    return success();
  }
};

struct MapLowering : OpConversionPattern<MapOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(MapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildLoop(op, op.getBody(), adaptor.getInputs(), {},
                                     op.getResultTypes(), /*reverse=*/false,
                                     rewriter));
    return success();
  }
};

struct ScanLowering : OpConversionPattern<ScanOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ScanOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeRange outputs =
        op.getResults().drop_front(op.getInits().size()).getTypes();
    rewriter.replaceOp(op, buildLoop(op, op.getBody(), adaptor.getInputs(),
                                     adaptor.getInits(), outputs,
                                     op.getReverse(), rewriter));
    return success();
  }
};

struct ConvertDynbatchToSCF
    : dynbatch::impl::ConvertDynbatchToSCFBase<ConvertDynbatchToSCF> {
  using ConvertDynbatchToSCFBase::ConvertDynbatchToSCFBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MatchLowering, MapLowering, ScanLowering>(&getContext());
    ConversionTarget target(getContext());
    target.addIllegalOp<MatchOp, MapOp, ScanOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
