//===- ProcessorFeatures.h - What this processor can run --------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_PROCESSORFEATURES_H
#define DYNBATCH_RUNTIME_PROCESSORFEATURES_H

#include <optional>
#include <string_view>

namespace dynbatch::rt {

/// Whether code that uses `feature` (an instruction set by LLVM's name, such as
/// "avx2") runs on this processor and under this operating system; nothing for
/// a name that the runtime does not know.
std::optional<bool> processorHas(std::string_view feature);

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_PROCESSORFEATURES_H
