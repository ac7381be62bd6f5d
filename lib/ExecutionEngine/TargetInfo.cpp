//===- TargetInfo.cpp - What code is generated for -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/TargetInfo.h"
#include "dynbatch/Runtime/ProcessorFeatures.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::dynbatch;

/// Appends `attributes`, which must be features of `subtarget`.
static llvm::Error addAttributes(llvm::SubtargetFeatures &features,
                                 StringRef attributes,
                                 const llvm::MCSubtargetInfo &subtarget) {
  for (StringRef attribute : llvm::split(attributes, ',')) {
    StringRef name = llvm::SubtargetFeatures::StripFlag(attribute.trim());
    if (name.empty())
      continue;
    if (llvm::none_of(subtarget.getAllProcessorFeatures(),
                      [&](const auto &known) { return name == known.Key; }))
      return llvm::createStringError("'" + name + "' is not a feature of " +
                                     subtarget.getTargetTriple().getArchName() +
                                     " processors");
    features.AddFeature(attribute.trim());
  }
  return llvm::Error::success();
}

llvm::Expected<TargetInfo> TargetInfo::create(StringRef cpu,
                                              StringRef attributes) {
  llvm::InitializeNativeTarget();
  TargetInfo info;
  info.triple = llvm::Triple(llvm::sys::getProcessTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(info.triple, message);
  if (!target)
    return llvm::createStringError(message);

  llvm::SubtargetFeatures features;
  info.cpu = cpu.str();
  if (cpu == "native") {
    info.cpu = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
  }
  auto makeSubtarget = [&](StringRef cpu) {
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target->createMCSubtargetInfo(info.triple, cpu, features.getString()));
  };
  std::unique_ptr<llvm::MCSubtargetInfo> known = makeSubtarget("");
  if (!known->isCPUStringValid(info.cpu))
    return llvm::createStringError("'" + info.cpu + "' is not a known " +
                                   info.triple.getArchName() + " processor");
  if (llvm::Error error = addAttributes(features, attributes, *known))
    return error;
  info.features = features.getString();

  std::unique_ptr<llvm::MCSubtargetInfo> subtarget = makeSubtarget(info.cpu);
  llvm::StringSet<> enabled;
  for (const auto &feature : subtarget->getEnabledProcessorFeatures()) {
    enabled.insert(feature.Key);
    if (::dynbatch::rt::processorHas(feature.Key))
      info.required.push_back(feature.Key);
  }
  // LLVM ends the process where it cannot even pass arguments.
  if (info.triple.isX86_64())
    for (StringRef feature : {"64bit", "sse2"})
      if (!enabled.contains(feature))
        return llvm::createStringError("64-bit code needs the feature '" +
                                       feature + "', which processor '" +
                                       info.cpu + "' lacks");
  if (enabled.contains("avx512f"))
    info.vectorBits = 512;
  else if (enabled.contains("avx2") && enabled.contains("fma"))
    info.vectorBits = 256;
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (cpu == "native")
    if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
      info.l2Bytes = bytes;
#endif
  return info;
}
