//===- InstanceBuilderTest.cpp - Instances value by value -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/InstanceBuilder.h"
#include "TestModules.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

/// Inputs: a List of Nil and Cons(tensor<2xf32>, List), and a sequence of i32.
ModuleDescriptor describe() {
  auto parsed = ModuleDescriptor::parse(R"({
    "name": "m", "kernels": [], "stages": [], "params": [],
    "entry": {"name": "main", "results": [], "inputs": [
      {"kind": "adt", "name": "List"},
      {"kind": "seq", "element": {"kind": "scalar", "dtype": "i32"}}]},
    "adts": [{"name": "List", "ctors": [
      {"name": "Nil", "fields": []},
      {"name": "Cons", "fields": [
        {"kind": "tensor", "dtype": "f32", "shape": [2]},
        {"kind": "adt", "name": "List"}]}]}]})");
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  return parsed.take();
}

constexpr unsigned kNil = 0, kCons = 1;

std::string text(const ModuleDescriptor &descriptor,
                 const InstanceSet &instances, size_t index) {
  std::string out;
  for (size_t i = 0; i < 2; ++i) {
    print(ValueView(descriptor, descriptor.inputs.types[i],
                    instances.arguments(index) + descriptor.inputs.offsets[i]),
          out);
    out += i == 0 ? " " : "";
  }
  return out;
}

} // namespace

TEST(InstanceBuilder, BuildsWhatTheReaderReads) {
  ModuleDescriptor descriptor = describe();
  InstanceBuilder builder(descriptor);
  alignas(64) float aligned[2] = {1, 2};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(builder.beginConstructor(kCons).ok());
    ASSERT_TRUE(builder.addTensor(aligned).ok());
    ASSERT_TRUE(builder.beginConstructor(kNil).ok());
    ASSERT_TRUE(builder.end().ok());
    ASSERT_TRUE(builder.end().ok());
    ASSERT_TRUE(builder.beginSequence().ok());
    for (int word = 0; word < i; ++word)
      ASSERT_TRUE(builder.addScalar(7).ok());
    ASSERT_TRUE(builder.end().ok());
    ASSERT_TRUE(builder.endInstance().ok());
  }
  InstanceSet instances = builder.finish();
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances.line(1), 0);
  EXPECT_EQ(text(descriptor, instances, 0), "(Cons [1 2] Nil) []");
  EXPECT_EQ(text(descriptor, instances, 1), "(Cons [1 2] Nil) [7]");
  EXPECT_EQ(builder.finish().size(), 0u);
}

TEST(InstanceBuilder, UsesAlignedTensorsInPlaceAndCopiesOthers) {
  ModuleDescriptor descriptor = describe();
  InstanceBuilder builder(descriptor);
  alignas(64) float memory[20] = {};
  for (float *data : {memory, memory + 1}) {
    memory[0] = memory[1] = memory[2] = 1;
    ASSERT_TRUE(builder.beginConstructor(kCons).ok());
    ASSERT_TRUE(builder.addTensor(data).ok());
    ASSERT_TRUE(builder.beginConstructor(kNil).ok());
    ASSERT_TRUE(builder.end().ok());
    ASSERT_TRUE(builder.end().ok());
    ASSERT_TRUE(builder.beginSequence().ok());
    ASSERT_TRUE(builder.end().ok());
    ASSERT_TRUE(builder.endInstance().ok());
  }
  InstanceSet instances = builder.finish();
  memory[0] = memory[1] = memory[2] = 5;
  EXPECT_EQ(text(descriptor, instances, 0), "(Cons [5 5] Nil) []");
  EXPECT_EQ(text(descriptor, instances, 1), "(Cons [1 1] Nil) []");
}

TEST(InstanceBuilder, ChecksNumbers) {
  auto add = [](const char *dtype, auto value) {
    auto parsed = ModuleDescriptor::parse(
        std::string(R"({"name": "m", "kernels": [], "stages": [], "params": [],
          "adts": [], "entry": {"name": "main", "results": [], "inputs": [
          {"kind": "scalar", "dtype": ")") +
        dtype + "\"}]}}");
    EXPECT_TRUE(parsed.ok()) << parsed.message();
    InstanceBuilder builder(*parsed);
    Status status = std::is_floating_point_v<decltype(value)>
                        ? builder.addFloat(value)
                        : builder.addInteger(value);
    if (!status.ok())
      return status.message();
    EXPECT_TRUE(builder.endInstance().ok());
    InstanceSet instances = builder.finish();
    ValueView view(*parsed, parsed->inputs.types[0], instances.arguments(0));
    std::string out;
    print(view, out);
    EXPECT_EQ(isFloat(view.type().dtype) ? view.number() : view.integer(),
              std::stod(out));
    return out;
  };
  EXPECT_EQ(add("i8", -128), "-128");
  EXPECT_EQ(add("i8", 128), "128 is out of range for i8 (-128 to 127)");
  EXPECT_EQ(add("i1", 1), "1");
  EXPECT_EQ(add("i1", 2), "2 is out of range for i1 (0 to 1)");
  EXPECT_EQ(add("i64", int64_t(-5)), "-5");
  EXPECT_EQ(add("f32", 0.5), "0.5");
  EXPECT_EQ(add("bf16", -2.5), "-2.5");
  EXPECT_EQ(add("f64", 1e300), "1e+300");
  EXPECT_EQ(add("f16", 65536.0), "65536.000000 is out of range for f16");
  EXPECT_EQ(add("f32", INFINITY), "inf");
  EXPECT_EQ(add("f32", 1), "expected a value of type f32, not an integer");
  EXPECT_EQ(add("i32", 1.0), "expected a value of type i32, not a float");
}

TEST(InstanceBuilder, RefusesWhatDoesNotFit) {
  ModuleDescriptor descriptor = describe();
  InstanceBuilder builder(descriptor);
  float data[2] = {};
  EXPECT_EQ(builder.addScalar(1).message(),
            "expected a value of type !dynbatch.adt<@List>");
  EXPECT_EQ(builder.end().message(), "no constructor or sequence is open");
  EXPECT_EQ(builder.endInstance().message(),
            "the entry has 2 inputs, found only 0");
  EXPECT_EQ(builder.beginConstructor(2).message(),
            "ADT 'List' has no constructor number 2");
  ASSERT_TRUE(builder.beginConstructor(kCons).ok());
  EXPECT_EQ(builder.beginSequence().message(),
            "expected a value of type tensor<2xf32>");
  ASSERT_TRUE(builder.addTensor(data).ok());
  EXPECT_EQ(builder.addTensor(data).message(),
            "expected a value of type !dynbatch.adt<@List>");
  EXPECT_EQ(builder.end().message(),
            "constructor 'Cons' has 2 fields, found only 1");
  EXPECT_EQ(builder.endInstance().message(), "constructor 'Cons' has no end");
  ASSERT_TRUE(builder.beginConstructor(kNil).ok());
  EXPECT_EQ(builder.addScalar(1).message(),
            "constructor 'Nil' has only 0 fields");
  ASSERT_TRUE(builder.end().ok());
  ASSERT_TRUE(builder.end().ok());
  ASSERT_TRUE(builder.beginSequence().ok());
  EXPECT_EQ(builder.endInstance().message(), "a sequence has no end");
  ASSERT_TRUE(builder.end().ok());
  EXPECT_EQ(builder.addScalar(1).message(), "the entry has only 2 inputs");
  ASSERT_TRUE(builder.endInstance().ok());

  ASSERT_TRUE(builder.beginConstructor(kCons).ok());
  builder.dropInstance();
  EXPECT_EQ(builder.finish().size(), 1u);
}
