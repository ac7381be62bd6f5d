//===- TensorSlots.h - The tensors in values --------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_CORE_TENSORSLOTS_H
#define DYNBATCH_LIB_CORE_TENSORSLOTS_H

#include "dynbatch/Runtime/Descriptor.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace dynbatch::rt {

/// Finds the tensors in values of any depth, looking only at cells that may
/// have some.
class TensorSlots {
public:
  explicit TensorSlots(const ModuleDescriptor &descriptor);

  /// May a value of the type hold tensors?
  bool in(const Type &type) const;
  bool in(const SlotList &list) const;

  /// Calls `onTensor(type, slot)` for the slots of all tensors. For each slot
  /// that names a cell in which there may be some calls `onCell(cell, bytes)`,
  /// which returns the cell to go on with: this one, another one, which the
  /// slot names from now on, or null to go on behind it.
  template <typename OnTensor, typename OnCell>
  void walk(const SlotList &list, char *slots, OnTensor onTensor,
            OnCell onCell);

private:
  /// Slots of a list, or `count` slots of one type.
  struct Frame {
    const SlotList *list;
    const Type *element;
    char *slots;
    int64_t count;
    int64_t next;
  };

  std::vector<bool> adts; ///< which may hold tensors
  std::vector<Frame> frames;
  const ModuleDescriptor &descriptor;
};

template <typename OnTensor, typename OnCell>
void TensorSlots::walk(const SlotList &list, char *slots, OnTensor onTensor,
                       OnCell onCell) {
  auto pushList = [&](const SlotList &list, char *slots) {
    frames.push_back(
        {&list, nullptr, slots, static_cast<int64_t>(list.types.size()), 0});
  };
  frames.clear();
  pushList(list, slots);
  while (!frames.empty()) {
    Frame &top = frames.back();
    if (top.next == top.count) {
      frames.pop_back();
      continue;
    }
    int64_t index = top.next++;
    const Type &type = top.list ? top.list->types[index] : *top.element;
    char *slot = top.slots + (top.list ? top.list->offsets[index]
                                       : index * type.slotBytes());
    if (!in(type))
      continue;
    if (type.kind == Type::Kind::Tensor) {
      onTensor(type, slot);
      continue;
    }
    char *cell;
    std::memcpy(&cell, slot, sizeof(cell));
    int64_t header;
    std::memcpy(&header, cell, sizeof(header));
    bool isAdt = type.kind == Type::Kind::Adt;
    const SlotList *fields =
        isAdt ? &descriptor.adts[type.adt].ctors[header].fields : nullptr;
    int64_t bytes =
        8 + (isAdt ? fields->bytes : header * type.element->slotBytes());
    char *inside = onCell(cell, static_cast<size_t>(bytes));
    if (!inside)
      continue;
    std::memcpy(slot, &inside, sizeof(inside));
    if (isAdt)
      pushList(*fields, inside + 8);
    else
      frames.push_back({nullptr, type.element.get(), inside + 8, header, 0});
  }
}

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_CORE_TENSORSLOTS_H
