//===- DescriptorTest.cpp - Descriptors, hostile ones included ---*- C++
//-*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include <gtest/gtest.h>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

/// The tree module's descriptor with `from` replaced by `to`; its error.
std::string errorAfter(const std::string &from, const std::string &to) {
  std::string text = treeModule().descriptor;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return ModuleDescriptor::parse(text).message();
}

} // namespace

TEST(Descriptor, Tree) {
  auto parsed = ModuleDescriptor::parse(treeModule().descriptor);
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed->name, "tree");
  EXPECT_EQ(parsed->entryName, "main");
  ASSERT_EQ(parsed->adts.size(), 1u);
  const Constructor &node = parsed->adts[0].ctors[1];
  EXPECT_EQ(node.fields.bytes, 16);
  EXPECT_EQ(node.fields.types[1].str(), "!dynbatch.adt<@Tree>");
  EXPECT_EQ(parsed->results.types[0].str(), "tensor<2xf32>");
  EXPECT_EQ(parsed->results.bytes, 16);
  EXPECT_TRUE(parsed->params[1].derived);
  EXPECT_EQ(parsed->kernels[1].rowWords, 3);
  EXPECT_TRUE(parsed->stages[1].cyclic);
  EXPECT_FALSE(parsed->parks);
  parsed = ModuleDescriptor::parse(parkingModule().descriptor);
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_TRUE(parsed->parks);
  EXPECT_TRUE(parsed->features.empty());
}

TEST(Descriptor, Target) {
  std::string text = treeModule().descriptor;
  text.insert(1, R"("target": {"cpu": "abacus", "features": ["a", "b"]},)");
  auto parsed = ModuleDescriptor::parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  EXPECT_EQ(parsed->cpu, "abacus");
  EXPECT_EQ(parsed->features, (std::vector<std::string>{"a", "b"}));

  auto errorWith = [](std::string target) {
    std::string text = treeModule().descriptor;
    text.insert(1, "\"target\": " + target + ",");
    return ModuleDescriptor::parse(text).message();
  };
  EXPECT_EQ(errorWith("1"), "descriptor: target: expected an object");
  EXPECT_EQ(errorWith(R"({"cpu": "abacus"})"),
            "descriptor: target: missing 'features'");
  EXPECT_EQ(errorWith(R"({"cpu": "abacus", "features": [1]})"),
            "descriptor: target.features[0]: expected a string");
}

TEST(Descriptor, Device) {
  auto parse = [](std::string device) {
    std::string text = treeModule().descriptor;
    text.insert(1, "\"device\": " + device + ",");
    return ModuleDescriptor::parse(text);
  };
  EXPECT_EQ(ModuleDescriptor::parse(treeModule().descriptor)->device,
            DeviceKind::Cpu);
  EXPECT_EQ(parse("\"cpu\"")->device, DeviceKind::Cpu);
  EXPECT_EQ(parse("\"cuda\"")->device, DeviceKind::Cuda);
  EXPECT_EQ(parse("\"abacus\"").message(),
            "descriptor: root.device: unknown device 'abacus'");
  EXPECT_EQ(parse("1").message(), "descriptor: root.device: expected a string");
}

TEST(Descriptor, Rounds) {
  auto parsed = ModuleDescriptor::parse(roundsModule().descriptor);
  ASSERT_TRUE(parsed.ok()) << parsed.message();
  const Stage &stage = parsed->stages[1];
  EXPECT_EQ(stage.kernels, std::vector<unsigned>{1});
  ASSERT_EQ(stage.parts.size(), 1u);
  EXPECT_TRUE(stage.parts[0].steps);
  EXPECT_EQ(stage.parts[0].kernels, std::vector<unsigned>{2});
  EXPECT_EQ(parsed->kernels[1].turn, Turn::First);
  EXPECT_EQ(parsed->kernels[2].turn, Turn::Steps);
  EXPECT_EQ(parsed->kernels[2].round(3 << 12 | 5), 3);
  EXPECT_EQ(parsed->kernels[2].step(3 << 12 | 5), 5);
  EXPECT_EQ(parsed->kernels[1].round(7), 7);
  EXPECT_EQ(parsed->kernels[1].step(7), 0);
}

TEST(Descriptor, Errors) {
  EXPECT_EQ(errorAfter("\"kernels\": [1, 2]",
                       "\"kernels\": [1], \"parts\": [{\"steps\": true, "
                       "\"kernels\": [1, 2]}]"),
            "descriptor: stages[1].parts[0].kernels[0]: kernel 'combine' "
            "belongs to another stage");
  EXPECT_EQ(errorAfter("\"kernels\": [0]}", "\"kernels\": [0], \"parts\": []}"),
            "descriptor: stages[0]: only a cyclic stage has 'parts'");
  EXPECT_EQ(errorAfter("\"adts\":", "\"adts\""),
            "descriptor: malformed JSON at byte 191");
  EXPECT_EQ(errorAfter("\"name\": \"tree\"", "\"nome\": \"tree\""),
            "descriptor: root: missing 'name'");
  EXPECT_EQ(errorAfter("\"name\": \"Tree\"}],", "\"name\": \"Bush\"}],"),
            "descriptor: entry.inputs[0]: unknown ADT 'Bush'");
  EXPECT_EQ(errorAfter("\"f32\"", "\"f8\""),
            "descriptor: entry.results[0]: unknown dtype 'f8'");
  EXPECT_EQ(errorAfter("\"shape\": [2]", "\"shape\": [-2]"),
            "descriptor: entry.results[0].shape[0]: expected an integer from 0 "
            "to 4611686018427387904");
  EXPECT_EQ(
      errorAfter("\"shape\": [2]", "\"shape\": [0, 4294967296, 4294967296]"),
      "descriptor: entry.results[0]: the tensor is too large");
  EXPECT_EQ(errorAfter("\"row_words\": 3", "\"row_words\": 4"),
            "descriptor: kernels[1]: 'row_words' must be 'operands' + 1");
  EXPECT_EQ(
      errorAfter("\"row_words\": 3", "\"row_words\": 3, \"order_by\": 2"),
      "descriptor: kernels[1]: 'order_by' is not the number of an operand");
  EXPECT_EQ(errorAfter("\"kernels\": [1, 2]", "\"kernels\": [1, 9]"),
            "descriptor: stages[1].kernels[1]: there is no such kernel");
  EXPECT_EQ(errorAfter("\"kernels\": [1, 2]", "\"kernels\": [1, 1]"),
            "descriptor: stages[1].kernels[1]: kernel 'combine' belongs to "
            "another stage");
  EXPECT_EQ(errorAfter("\"kernels\": [1, 2]", "\"kernels\": [1]"),
            "descriptor: kernels[2]: the kernel is in no stage");
  EXPECT_EQ(errorAfter("\"name\": \"Wrap\"", "\"name\": \"Node\""),
            "descriptor: adts[0].ctors[2]: a second constructor 'Node'");
  EXPECT_EQ(errorAfter("\"name\": \"twice\"", "\"name\": \"scale\""),
            "descriptor: params[1]: a second parameter 'scale'");
  EXPECT_EQ(errorAfter("\"derived\": false", "\"derived\": 0"),
            "descriptor: params[0].derived: expected true or false");
  EXPECT_EQ(
      errorAfter("\"name\": \"tree\"", "\"name\": \"tree\", \"parks\": 1"),
      "descriptor: root.parks: expected true or false");
}

TEST(Descriptor, AnyTruncationIsAnError) {
  std::string text = treeModule().descriptor;
  for (size_t length = 0; length < text.size() - 1; ++length)
    ASSERT_FALSE(ModuleDescriptor::parse(text.substr(0, length)).ok());
  std::string nested(100000, '[');
  EXPECT_EQ(ModuleDescriptor::parse(nested).message(),
            "descriptor: JSON nested too deeply");
}

TEST(Descriptor, AnyChangedByteIsParsedSafely) {
  std::string text = treeModule().descriptor;
  for (size_t i = 0; i < text.size(); ++i) {
    for (char byte : {'\0', '"', '9', '-', '}', '\xff'}) {
      std::string changed = text;
      changed[i] = byte;
      auto parsed = ModuleDescriptor::parse(changed);
      EXPECT_TRUE(parsed.ok() || !parsed.message().empty());
    }
  }
}
