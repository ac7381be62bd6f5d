//===- DataOps.cpp - Algebraic data types -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "dynbatch/IR/Dynbatch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::dynbatch;

/// `(` type, ... `)`
static ParseResult parseFieldTypes(OpAsmParser &parser, ArrayAttr &fields) {
  SmallVector<Attribute> types;
  auto parseOne = [&]() -> ParseResult {
    Type type;
    if (parser.parseType(type))
      return failure();
    types.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
    return failure();
  fields = parser.getBuilder().getArrayAttr(types);
  return success();
}

static void printFieldTypes(OpAsmPrinter &p, Operation *, ArrayAttr fields) {
  p << '(';
  llvm::interleaveComma(fields.getAsValueRange<TypeAttr>(), p);
  p << ')';
}

// Here, since the generated parsers use the two functions above.
#define GET_OP_CLASSES
#include "dynbatch/IR/DynbatchOps.cpp.inc"

//===----------------------------------------------------------------------===//
// AdtOp, CtorOp
//===----------------------------------------------------------------------===//

LogicalResult AdtOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<CtorOp>(op))
      return op.emitOpError("only constructors may stand in a 'dynbatch.adt'");
  if (getBody().front().empty())
    return emitOpError("needs at least one constructor");
  return success();
}

FailureOr<int64_t> AdtOp::getTag(StringRef name) {
  for (auto [tag, ctor] : llvm::enumerate(getCtors()))
    if (ctor.getSymName() == name)
      return tag;
  return failure();
}

/// The ADTs that `type` mentions, through sequences.
static AdtType getMentionedAdt(Type type) {
  while (auto seq = dyn_cast<SeqType>(type))
    type = seq.getElementType();
  return dyn_cast<AdtType>(type);
}

LogicalResult CtorOp::verify() {
  for (auto [i, type] : llvm::enumerate(getFieldTypes())) {
    if (!isDataType(type) || isa<FiberType>(type))
      return emitOpError() << "field #" << i << " cannot be of type " << type
                           << ": expected a scalar, a tensor of static shape, "
                              "an ADT or a sequence";
    if (AdtType adt = getMentionedAdt(type); adt && !lookupAdt(*this, adt))
      return emitOpError() << "field #" << i << " refers to the undeclared ADT "
                           << adt.getName();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ConstructOp
//===----------------------------------------------------------------------===//

static bool isWellFormed(AdtOp adt) {
  auto isType = [](Attribute attr) { return isa<TypeAttr>(attr); };
  return adt->getNumRegions() == 1 && llvm::hasSingleElement(adt.getBody()) &&
         llvm::all_of(adt.getCtors(), [&](CtorOp ctor) {
           return ctor.getSymNameAttr() && ctor.getFieldsAttr() &&
                  llvm::all_of(ctor.getFieldsAttr(), isType);
         });
}

FailureOr<AdtOp> mlir::dynbatch::requireAdt(Operation *op, AdtType type,
                                            SymbolTableCollection &tables) {
  AdtOp adt = lookupAdt(op, type, &tables);
  if (!adt)
    return op->emitOpError() << "undeclared ADT " << type.getName();
  if (!isWellFormed(adt))
    return op->emitOpError()
           << "the declaration of ADT " << type.getName() << " is malformed";
  return adt;
}

FailureOr<CtorOp> mlir::dynbatch::requireCtor(Operation *op, AdtType type,
                                              StringRef name,
                                              SymbolTableCollection &tables) {
  FailureOr<AdtOp> adt = requireAdt(op, type, tables);
  if (failed(adt))
    return failure();
  CtorOp ctor = lookupCtor(op, type, name, &tables);
  if (ctor)
    return ctor;
  InFlightDiagnostic diag = op->emitOpError()
                            << "ADT " << type.getName()
                            << " has no constructor @" << name;
  diag.attachNote(adt->getLoc()) << "declared here";
  return diag;
}

LogicalResult ConstructOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<CtorOp> ctor =
      requireCtor(*this, getResult().getType(), getCtor(), tables);
  if (failed(ctor))
    return failure();
  SmallVector<Type> types = ctor->getFieldTypes();
  if (types.size() != getFields().size())
    return emitOpError() << "constructor @" << getCtor() << " has "
                         << types.size() << " fields, but "
                         << getFields().size() << " values are given";
  for (auto [i, want, got] : llvm::enumerate(types, getFields().getTypes()))
    if (want != got)
      return emitOpError() << "field #" << i << " of @" << getCtor()
                           << " must be " << want << ", but is " << got;
  return success();
}

//===----------------------------------------------------------------------===//
// MatchOp
//===----------------------------------------------------------------------===//

ParseResult MatchOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand scrutinee;
  Type type;
  if (parser.parseOperand(scrutinee) || parser.parseColonType(type) ||
      parser.resolveOperand(scrutinee, type, result.operands) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Attribute> cases;
  while (succeeded(parser.parseOptionalKeyword("case"))) {
    FlatSymbolRefAttr ctor;
    SmallVector<OpAsmParser::Argument> args;
    Region *region = result.addRegion();
    if (parser.parseAttribute(ctor) ||
        parser.parseArgumentList(args, OpAsmParser::Delimiter::Paren,
                                 /*allowType=*/true) ||
        parser.parseRegion(*region, args))
      return failure();
    ensureTerminator(*region, parser.getBuilder(), result.location);
    cases.push_back(ctor);
  }
  result.addAttribute(getCasesAttrName(result.name),
                      parser.getBuilder().getArrayAttr(cases));
  return success();
}

void MatchOp::print(OpAsmPrinter &p) {
  p << ' ' << getScrutinee() << " : " << getScrutinee().getType();
  p.printOptionalArrowTypeList(getResultTypes());
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getCasesAttrName()});
  p.increaseIndent();
  for (auto [ctor, region] : llvm::zip_equal(
           getCases().getAsRange<FlatSymbolRefAttr>(), getCaseRegions())) {
    p.printNewline();
    p << "case " << ctor << '(';
    llvm::interleaveComma(region.getArguments(), p, [&](BlockArgument arg) {
      p.printRegionArgument(arg);
    });
    p << ") ";
    p.printRegion(region, /*printEntryBlockArgs=*/false,
                  /*printBlockTerminators=*/true);
  }
  p.decreaseIndent();
}

LogicalResult MatchOp::verify() {
  if (getCases().size() != getCaseRegions().size())
    return emitOpError() << "has " << getCases().size() << " cases, but "
                         << getCaseRegions().size() << " regions";
  return success();
}

LogicalResult MatchOp::verifySymbolUses(SymbolTableCollection &tables) {
  llvm::StringSet<> seen;
  AdtType type = getScrutinee().getType();
  FailureOr<AdtOp> adt = requireAdt(*this, type, tables);
  if (failed(adt))
    return failure();
  for (auto [name, region] : llvm::zip_equal(
           getCases().getAsValueRange<FlatSymbolRefAttr>(), getCaseRegions())) {
    FailureOr<CtorOp> ctor = requireCtor(*this, type, name, tables);
    if (failed(ctor))
      return failure();
    if (!seen.insert(name).second)
      return emitOpError() << "constructor @" << name << " has two cases";
    SmallVector<Type> fields = ctor->getFieldTypes();
    if (fields.size() != region.getNumArguments())
      return emitOpError() << "case @" << name << " binds "
                           << region.getNumArguments()
                           << " values, but the constructor has "
                           << fields.size() << " fields";
    for (auto [i, want, got] :
         llvm::enumerate(fields, region.getArgumentTypes()))
      if (want != got)
        return emitOpError() << "case @" << name << " binds field #" << i
                             << " as " << got << ", but it is " << want;
  }
  for (CtorOp ctor : adt->getCtors())
    if (!seen.contains(ctor.getSymName()))
      return emitOpError() << "constructor @" << ctor.getSymName()
                           << " has no case";
  return success();
}

void MatchOp::getSuccessorRegions(RegionBranchPoint point,
                                  SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.emplace_back(getOperation(), getResults());
    return;
  }
  // Fields come out of the scrutinee, not from forwarded operands.
  for (Region &region : getCaseRegions())
    regions.emplace_back(&region);
}

void MatchOp::getRegionInvocationBounds(
    ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.append(getCaseRegions().size(), InvocationBounds(0, 1));
}

namespace {
/// match(construct) is the body of that constructor's case.
struct MatchOfConstruct : OpRewritePattern<MatchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatchOp op,
                                PatternRewriter &rewriter) const override {
    auto construct = op.getScrutinee().getDefiningOp<ConstructOp>();
    if (!construct)
      return rewriter.notifyMatchFailure(op, "scrutinee is not a construct");
    auto *it = llvm::find(op.getCases(), construct.getCtorAttr());
    if (it == op.getCases().end())
      return rewriter.notifyMatchFailure(op, "constructor has no case");
    Region &region = op.getCaseRegions()[it - op.getCases().begin()];
    Operation *yield = region.front().getTerminator();
    // In a graph region an op can use its own results.
    auto isOwnResult = [&](Value value) { return value.getDefiningOp() == op; };
    if (llvm::any_of(construct.getFields(), isOwnResult) ||
        llvm::any_of(yield->getOperands(), isOwnResult))
      return rewriter.notifyMatchFailure(op, "depends on itself");
    rewriter.inlineBlockBefore(&region.front(), op, construct.getFields());
    rewriter.replaceOp(op, yield->getOperands());
    rewriter.eraseOp(yield);
    return success();
  }
};
} // namespace

void MatchOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<MatchOfConstruct>(context);
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  Operation *parent = (*this)->getParentOp();
  // Elements of a sequence are stored, not forwarded.
  if (isa<MapOp>(parent))
    return MutableOperandRange(getOperation(), 0, 0);
  // Asked before it is verified that there are enough.
  if (auto scan = dyn_cast<ScanOp>(parent))
    return MutableOperandRange(
        getOperation(), 0,
        std::min<unsigned>(scan.getInits().size(), getNumOperands()));
  return getValuesMutable();
}
