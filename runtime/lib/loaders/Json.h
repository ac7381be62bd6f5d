//===- Json.h - JSON from strangers -----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_LOADERS_JSON_H
#define DYNBATCH_LIB_LOADERS_JSON_H

#include "dynbatch/Runtime/Status.h"

#include <nlohmann/json.hpp>
#include <string_view>

namespace dynbatch::rt {

/// Parses strictly: an object's keys must differ, nesting is limited.
Result<nlohmann::json> parseJson(std::string_view text);

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_LOADERS_JSON_H
