//===- TensorSlots.cpp - The tensors in values ------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/TensorSlots.h"

#include <algorithm>

using namespace dynbatch::rt;

TensorSlots::TensorSlots(const ModuleDescriptor &descriptor)
    : adts(descriptor.adts.size(), false), descriptor(descriptor) {
  // ADTs may be recursive: until there are no more.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < adts.size(); ++i) {
      const std::vector<Constructor> &ctors = descriptor.adts[i].ctors;
      if (!adts[i] &&
          std::any_of(ctors.begin(), ctors.end(),
                      [&](const Constructor &ctor) { return in(ctor.fields); }))
        adts[i] = changed = true;
    }
  }
}

bool TensorSlots::in(const Type &type) const {
  switch (type.kind) {
  case Type::Kind::Scalar:
    return false;
  case Type::Kind::Tensor:
    return true;
  case Type::Kind::Adt:
    return adts[type.adt];
  case Type::Kind::Sequence:
    return in(*type.element);
  }
  return false;
}

bool TensorSlots::in(const SlotList &list) const {
  return std::any_of(list.types.begin(), list.types.end(),
                     [&](const Type &type) { return in(type); });
}
