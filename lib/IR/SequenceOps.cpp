//===- SequenceOps.cpp - Sequences -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Dynbatch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::dynbatch;

//===----------------------------------------------------------------------===//
// MakeSeqOp
//===----------------------------------------------------------------------===//

ParseResult MakeSeqOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> elements;
  SeqType type;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(elements) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return parser.resolveOperands(
      elements, SmallVector<Type>(elements.size(), type.getElementType()), loc,
      result.operands);
}

void MakeSeqOp::print(OpAsmPrinter &p) {
  if (!getElements().empty())
    p << ' ' << getElements();
  p.printOptionalAttrDict((*this)->getAttrs());
  p << " : " << getResult().getType();
}

LogicalResult MakeSeqOp::verify() {
  Type want = getResult().getType().getElementType();
  for (auto [i, got] : llvm::enumerate(getElements().getTypes()))
    if (got != want)
      return emitOpError() << "element #" << i << " must be " << want
                           << ", but is " << got;
  return success();
}

//===----------------------------------------------------------------------===//
// LengthOp, GetOp
//===----------------------------------------------------------------------===//

OpFoldResult LengthOp::fold(FoldAdaptor) {
  if (auto make = getSeq().getDefiningOp<MakeSeqOp>())
    return IntegerAttr::get(IndexType::get(getContext()),
                            make.getElements().size());
  // A map's results are as long as its inputs. In dead code maps can be inputs
  // of one another.
  Value seq = getSeq();
  SmallPtrSet<Operation *, 4> seen;
  while (auto map = seq.getDefiningOp<MapOp>()) {
    if (!seen.insert(map).second)
      return {};
    seq = map.getInputs().front();
  }
  if (seq == getSeq())
    return {};
  getSeqMutable().assign(seq);
  return getResult();
}

OpFoldResult GetOp::fold(FoldAdaptor adaptor) {
  auto make = getSeq().getDefiningOp<MakeSeqOp>();
  auto index = dyn_cast_or_null<IntegerAttr>(adaptor.getIndex());
  if (!make || !index)
    return {};
  // Out of range is a run-time error, not undefined: leave it.
  if (index.getValue().uge(make.getElements().size()))
    return {};
  Value element = make.getElements()[index.getInt()];
  return element == getResult() ? OpFoldResult() : element;
}

//===----------------------------------------------------------------------===//
// MapOp, ScanOp
//===----------------------------------------------------------------------===//

/// Parses `(%x = %xs : seq-type, ...)`; the arguments get the element types
/// for inputs and the types themselves for carried values.
static ParseResult
parseBindings(OpAsmParser &parser, bool elements,
              SmallVectorImpl<OpAsmParser::Argument> &arguments,
              SmallVectorImpl<Value> &operands) {
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::Argument argument;
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseArgument(argument) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.parseColonType(type) ||
        parser.resolveOperand(operand, type, operands))
      return failure();
    argument.type = type;
    if (elements) {
      auto seq = dyn_cast<SeqType>(type);
      if (!seq)
        return parser.emitError(loc, "expected a sequence, got ") << type;
      argument.type = seq.getElementType();
    }
    arguments.push_back(argument);
    return success();
  };
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                        parseOne);
}

static void printBindings(OpAsmPrinter &p, Block::BlockArgListType arguments,
                          OperandRange operands) {
  p << '(';
  llvm::interleaveComma(llvm::zip_equal(arguments, operands), p, [&](auto it) {
    auto [argument, operand] = it;
    p << argument << " = " << operand << " : " << operand.getType();
  });
  p << ')';
}

/// The element of every sequence operand is a region argument of its type.
static LogicalResult verifyElementArguments(Operation *op, OperandRange inputs,
                                            Block &body) {
  if (inputs.empty())
    return op->emitOpError("needs at least one sequence");
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Type want = cast<SeqType>(input.getType()).getElementType();
    if (body.getNumArguments() <= i || body.getArgument(i).getType() != want)
      return op->emitOpError()
             << "region argument #" << i << " must be " << want;
  }
  return success();
}

/// The values yielded from position `first` on are elements of the sequences
/// `results`.
static LogicalResult verifyYieldedElements(Operation *op, YieldOp yield,
                                           unsigned first,
                                           ResultRange results) {
  if (yield.getNumOperands() != first + results.size())
    return yield.emitOpError()
           << "must give " << first + results.size() << " values, but gives "
           << yield.getNumOperands();
  for (auto [i, result] : llvm::enumerate(results)) {
    Type want = cast<SeqType>(result.getType()).getElementType();
    Type got = yield.getOperand(first + i).getType();
    if (got != want)
      return yield.emitOpError() << "value #" << first + i << " must be "
                                 << want << ", but is " << got;
  }
  return success();
}

ParseResult MapOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseBindings(parser, /*elements=*/true, arguments, result.operands) ||
      parser.parseOptionalArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void MapOp::print(OpAsmPrinter &p) {
  p << ' ';
  printBindings(p, getBody().getArguments(), getInputs());
  p.printOptionalArrowTypeList(getResultTypes());
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError() << "region has " << body.getNumArguments()
                         << " arguments, but there are " << getInputs().size()
                         << " sequences";
  return verifyElementArguments(*this, getInputs(), body);
}

LogicalResult MapOp::verifyRegions() {
  return verifyYieldedElements(
      *this, cast<YieldOp>(getBody().front().getTerminator()), 0, getResults());
}

void MapOp::getSuccessorRegions(RegionBranchPoint,
                                SmallVectorImpl<RegionSuccessor> &regions) {
  regions.emplace_back(&getBody());
  regions.emplace_back(getOperation(), getResults().take_front(0));
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    result.addAttribute(getReverseAttrName(result.name),
                        parser.getBuilder().getUnitAttr());
  SmallVector<OpAsmParser::Argument> arguments;
  if (parseBindings(parser, /*elements=*/true, arguments, result.operands))
    return failure();
  int32_t numInputs = result.operands.size();
  if (succeeded(parser.parseOptionalKeyword("carry")) &&
      parseBindings(parser, /*elements=*/false, arguments, result.operands))
    return failure();
  for (Value init : ArrayRef(result.operands).drop_front(numInputs))
    result.addTypes(init.getType());
  SmallVector<Type> outputs;
  if (parser.parseOptionalArrowTypeList(outputs) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addTypes(outputs);
  int32_t numInits = result.operands.size() - numInputs;
  result.getOrAddProperties<Properties>().operandSegmentSizes = {numInputs,
                                                                 numInits};
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ScanOp::print(OpAsmPrinter &p) {
  if (getReverse())
    p << " reverse";
  p << ' ';
  printBindings(p, getBody().getArguments().take_front(getInputs().size()),
                getInputs());
  if (!getInits().empty()) {
    p << " carry";
    printBindings(p, getCarriedArgs(), getInits());
  }
  p.printOptionalArrowTypeList(
      getResults().drop_front(getInits().size()).getTypes());
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getReverseAttrName(), getOperandSegmentSizesAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ScanOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size() + getInits().size())
    return emitOpError() << "region has " << body.getNumArguments()
                         << " arguments, but there are " << getInputs().size()
                         << " sequences and " << getInits().size()
                         << " carried values";
  if (getNumResults() < getInits().size())
    return emitOpError("needs a result for every carried value");
  for (auto [i, result] :
       llvm::enumerate(getResults().drop_front(getInits().size())))
    if (!isa<SeqType>(result.getType()))
      return emitOpError() << "output #" << i << " must be a sequence";
  return verifyElementArguments(*this, getInputs(), body);
}

LogicalResult ScanOp::verifyRegions() {
  return verifyYieldedElements(
      *this, cast<YieldOp>(getBody().front().getTerminator()),
      getInits().size(), getResults().drop_front(getInits().size()));
}

OperandRange ScanOp::getEntrySuccessorOperands(RegionSuccessor) {
  return getInits();
}

void ScanOp::getSuccessorRegions(RegionBranchPoint,
                                 SmallVectorImpl<RegionSuccessor> &regions) {
  // An empty sequence goes straight to the results.
  regions.emplace_back(&getBody(), getCarriedArgs());
  regions.emplace_back(getOperation(),
                       getResults().take_front(getInits().size()));
}
