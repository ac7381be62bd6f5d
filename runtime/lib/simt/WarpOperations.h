//===- WarpOperations.h - What the lanes of a warp do together --*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_LIB_SIMT_WARPOPERATIONS_H
#define DYNBATCH_LIB_SIMT_WARPOPERATIONS_H

#include "dynbatch/Runtime/ABI.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace dynbatch::rt {

constexpr unsigned kWarpSize = DYNBATCH_SIMT_SUBGROUP_SIZE;

/// One lane's part of something that lanes do together. It lies on the lane's
/// stack, where the lane waits until one of them has done it for all.
class WarpOperation {
public:
  /// The lanes' parts; null for those that do not take part.
  using Lanes = std::array<WarpOperation *, kWarpSize>;
  struct Failure {
    unsigned lane;
    std::string message;
  };

  /// The first so many lanes must take part.
  virtual unsigned width() const = 0;
  /// Gives all lanes their results.
  virtual std::optional<Failure> run(const Lanes &lanes) const = 0;

protected:
  ~WarpOperation() = default;
};

class Shuffle final : public WarpOperation {
public:
  Shuffle(int32_t mode, uint64_t value, int32_t offset, int32_t lanes)
      : mode(mode), value(value), offset(offset), lanes(lanes) {}

  unsigned width() const override { return static_cast<unsigned>(lanes); }
  std::optional<Failure> run(const Lanes &lanes) const override;

  dynbatch_simt_shuffled result = {~uint64_t(0), 0};

private:
  /// The lane that lane number `lane` reads.
  int64_t source(int64_t lane) const;

  int32_t mode;
  uint64_t value;
  int32_t offset;
  int32_t lanes;
};

/// PTX's mma.sync.m16n8k16 (f16, bf16) and m16n8k8 (tf32), f32 accumulators.
/// Each element is a chain of f32 additions of exact products in ascending
/// order of k. tf32 takes the upper 19 bits of its operands.
class Mma final : public WarpOperation {
public:
  Mma(int32_t type, int32_t k, const char *a, const char *b, const float *c,
      float *d)
      : type(type), k(k), a(a), b(b), c(c), d(d) {}

  unsigned width() const override { return kWarpSize; }
  std::optional<Failure> run(const Lanes &lanes) const override;

private:
  /// Elements of the matrices of the whole warp.
  float elementA(const Lanes &lanes, int32_t row, int32_t k) const;
  float elementB(const Lanes &lanes, int32_t k, int32_t column) const;

  int32_t type, k;
  const char *a, *b;
  const float *c;
  float *d;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_LIB_SIMT_WARPOPERATIONS_H
