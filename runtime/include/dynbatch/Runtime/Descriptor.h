//===- Descriptor.h - What a compiled module says of itself -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_DESCRIPTOR_H
#define DYNBATCH_RUNTIME_DESCRIPTOR_H

#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Status.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynbatch::rt {

enum class DType { I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64 };

/// Size of one element in a tensor, in bytes (i1: one byte, index: eight).
int64_t sizeInBytes(DType dtype);
/// The descriptor's name: "i1", "f32", ...
const char *name(DType dtype);
bool isFloat(DType dtype);
/// The element type of that name, if there is one.
std::optional<DType> parseDType(std::string_view name);

/// Type of an entry argument or result, a field, an element or a parameter.
struct Type {
  enum class Kind { Scalar, Tensor, Adt, Sequence };

  Kind kind = Kind::Scalar;
  DType dtype = DType::I64;            ///< scalar, tensor
  std::vector<int64_t> shape;          ///< tensor: static dimensions
  int64_t elements = 1;                ///< tensor: product of the shape
  unsigned adt = 0;                    ///< ADT: index in ModuleDescriptor::adts
  std::string adtName;                 ///< ADT
  std::shared_ptr<const Type> element; ///< sequence

  /// Bytes of a value's slot: 16 for a tensor, 8 otherwise.
  int64_t slotBytes() const { return kind == Kind::Tensor ? 16 : 8; }
  /// Bytes of a tensor's storage.
  int64_t dataBytes() const { return elements * sizeInBytes(dtype); }
  /// MLIR syntax, for messages: `tensor<2x3xf32>`, `!dynbatch.adt<@Tree>`.
  std::string str() const;
};

/// Slots laid out one after the other (constructor fields, entry arguments).
struct SlotList {
  std::vector<Type> types;
  std::vector<int64_t> offsets; ///< of each slot, in bytes from the first
  int64_t bytes = 0;            ///< of all slots
};

struct Constructor {
  std::string name;
  SlotList fields; ///< in the cell they begin behind the 8-byte tag
};

struct Adt {
  std::string name;
  std::vector<Constructor> ctors;

  /// What to say of a name that none of them has.
  std::string noSuchConstructor(std::string_view name) const;
};

struct Parameter {
  std::string name;
  Type type;    ///< always a tensor
  bool derived; ///< computed by the prologue, not loaded
};

/// When the tasks of a kernel run in a round of their stage. A stage that is
/// not cyclic or is not split has kernels of the first kind only.
enum class Turn {
  First, ///< one batch, before the rest of the round
  Once,  ///< one batch, when its part of the stage has its turn
  Steps  ///< one batch a step of its part
};

struct Kernel {
  std::string name;
  int64_t operands;            ///< operand words of a row
  int64_t rowWords;            ///< operands + 1
  int64_t resultBytes;         ///< size of a task's result block
  int64_t scratchBytes;        ///< private memory of a call
  int64_t rowScratchBytes = 0; ///< more of it, for each row of the call
  int64_t flops;               ///< of one task; 0 when unknown
  unsigned stage;
  Turn turn = Turn::First;
  std::string location; ///< `file:line:column`, may be empty
  /// What dynbatch-tune files a measurement of it under; empty if its code has
  /// no tiles.
  std::string tuningKey;
  /// The operand by whose words a batch's tasks are best ordered, if any.
  std::optional<int64_t> orderBy;

  /// The parts of a depth as dynbatch_rt_reserve takes it.
  int64_t round(int64_t depth) const {
    return turn == Turn::Steps ? depth >> DYNBATCH_DEPTH_STEP_BITS : depth;
  }
  int64_t step(int64_t depth) const {
    return turn == Turn::Steps
               ? depth & ((int64_t(1) << DYNBATCH_DEPTH_STEP_BITS) - 1)
               : 0;
  }
};

/// What runs behind the first kernels in each round of a stage.
struct Part {
  bool steps; ///< its kernels may depend on themselves: step by step
  std::vector<unsigned> kernels;
};

struct Stage {
  bool cyclic;                   ///< runs in rounds
  std::vector<unsigned> kernels; ///< those whose turn is first, in order
  std::vector<Part> parts;       ///< in the order in which they run
};

/// Where a module's kernels run.
enum class DeviceKind {
  Cpu, ///< in host memory
  Cuda ///< on a GPU, through the CUDA driver
};

/// The parsed and checked descriptor (docs/RuntimeABI.md).
struct ModuleDescriptor {
  std::string name;
  std::string entryName;
  bool parks = false; ///< the entry may wait for a flush: it needs a fiber
  DeviceKind device = DeviceKind::Cpu;
  std::string cpu; ///< for which the code was generated; may be empty
  std::vector<std::string> features; ///< that the code may use, LLVM's names
  SlotList inputs;
  SlotList results;
  std::vector<Adt> adts;
  std::vector<Parameter> params;
  std::vector<Kernel> kernels;
  std::vector<Stage> stages;

  /// Parses JSON text. Whatever the text, the answer is a descriptor whose
  /// indices are all valid, or an error that says where the text is wrong.
  static Result<ModuleDescriptor> parse(std::string_view json);
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_DESCRIPTOR_H
