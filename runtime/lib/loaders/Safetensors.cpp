//===- Safetensors.cpp - The safetensors file format ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/Safetensors.h"

#include "dynbatch/Runtime/ABI.h"
#include "loaders/Json.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace dynbatch::rt;
using nlohmann::json;
using nlohmann::ordered_json;

static constexpr uint64_t kMostHeaderBytes = 100'000'000;

/// Bytes of an element; 0 for an unknown dtype.
static int64_t elementBytes(const std::string &dtype) {
  static const std::unordered_map<std::string, int64_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
      {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
      {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8}};
  auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

const char *dynbatch::rt::safetensorsName(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return "BOOL";
  case DType::I8:
    return "I8";
  case DType::I16:
    return "I16";
  case DType::I32:
    return "I32";
  case DType::I64:
  case DType::Index:
    return "I64";
  case DType::F16:
    return "F16";
  case DType::BF16:
    return "BF16";
  case DType::F32:
    return "F32";
  case DType::F64:
    return "F64";
  }
  return "";
}

/// An array of integers from 0 to 2^63 - 1.
static bool readSizes(const json &value, std::vector<int64_t> &sizes) {
  if (!value.is_array())
    return false;
  for (const json &size : value) {
    if (!size.is_number_unsigned() ||
        size.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))
      return false;
    sizes.push_back(static_cast<int64_t>(size.get<uint64_t>()));
  }
  return true;
}

static Status readTensor(const std::string &name, const json &entry,
                         std::string_view data, SafeTensor &tensor) {
  auto fail = [&](const std::string &what) {
    return Status::error("tensor '" + name + "': " + what);
  };
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets"))
    return fail("expected an object of 'dtype', 'shape' and 'data_offsets'");

  const json &dtype = entry["dtype"];
  int64_t bytes = 0;
  if (dtype.is_string()) {
    tensor.dtype = dtype.get_ref<const std::string &>();
    bytes = elementBytes(tensor.dtype);
  }
  if (bytes == 0)
    return fail("unknown dtype '" + tensor.dtype + "'");

  if (!readSizes(entry["shape"], tensor.shape))
    return fail("the shape must be an array of integers >= 0");
  bool empty = std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
  for (int64_t size : tensor.shape)
    if (__builtin_mul_overflow(bytes, size ? size : 1, &bytes))
      return fail("the shape is too large");
  if (empty)
    bytes = 0;

  std::vector<int64_t> offsets;
  if (!readSizes(entry["data_offsets"], offsets) || offsets.size() != 2)
    return fail("'data_offsets' must be two integers >= 0");
  if (offsets[0] > offsets[1])
    return fail("the data end before they begin");
  if (static_cast<uint64_t>(offsets[1]) > data.size())
    return fail("the data end at byte " + std::to_string(offsets[1]) + " of " +
                std::to_string(data.size()));
  if (offsets[1] - offsets[0] != bytes)
    return fail("the data have " + std::to_string(offsets[1] - offsets[0]) +
                " bytes, dtype and shape need " + std::to_string(bytes));
  tensor.data = data.data() + offsets[0];
  tensor.bytes = bytes;
  return Status::success();
}

/// Sorted by offset the tensors must cover the data without gap or overlap.
static Status checkLayout(const SafeTensors &tensors, std::string_view data) {
  using Entry = SafeTensors::value_type;
  std::vector<const Entry *> sorted;
  for (const Entry &entry : tensors)
    sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const Entry *a, const Entry *b) {
    return a->second.data != b->second.data ? a->second.data < b->second.data
                                            : a->second.bytes < b->second.bytes;
  });
  const char *expected = data.data();
  for (const Entry *entry : sorted) {
    if (entry->second.data < expected)
      return Status::error("tensor '" + entry->first +
                           "': the data overlap those of another tensor");
    if (entry->second.data > expected)
      return Status::error("tensor '" + entry->first +
                           "': a gap lies before the data");
    expected += entry->second.bytes;
  }
  if (expected != data.data() + data.size())
    return Status::error("the file has data that belong to no tensor");
  return Status::success();
}

Result<SafeTensors> dynbatch::rt::readSafetensors(std::string_view contents) {
  uint64_t headerBytes;
  if (contents.size() < sizeof(headerBytes))
    return Status::error("not a safetensors file: shorter than 8 bytes");
  std::memcpy(&headerBytes, contents.data(), sizeof(headerBytes));
  contents.remove_prefix(sizeof(headerBytes));
  if (headerBytes > kMostHeaderBytes)
    return Status::error("not a safetensors file: a header of " +
                         std::to_string(headerBytes) + " bytes");
  if (headerBytes > contents.size())
    return Status::error("the file is truncated: a header of " +
                         std::to_string(headerBytes) + " bytes, but only " +
                         std::to_string(contents.size()) + " follow");

  std::string_view data = contents.substr(headerBytes);
  Result<json> header = parseJson(contents.substr(0, headerBytes));
  if (!header.ok())
    return Status::error("header: " + header.message());
  if (!header->is_object())
    return Status::error("header: expected an object");

  SafeTensors tensors;
  for (const auto &entry : header->items()) {
    if (entry.key() == "__metadata__") {
      if (!entry.value().is_object())
        return Status::error("header: '__metadata__' must be an object");
      continue;
    }
    SafeTensor tensor;
    Status status = readTensor(entry.key(), entry.value(), data, tensor);
    if (!status.ok())
      return status;
    tensors.emplace(entry.key(), std::move(tensor));
  }
  Status status = checkLayout(tensors, data);
  if (!status.ok())
    return status;
  return tensors;
}

Status
dynbatch::rt::writeSafetensors(const std::string &path,
                               const std::vector<SafeTensorSource> &tensors) {
  ordered_json header = ordered_json::object();
  int64_t offset = 0;
  for (const SafeTensorSource &tensor : tensors) {
    ordered_json entry;
    entry["dtype"] = safetensorsName(tensor.type->dtype);
    entry["shape"] = tensor.type->shape;
    entry["data_offsets"] = {offset, offset + tensor.type->dataBytes()};
    offset += tensor.type->dataBytes();
    header[tensor.name] = std::move(entry);
  }
  std::string text = header.dump();
  while ((sizeof(uint64_t) + text.size()) % DYNBATCH_TENSOR_ALIGNMENT != 0)
    text += ' ';

  std::FILE *file = std::fopen(path.c_str(), "wb");
  auto failure = [&] {
    return Status::error("cannot write '" + path +
                         "': " + std::strerror(errno));
  };
  if (!file)
    return failure();
  uint64_t headerBytes = text.size();
  bool written = std::fwrite(&headerBytes, sizeof(headerBytes), 1, file) == 1 &&
                 std::fwrite(text.data(), text.size(), 1, file) == 1;
  for (const SafeTensorSource &tensor : tensors) {
    size_t bytes = tensor.type->dataBytes();
    written = written &&
              (bytes == 0 || std::fwrite(tensor.data, bytes, 1, file) == 1);
  }
  if (!written) {
    Status status = failure();
    std::fclose(file);
    return status;
  }
  return std::fclose(file) == 0 ? Status::success() : failure();
}
