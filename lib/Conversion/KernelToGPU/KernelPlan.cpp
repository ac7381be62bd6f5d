//===- KernelPlan.cpp - Launches of a kernel -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPlan.h"
#include "dynbatch/Conversion/KernelLayout.h"
#include "dynbatch/Runtime/ABI.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::dynbatch;
using linalg::LinalgOp;

/// Groups of columns that a thread can hold.
static constexpr int64_t kMaxGroups = 8;
/// Narrower groups leave threads of a tile idle.
static constexpr int64_t kMinWidth = 4;
/// Terms from which on threads share a reduction.
static constexpr int64_t kMinSharedTerms = 32;

bool KernelPlan::isEmpty(const Launch &launch) const {
  return llvm::all_of(launch.steps, [&](const Step &step) {
    return llvm::all_of(step.values, [&](Value value) {
      return !getStorage(value) ||
             llvm::is_contained(
                 cast<RankedTensorType>(value.getType()).getShape(), 0);
    });
  });
}

bool KernelPlan::isStoredBefore(Value value, unsigned launch) const {
  const Storage *place = getStorage(value);
  auto it = makers.find(value);
  return place && place->isGlobal() && it != makers.end() &&
         it->second->launch < launch;
}

int64_t Launch::getNumGroups() const {
  auto type = cast<RankedTensorType>(contraction->result.getType());
  return type.getShape().back() / width;
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Terms of each result of a reduction.
static int64_t getNumTerms(LinalgOp op) {
  int64_t terms = 1;
  for (auto [range, type] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (type == utils::IteratorType::reduction)
      terms *= range;
  return terms;
}

/// Whether threads share the terms of a reduction.
static bool isShared(LinalgOp op) {
  if (!matchAssociative(op) || getNumTerms(op) < kMinSharedTerms)
    return false;
  // What threads of a warp can exchange.
  Type type = getElementTypeOrSelf(op->getResult(0));
  return type.isIntOrFloat() &&
         llvm::is_contained({32u, 64u}, type.getIntOrFloatBitWidth());
}

KernelPlan::KernelPlan(KernelOp kernel) : kernel(kernel), batched(kernel) {}

LogicalResult KernelPlan::run(const PlanOptions &options) {
  for (Operation &op : kernel.getBody().front())
    if (failed(verifyLowerable(&op)))
      return failure();
  for (Operation &op : kernel.getBody().front())
    addNode(&op);
  decideStorage();
  std::vector<SmallVector<Node *>> ofLaunch(launches.size());
  for (auto &node : nodes)
    if (node->value)
      ofLaunch[node->launch].push_back(node.get());
  for (auto [index, launch] : llvm::enumerate(launches)) {
    for (Node *node : ofLaunch[index])
      launch.steps[node->step].values.push_back(node->value);
    if (launch.contraction)
      continue;
    decideBarriers(index, ofLaunch[index]);
    decideBlock(launch, ofLaunch[index], options);
  }
  placeScratch();
  return success();
}

//===----------------------------------------------------------------------===//
// Launches and steps
//===----------------------------------------------------------------------===//

int64_t KernelPlan::getLastLaunch(ArrayRef<Source> sources) const {
  int64_t last = -1;
  for (const Source &source : sources)
    last = std::max<int64_t>(last, getMaker(source.value).launch);
  return last;
}

void KernelPlan::addNode(Operation *op) {
  auto add = [&](Value value) -> Node & {
    nodes.push_back(std::make_unique<Node>(Node{
        op, value,
        isa<ScatterOp>(op) ? getSources(value, batched)
                           : getReadSources(cast<OpResult>(value), batched)}));
    return *nodes.back();
  };
  if (auto scatter = dyn_cast<ScatterOp>(op)) {
    auto rows = cast<BlockArgument>(scatter.getRows());
    Value tensor = scatter.getTensor();
    // A view has no place of its own, so it is computed here.
    if (!makers.contains(tensor) && !storage.contains(tensor))
      place(add(tensor));
    storage[tensor].results.push_back(rows.getArgNumber() - 1 -
                                      kernel.getOperandRows().size());
    return;
  }
  if (!isComputed(op, batched))
    return;
  // Results of one op may have different shapes. Where they are computed in the
  // same step, it is done once.
  for (Value value : op->getResults()) {
    Node &node = add(value);
    if (std::optional<Contraction> contraction =
            matchContraction(cast<LinalgOp>(op)))
      placeContraction(node, *contraction);
    else
      place(node);
    makers[value] = &node;
  }
}

void KernelPlan::placeContraction(Node &node, const Contraction &contraction) {
  // What an earlier contraction has accumulated goes on in registers.
  if (auto it = makers.find(contraction.init);
      it != makers.end() && contraction.init.hasOneUse()) {
    Launch &launch = launches[it->second->launch];
    auto isBefore = [&](const Product &product) {
      return llvm::all_of(std::array{product.rows.value, product.columns.value},
                          [&](Value factor) {
                            return getLastLaunch(getSources(factor, batched)) <
                                   it->second->launch;
                          });
    };
    if (launch.contraction && launch.contraction->result == contraction.init &&
        launch.contraction->canAppend(contraction) &&
        llvm::all_of(contraction.products, isBefore)) {
      node.launch = it->second->launch;
      node.sources = std::move(it->second->sources);
      it->second->sources.clear();
      it->second->value = Value();
      for (const Product &product : contraction.products)
        for (Value factor : {product.rows.value, product.columns.value})
          llvm::append_range(node.sources, getSources(factor, batched));
      launch.contraction->result = contraction.result;
      llvm::append_range(launch.contraction->products, contraction.products);
      return;
    }
  }
  node.launch = launches.size();
  Launch &launch = launches.emplace_back();
  launch.contraction = contraction;
  launch.steps.emplace_back();
}

bool KernelPlan::canFuse(const Node &node, unsigned index) {
  Launch &launch = launches[index];
  if (!launch.contraction ||
      (isa<LinalgOp>(node.op) && !isElementwise(node.op)))
    return false;
  Value result = launch.contraction->result;
  ArrayRef<int64_t> shape = getShape(node.value), full = getShape(result);
  if (shape.size() != full.size() || shape.drop_back() != full.drop_back())
    return false;
  int64_t width = shape.back(), columns = full.back();
  if (launch.width != 0 && launch.width != width)
    return false;
  if (width == 0 || columns % width != 0 || columns / width > kMaxGroups ||
      (width < kMinWidth && width != columns))
    return false;
  // Tensor cores give a thread pairs of columns.
  if (!launch.contraction->elementType.isF32() && width % 2 != 0)
    return false;
  bool isUser = false;
  for (const Source &source : node.sources) {
    if (getMaker(source.value).launch != index)
      continue;
    isUser = true;
    if (!source.alignment.shift)
      return false;
    int64_t shift = *source.alignment.shift;
    if (source.value == result ? shift % width != 0 : shift != 0)
      return false;
  }
  // Something else must not keep those from being fused who use the result.
  return isUser || launch.width == width ||
         (width == columns &&
          llvm::all_of(result.getUsers(), llvm::IsaPred<ScatterOp>));
}

void KernelPlan::place(Node &node) {
  int64_t last = getLastLaunch(node.sources);
  for (unsigned index = std::max<int64_t>(last, 0); index < launches.size();
       ++index) {
    if (launches[index].contraction) {
      if (!canFuse(node, index))
        continue;
      launches[index].width = getShape(node.value).back();
      node.launch = index;
      ++numFused;
      return;
    }
    return placeInSteps(node, index);
  }
  launches.emplace_back();
  placeInSteps(node, launches.size() - 1);
}

void KernelPlan::placeInSteps(Node &node, unsigned index) {
  node.launch = index;
  SmallVector<Step> &steps = launches[index].steps;
  ArrayRef<int64_t> shape = getShape(node.value);
  unsigned first = 0;
  for (const Source &source : node.sources) {
    const Node &maker = getMaker(source.value);
    if (maker.launch != index)
      continue;
    bool canShare =
        source.alignment.isIdentity() && !steps[maker.step].cooperative;
    first = std::max(first, maker.step + (canShare ? 0 : 1));
  }
  auto linalgOp = dyn_cast<LinalgOp>(node.op);
  bool cooperative = linalgOp && isShared(linalgOp);
  if (!cooperative)
    for (unsigned step = first; step < steps.size(); ++step)
      if (ArrayRef(steps[step].shape) == shape && !steps[step].cooperative) {
        node.step = step;
        return;
      }
  node.step = steps.size();
  Step &step = steps.emplace_back();
  step.shape = SmallVector<int64_t>(shape);
  step.cooperative = cooperative;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

void KernelPlan::decideStorage() {
  // Scratch memory gets its place at the end.
  for (auto &node : nodes)
    for (const Source &source : node->sources) {
      const Node &maker = getMaker(source.value);
      if (maker.launch != node->launch) {
        if (!storage[source.value].isGlobal())
          storage[source.value].scratch = 0;
      } else if (!launches[node->launch].contraction &&
                 maker.step != node->step) {
        storage[source.value].workgroup = true;
      }
    }
  for (auto &[value, place] : storage)
    place.workgroup &= !place.isGlobal();
  for (Launch &launch : launches)
    if (launch.contraction && launch.width == 0)
      launch.width = getShape(launch.contraction->result).back();
}

void KernelPlan::decideBarriers(unsigned index, ArrayRef<Node *> ofLaunch) {
  Launch &launch = launches[index];
  ArrayRef<int64_t> shape = launch.steps.front().shape;
  launch.prefix = shape.size();
  bool dependent = false, cooperative = false;
  // For each step the latest one that it reads, counted from 1.
  SmallVector<unsigned> read(launch.steps.size(), 0);
  for (const Node *node : ofLaunch)
    for (const Source &source : node->sources) {
      const Node &maker = getMaker(source.value);
      if (maker.launch != index || maker.step == node->step)
        continue;
      dependent = true;
      read[node->step] = std::max(read[node->step], maker.step + 1);
      launch.prefix = std::min(launch.prefix, source.alignment.prefix);
    }
  unsigned lastBarrier = 0;
  for (auto [number, step] : llvm::enumerate(launch.steps)) {
    cooperative |= step.cooperative;
    step.barrier = read[number] > lastBarrier;
    if (step.barrier)
      lastBarrier = number;
  }
  if (!dependent && !cooperative)
    launch.prefix = 1;
  // All steps walk over the same points.
  for (const Step &step : launch.steps)
    while (ArrayRef(step.shape).take_front(launch.prefix) !=
           shape.take_front(launch.prefix))
      --launch.prefix;
}

/// Elements of a point.
static int64_t getInnerSize(ArrayRef<int64_t> shape, unsigned prefix) {
  return ShapedType::getNumElements(shape.drop_front(prefix));
}

void KernelPlan::decideBlock(Launch &launch, ArrayRef<Node *> ofLaunch,
                             const PlanOptions &options) {
  int64_t size = 1, bytes = 0;
  bool cooperative = false;
  SmallVector<std::pair<int64_t, Value>> local;
  for (const Node *node : ofLaunch) {
    const Step &step = launch.steps[node->step];
    size = std::max(size, getInnerSize(step.shape, launch.prefix));
    if (step.cooperative) {
      size = std::max(size, getNumTerms(cast<LinalgOp>(node->op)));
      cooperative = true;
    }
    auto it = storage.find(node->value);
    if (it == storage.end() || !it->second.workgroup)
      continue;
    local.emplace_back(getInnerSize(step.shape, launch.prefix) *
                           getElementBytes(getElementTypeOrSelf(node->value)),
                       node->value);
    bytes += local.back().first;
  }
  launch.threads = std::min<int64_t>(llvm::PowerOf2Ceil(size), options.threads);
  if (cooperative) {
    launch.threads = std::max(launch.threads, kWarpSize);
    bytes += launch.threads / kWarpSize * sizeof(double);
  }
  while (bytes > options.workgroupBytes && !local.empty()) {
    auto *largest = llvm::max_element(local, llvm::less_first());
    bytes -= largest->first;
    storage[largest->second].workgroup = false;
    storage[largest->second].scratch = 0;
    local.erase(largest);
  }
  launch.points = options.threads / launch.threads;
  if (bytes > 0)
    launch.points =
        std::clamp<int64_t>(options.workgroupBytes / bytes, 1, launch.points);
}

namespace {
/// A tensor in scratch memory and the launches between which it is in use.
struct PlacedTensor {
  bool isInTheWay(const PlacedTensor &other) const {
    return begin <= other.end && other.begin <= end &&
           offset < other.offset + other.bytes && other.offset < offset + bytes;
  }

  unsigned begin, end;
  int64_t bytes, offset;
};
} // namespace

void KernelPlan::placeScratch() {
  DenseMap<Value, unsigned> lastUse;
  for (auto &node : nodes)
    for (const Source &source : node->sources) {
      unsigned &last = lastUse[source.value];
      last = std::max(last, node->launch);
    }
  SmallVector<PlacedTensor> placed;
  for (auto &node : nodes) {
    Value value = node->value;
    auto it = storage.find(value);
    if (it == storage.end() || !it->second.scratch)
      continue;
    int64_t bytes = getInnerSize(getShape(value), 1) *
                    getElementBytes(getElementTypeOrSelf(value));
    PlacedTensor tensor{
        node->launch, std::max(node->launch, lastUse.lookup(value)),
        static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(bytes, 1),
                                           DYNBATCH_TENSOR_ALIGNMENT)),
        0};
    // The lowest place where it is in nobody's way.
    for (bool moved = true; moved;) {
      moved = false;
      for (const PlacedTensor &other : placed)
        if (tensor.isInTheWay(other)) {
          tensor.offset = other.offset + other.bytes;
          moved = true;
        }
    }
    placed.push_back(tensor);
    it->second.scratch = tensor.offset;
    rowScratchBytes = std::max(rowScratchBytes, tensor.offset + tensor.bytes);
  }
}
