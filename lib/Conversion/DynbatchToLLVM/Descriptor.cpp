//===- Descriptor.cpp - The module descriptor -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "dynbatch/Conversion/KernelLayout.h"
#include "dynbatch/Conversion/Place.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::dynbatch;

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static llvm::json::Value describeType(Type type) {
  using llvm::json::Object;
  return llvm::TypeSwitch<Type, llvm::json::Value>(type)
      .Case<AdtType>([](AdtType adt) {
        return Object{{"kind", "adt"}, {"name", adt.getName().getValue()}};
      })
      .Case<SeqType>([](SeqType seq) {
        return Object{{"kind", "seq"},
                      {"element", describeType(seq.getElementType())}};
      })
      .Case<RankedTensorType>([](RankedTensorType tensor) {
        return Object{{"kind", "tensor"},
                      {"dtype", toString(tensor.getElementType())},
                      {"shape", llvm::json::Array(tensor.getShape())}};
      })
      .Default([](Type scalar) {
        return Object{{"kind", "scalar"}, {"dtype", toString(scalar)}};
      });
}

template <typename Range> static llvm::json::Array describeTypes(Range types) {
  llvm::json::Array array;
  for (Type type : types)
    array.push_back(describeType(type));
  return array;
}

static llvm::json::Array describeAdts(ModuleOp module) {
  llvm::json::Array adts;
  for (auto adt : module.getOps<AdtOp>()) {
    llvm::json::Array ctors;
    for (CtorOp ctor : adt.getCtors())
      ctors.push_back(
          llvm::json::Object{{"name", ctor.getSymName()},
                             {"fields", describeTypes(ctor.getFieldTypes())}});
    adts.push_back(llvm::json::Object{{"name", adt.getSymName()},
                                      {"ctors", std::move(ctors)}});
  }
  return adts;
}

static llvm::json::Array describeParameters(ModuleOp module) {
  DenseSet<StringAttr> derived;
  module.walk([&](DefineOp define) {
    derived.insert(define.getGlobalAttr().getAttr());
  });
  llvm::json::Array parameters;
  for (ml_program::GlobalOp global : getParameters(module))
    parameters.push_back(llvm::json::Object{
        {"name", global.getSymName()},
        {"type", describeType(global.getType())},
        {"derived", derived.contains(global.getSymNameAttr())}});
  return parameters;
}

static llvm::json::Array describeKernels(ModuleOp module) {
  llvm::json::Array kernels;
  for (auto kernel : module.getOps<KernelOp>()) {
    KernelLayout layout(kernel);
    int64_t operands = kernel.getTaskSignature().getNumInputs();
    llvm::json::Object object{
        {"name", kernel.getSymName()},
        {"operands", operands},
        {"row_words", operands + 1},
        {"result_bytes", layout.getResultBytes()},
        {"scratch_bytes", kernel.getScratchBytes().value_or(0)},
        {"row_scratch_bytes", kernel.getRowScratchBytes().value_or(0)},
        {"flops", kernel.getFlops().value_or(0)},
        {"stage", kernel.getStage().value_or(0)},
        {"location", getPlace(kernel.getLoc())}};
    if (std::optional<StringRef> key = kernel.getTuningKey())
      object["tuning_key"] = *key;
    if (std::optional<uint64_t> operand = kernel.getOrderBy())
      object["order_by"] = static_cast<int64_t>(*operand);
    kernels.push_back(std::move(object));
  }
  return kernels;
}

static llvm::json::Array describeStages(ModuleOp module) {
  struct Part {
    bool steps = false;
    llvm::json::Array kernels;
  };
  struct Stage {
    bool cyclic = false;
    llvm::json::Array kernels;
    std::map<int64_t, Part> parts;
  };
  std::map<int64_t, Stage> stages;
  for (auto [index, kernel] : llvm::enumerate(module.getOps<KernelOp>())) {
    Stage &stage = stages[kernel.getStage().value_or(0)];
    stage.cyclic |= kernel.getCyclic();
    llvm::json::Array *kernels = &stage.kernels;
    if (std::optional<uint64_t> position = kernel.getPart()) {
      Part &part = stage.parts[*position];
      part.steps |= *kernel.getTurn() == Turn::Steps;
      kernels = &part.kernels;
    }
    kernels->push_back(static_cast<int64_t>(index));
  }
  llvm::json::Array array;
  for (auto &[number, stage] : stages) {
    llvm::json::Object object{{"cyclic", stage.cyclic},
                              {"kernels", std::move(stage.kernels)}};
    llvm::json::Array parts;
    for (auto &[position, part] : stage.parts)
      parts.push_back(llvm::json::Object{{"steps", part.steps},
                                         {"kernels", std::move(part.kernels)}});
    if (!parts.empty())
      object["parts"] = std::move(parts);
    array.push_back(std::move(object));
  }
  return array;
}

static llvm::json::Object describeTarget(LLVM::TargetAttr target) {
  llvm::json::Array features;
  if (LLVM::TargetFeaturesAttr attr = target.getFeatures())
    for (StringAttr feature : attr.getFeatures())
      if (feature.getValue().starts_with("+"))
        features.push_back(feature.getValue().drop_front());
  return llvm::json::Object{{"cpu", target.getChip().getValue()},
                            {"features", std::move(features)}};
}

std::string mlir::dynbatch::buildDescriptor(ModuleOp module,
                                            FunctionOpInterface entry,
                                            bool parks, StringRef device) {
  // The runtime context is not one of the program's inputs.
  auto inputs = entry.getArgumentTypes().drop_front();
  llvm::json::Object descriptor{
      {"name", module.getSymName().value_or(entry.getName())},
      {"entry",
       llvm::json::Object{{"name", entry.getName()},
                          {"inputs", describeTypes(inputs)},
                          {"results", describeTypes(entry.getResultTypes())}}},
      {"adts", describeAdts(module)},
      {"params", describeParameters(module)},
      {"kernels", describeKernels(module)},
      {"stages", describeStages(module)}};
  if (parks)
    descriptor["parks"] = true;
  if (!device.empty())
    descriptor["device"] = device;
  if (auto target = module->getAttrOfType<LLVM::TargetAttr>(
          LLVM::LLVMDialect::getTargetAttrName()))
    descriptor["target"] = describeTarget(target);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(descriptor));
  return text;
}
