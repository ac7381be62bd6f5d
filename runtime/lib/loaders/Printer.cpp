//===- Printer.cpp - Values as text -----------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Values.h"

#include "loaders/Scalars.h"
#include "loaders/SmallFloat.h"

#include <charconv>
#include <vector>

using namespace dynbatch::rt;

int64_t ValueView::integer() const {
  return toInteger(valueType->dtype, bits());
}

double ValueView::number() const { return toFloat(valueType->dtype, bits()); }

template <typename Number> static void append(Number number, std::string &out) {
  // The longest shortest double has 24 characters.
  char buffer[32];
  std::to_chars_result end =
      std::to_chars(buffer, buffer + sizeof(buffer), number);
  out.append(buffer, end.ptr);
}

template <typename T> static T load(const char *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

/// A scalar at `data`: in a slot or in a tensor (both little endian).
static void printScalar(DType dtype, const char *data, std::string &out) {
  switch (dtype) {
  case DType::I1:
    return append(static_cast<int>(load<uint8_t>(data) & 1), out);
  case DType::I8:
    return append(static_cast<int>(load<int8_t>(data)), out);
  case DType::I16:
    return append(load<int16_t>(data), out);
  case DType::I32:
    return append(load<int32_t>(data), out);
  case DType::I64:
  case DType::Index:
    return append(load<int64_t>(data), out);
  case DType::F16:
    return append(fromF16(load<uint16_t>(data)), out);
  case DType::BF16:
    return append(fromBF16(load<uint16_t>(data)), out);
  case DType::F32:
    return append(load<float>(data), out);
  case DType::F64:
    return append(load<double>(data), out);
  }
}

static void printTensor(const Type &type, const char *data, std::string &out) {
  size_t rank = type.shape.size();
  if (rank == 0)
    return printScalar(type.dtype, data, out);
  std::vector<int64_t> done(rank, 0); // elements written, one a dimension
  size_t level = 0;
  out += '[';
  while (true) {
    if (done[level] == type.shape[level]) {
      out += ']';
      if (level == 0)
        return;
      ++done[--level];
      continue;
    }
    if (done[level] != 0)
      out += ' ';
    if (level + 1 < rank) {
      out += '[';
      done[++level] = 0;
      continue;
    }
    printScalar(type.dtype, data, out);
    data += sizeInBytes(type.dtype);
    ++done[level];
  }
}

void dynbatch::rt::print(const ValueView &value, std::string &out) {
  struct Frame {
    ValueView value;
    int64_t next; ///< field or element
  };
  std::vector<Frame> frames;

  auto begin = [&](const ValueView &value) {
    switch (value.type().kind) {
    case Type::Kind::Scalar: {
      uint64_t bits = value.bits();
      char bytes[sizeof(bits)];
      std::memcpy(bytes, &bits, sizeof(bits));
      return printScalar(value.type().dtype, bytes, out);
    }
    case Type::Kind::Tensor:
      return printTensor(value.type(),
                         static_cast<const char *>(value.tensorData()), out);
    case Type::Kind::Adt:
      if (value.numFields() == 0) {
        out += value.constructor().name;
        return;
      }
      out += '(';
      out += value.constructor().name;
      frames.push_back({value, 0});
      return;
    case Type::Kind::Sequence:
      out += '[';
      frames.push_back({value, 0});
      return;
    }
  };

  begin(value);
  while (!frames.empty()) {
    Frame &top = frames.back();
    bool adt = top.value.type().kind == Type::Kind::Adt;
    int64_t size =
        adt ? static_cast<int64_t>(top.value.numFields()) : top.value.length();
    if (top.next == size) {
      out += adt ? ')' : ']';
      frames.pop_back();
      continue;
    }
    if (adt || top.next != 0)
      out += ' ';
    int64_t index = top.next++;
    // Copied before `frames` may move.
    ValueView child = adt ? top.value.field(index) : top.value.element(index);
    begin(child);
  }
}

void dynbatch::rt::print(const ResultView &results, std::string &out) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (i != 0)
      out += ' ';
    print(results.value(i), out);
  }
}
