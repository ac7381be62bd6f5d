//===- SafetensorsTest.cpp - Parameter files, hostile ones included ---*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/Safetensors.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace dynbatch::rt;

namespace {

std::string file(const std::string &header, size_t dataBytes,
                 uint64_t headerBytes = ~uint64_t(0)) {
  if (headerBytes == ~uint64_t(0))
    headerBytes = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &headerBytes, 8);
  return text + header + std::string(dataBytes, '\1');
}

std::string errorOf(const std::string &contents) {
  return readSafetensors(contents).message();
}

std::string tensor(const char *dtype, const char *shape, const char *offsets) {
  return std::string("{\"dtype\":\"") + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string errorOfTensor(const std::string &entry, size_t dataBytes) {
  return errorOf(file("{\"a\":" + entry + "}", dataBytes));
}

} // namespace

TEST(Safetensors, Good) {
  std::string contents =
      file("{\"__metadata__\":{\"x\":\"y\"},\"b\":" +
               tensor("F32", "[2,3]", "[2,26]") +
               ",\"a\":" + tensor("BF16", "[]", "[0,2]") +
               ",\"none\":" + tensor("I64", "[0,4]", "[2,2]") + "}   ",
           26);
  auto tensors = readSafetensors(contents);
  ASSERT_TRUE(tensors.ok()) << tensors.message();
  EXPECT_EQ(tensors->size(), 3u);
  EXPECT_EQ(tensors->at("b").bytes, 24);
  EXPECT_EQ(tensors->at("b").data, contents.data() + contents.size() - 24);
  EXPECT_TRUE(readSafetensors(file("{}", 0)).ok());
}

TEST(Safetensors, Header) {
  EXPECT_EQ(errorOf(""), "not a safetensors file: shorter than 8 bytes");
  EXPECT_EQ(errorOf("1234567"), "not a safetensors file: shorter than 8 bytes");
  EXPECT_EQ(errorOf(file("{}", 0, uint64_t(1) << 63)),
            "not a safetensors file: a header of 9223372036854775808 bytes");
  EXPECT_EQ(errorOf(file("{}", 0, 3)), "the file is truncated: a header of 3 "
                                       "bytes, but only 2 follow");
  EXPECT_EQ(errorOf(file("", 0)), "header: malformed JSON at byte 1");
  EXPECT_EQ(errorOf(file("[]", 0)), "header: expected an object");
  EXPECT_EQ(errorOf(file("{\"a\":1}", 0)),
            "tensor 'a': expected an object of 'dtype', 'shape' and "
            "'data_offsets'");
  EXPECT_EQ(errorOf(file(std::string(5000, '['), 0)),
            "header: JSON nested too deeply");
  std::string a = tensor("I8", "[1]", "[0,1]");
  EXPECT_EQ(errorOf(file("{\"a\":" + a + ",\"a\":" + a + "}", 1)),
            "header: duplicate key 'a'");
}

TEST(Safetensors, Tensors) {
  EXPECT_EQ(errorOfTensor(tensor("F7", "[1]", "[0,1]"), 1),
            "tensor 'a': unknown dtype 'F7'");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[-1]", "[0,1]"), 1),
            "tensor 'a': the shape must be an array of integers >= 0");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[1.0]", "[0,1]"), 1),
            "tensor 'a': the shape must be an array of integers >= 0");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[99999999999999999999]", "[0,1]"), 1),
            "tensor 'a': the shape must be an array of integers >= 0");
  EXPECT_EQ(errorOfTensor(tensor("F64", "[4294967296,4294967296]", "[0,1]"), 1),
            "tensor 'a': the shape is too large");
  EXPECT_EQ(
      errorOfTensor(tensor("F64", "[0,4294967296,4294967296]", "[0,0]"), 0),
      "tensor 'a': the shape is too large");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[4]", "[0,4]"), 3),
            "tensor 'a': the data end at byte 4 of 3");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[4]",
                                 "[9223372036854775807,"
                                 "9223372036854775807]"),
                          3),
            "tensor 'a': the data end at byte 9223372036854775807 of 3");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[1]", "[2,1]"), 3),
            "tensor 'a': the data end before they begin");
  EXPECT_EQ(errorOfTensor(tensor("I8", "[1]", "[0,1,2]"), 3),
            "tensor 'a': 'data_offsets' must be two integers >= 0");
  EXPECT_EQ(errorOfTensor(tensor("F32", "[3]", "[0,11]"), 11),
            "tensor 'a': the data have 11 bytes, dtype and shape need 12");
}

TEST(Safetensors, Layout) {
  auto two = [](const char *first, const char *second, size_t bytes) {
    return errorOf(file("{\"a\":" + tensor("I8", "[4]", first) +
                            ",\"b\":" + tensor("I8", "[4]", second) + "}",
                        bytes));
  };
  EXPECT_EQ(two("[0,4]", "[4,8]", 8), "");
  EXPECT_EQ(two("[4,8]", "[0,4]", 8), "");
  EXPECT_EQ(two("[0,4]", "[3,7]", 7),
            "tensor 'b': the data overlap those of another tensor");
  EXPECT_EQ(two("[0,4]", "[5,9]", 9), "tensor 'b': a gap lies before the data");
  EXPECT_EQ(two("[0,4]", "[4,8]", 9),
            "the file has data that belong to no tensor");
}

TEST(Safetensors, AnyTruncationIsAnError) {
  std::string contents =
      file("{\"a\":" + tensor("F32", "[2]", "[0,8]") + "}", 8);
  for (size_t length = 0; length < contents.size(); ++length)
    EXPECT_FALSE(readSafetensors({contents.data(), length}).ok());
}

TEST(Safetensors, AnyChangedByteIsReadSafely) {
  std::string contents =
      file("{\"a\":" + tensor("F32", "[2]", "[0,8]") + "}", 8);
  for (size_t i = 0; i < contents.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = contents;
      changed[i] = static_cast<char>(byte);
      auto tensors = readSafetensors(changed);
      if (!tensors.ok())
        continue;
      for (const auto &entry : *tensors) {
        EXPECT_GE(entry.second.data, changed.data());
        EXPECT_LE(entry.second.data + entry.second.bytes,
                  changed.data() + changed.size());
      }
    }
  }
}
