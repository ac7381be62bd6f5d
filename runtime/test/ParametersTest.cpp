//===- ParametersTest.cpp - Loading, saving and random values ---*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Parameters.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace dynbatch::rt;

namespace {

ModuleDescriptor describe(const std::string &params) {
  auto parsed = ModuleDescriptor::parse(
      R"({"name": "m", "entry": {"name": "main", "inputs": [], "results": []},
          "adts": [], "kernels": [], "stages": [], "params": [)" +
      params + "]}");
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  return parsed.take();
}

std::string param(const char *name, const char *dtype, const char *shape,
                  bool derived = false) {
  return std::string("{\"name\": \"") + name +
         "\", \"type\": {\"kind\": \"tensor\", \"dtype\": \"" + dtype +
         "\", \"shape\": " + shape +
         "}, \"derived\": " + (derived ? "true}" : "false}");
}

std::string temporaryFile(const char *name) {
  return ::testing::TempDir() + "dynbatch_" + std::to_string(getpid()) + "_" +
         name;
}

} // namespace

TEST(RandomParameters, FollowTheFormula) {
  ModuleDescriptor descriptor =
      describe(param("W", "f32", "[3, 4]") + "," + param("b", "f32", "[2]"));
  auto params = ParameterSet::random(descriptor, 7);
  ASSERT_TRUE(params.ok()) << params.message();
  // The documented formula, step by step.
  auto value = [](const char *name, uint64_t seed, uint64_t i, float scale) {
    uint64_t hash = 0xCBF29CE484222325;
    for (const char *c = name; *c; ++c)
      hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001B3;
    uint64_t z =
        (hash ^ (seed * 0x9E3779B97F4A7C15)) + (i + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    float u = static_cast<float>(z >> 40) / 16777216.0f;
    return (2 * u - 1) * scale;
  };
  const auto *w = static_cast<const float *>(params->data(0));
  float scale = static_cast<float>(std::sqrt(3.0 / 4.0));
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(w[i], value("W", 7, i, scale));
    EXPECT_LE(std::fabs(w[i]), scale);
  }
  const auto *b = static_cast<const float *>(params->data(1));
  EXPECT_EQ(b[1], value("b", 7, 1, 0.1f));
}

TEST(RandomParameters, DoNotDependOnOtherParameters) {
  std::string w = param("W", "f32", "[5, 64]");
  auto alone = ParameterSet::load(describe(w), "random:42");
  auto second =
      ParameterSet::load(describe(param("V", "f64", "[9]") + "," + w + "," +
                                  param("p", "f32", "[64]", true)),
                         "random:42");
  auto other = ParameterSet::load(describe(w), "random:43");
  ASSERT_TRUE(alone.ok() && second.ok() && other.ok());
  size_t bytes = 5 * 64 * 4;
  EXPECT_EQ(std::memcmp(alone->data(0), second->data(1), bytes), 0);
  EXPECT_NE(std::memcmp(alone->data(0), other->data(0), bytes), 0);
  for (size_t i = 0; i < second->size(); ++i)
    EXPECT_EQ(reinterpret_cast<uintptr_t>(second->data(i)) % 64, 0u);
}

TEST(RandomParameters, AllFloatTypesAgree) {
  auto f32 = ParameterSet::random(describe(param("W", "f32", "[8]")), 1);
  auto f64 = ParameterSet::random(describe(param("W", "f64", "[8]")), 1);
  auto bf16 = ParameterSet::random(describe(param("W", "bf16", "[8]")), 1);
  auto f16 = ParameterSet::random(describe(param("W", "f16", "[8]")), 1);
  ASSERT_TRUE(f32.ok() && f64.ok() && bf16.ok() && f16.ok());
  for (int i = 0; i < 8; ++i) {
    float value = static_cast<const float *>(f32->data(0))[i];
    EXPECT_EQ(static_cast<const double *>(f64->data(0))[i], value);
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    // Round to nearest even by hand.
    uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    EXPECT_EQ(static_cast<const uint16_t *>(bf16->data(0))[i], rounded);
  }
}

TEST(RandomParameters, Errors) {
  EXPECT_EQ(
      ParameterSet::random(describe(param("ids", "i32", "[2]")), 1).message(),
      "parameter 'ids' of type tensor<2xi32>: only floating-point parameters "
      "can be random");
  for (const char *spec :
       {"random:", "random:-1", "random:1x", "random:18446744073709551616"})
    EXPECT_EQ(ParameterSet::load(describe(""), spec).message(),
              std::string("'") + spec +
                  "': the seed must be an integer from 0 to 2^64 - 1");
  EXPECT_TRUE(
      ParameterSet::load(describe(""), "random:18446744073709551615").ok());
}

TEST(Parameters, SaveAndLoad) {
  // Odd sizes, so that later tensors are not aligned in the file.
  ModuleDescriptor descriptor = describe(
      param("a", "f32", "[3, 5]") + "," + param("d", "f32", "[4]", true) + "," +
      param("e", "bf16", "[7]") + "," + param("z", "f32", "[0, 3]") + "," +
      param("f", "f64", "[]"));
  auto saved = ParameterSet::random(descriptor, 3);
  ASSERT_TRUE(saved.ok()) << saved.message();
  std::string path = temporaryFile("save.safetensors");
  Status status = saved->saveSafetensors(descriptor, path);
  ASSERT_TRUE(status.ok()) << status.message();
  auto loaded = ParameterSet::load(descriptor, path);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  for (size_t i : {0, 2, 3, 4}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(loaded->data(i)) % 64, 0u);
    EXPECT_EQ(std::memcmp(saved->data(i), loaded->data(i),
                          descriptor.params[i].type.dataBytes()),
              0);
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(loaded->data(1)) % 64, 0u);

  auto errorOf = [&](const std::string &params) {
    std::string message = ParameterSet::load(describe(params), path).message();
    return message.substr(std::min(message.size(), path.size() + 2));
  };
  EXPECT_EQ(errorOf(param("a", "f32", "[3, 5]")), "");
  EXPECT_EQ(errorOf(param("b", "f32", "[3]")),
            "parameter 'b': the file does not have it (expected "
            "tensor<3xf32>)");
  EXPECT_EQ(errorOf(param("a", "f32", "[5, 3]")),
            "parameter 'a': expected shape [5, 3], found [3, 5]");
  EXPECT_EQ(errorOf(param("e", "f16", "[7]")),
            "parameter 'e': expected dtype F16, found BF16");
  std::remove(path.c_str());
}

TEST(Parameters, FileErrors) {
  EXPECT_EQ(ParameterSet::load(describe(""), "/no/such/file").message(),
            "cannot read '/no/such/file': No such file or directory");
  EXPECT_EQ(ParameterSet::load(describe(""), "/").message(),
            "cannot read '/': not a regular file");
  std::string path = temporaryFile("bad.safetensors");
  std::ofstream(path) << "nonsense, far too short";
  EXPECT_NE(ParameterSet::load(describe(""), path)
                .message()
                .find("not a safetensors file"),
            std::string::npos);
  std::ofstream(path, std::ios::trunc);
  EXPECT_NE(ParameterSet::load(describe(""), path)
                .message()
                .find("shorter than 8 bytes"),
            std::string::npos);
  std::remove(path.c_str());
  auto params = ParameterSet::random(describe(""), 1);
  EXPECT_FALSE(params->saveSafetensors(describe(""), "/no/such/folder/x").ok());
}

TEST(Parameters, FromMemory) {
  alignas(64) float aligned[4] = {1, 2, 3, 4};
  ModuleDescriptor descriptor = describe(param("a", "f32", "[3]"));
  auto source = [&](const float *data, std::vector<int64_t> shape,
                    DType dtype = DType::F32) {
    return ParameterSet::fromMemory(descriptor, {{"a", dtype, shape, data}});
  };
  auto inPlace = source(aligned, {3});
  ASSERT_TRUE(inPlace.ok());
  EXPECT_EQ(inPlace->data(0), aligned);
  auto copied = source(aligned + 1, {3});
  ASSERT_TRUE(copied.ok());
  EXPECT_NE(copied->data(0), aligned + 1);
  EXPECT_EQ(static_cast<float *>(copied->data(0))[2], 4);
  EXPECT_EQ(source(aligned, {4}).message(),
            "parameter 'a': expected shape [3], found [4]");
  EXPECT_EQ(source(aligned, {3}, DType::F64).message(),
            "parameter 'a': expected dtype f32, found f64");
  EXPECT_EQ(ParameterSet::fromMemory(descriptor, {}).message(),
            "parameter 'a': missing (expected tensor<3xf32>)");
}
