//===- InstanceReaderTest.cpp - Instances as text, and back -----*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

std::string scalar(const char *dtype) {
  return std::string("{\"kind\": \"scalar\", \"dtype\": \"") + dtype + "\"}";
}
std::string tensor(const char *dtype, const char *shape) {
  return std::string("{\"kind\": \"tensor\", \"dtype\": \"") + dtype +
         "\", \"shape\": " + shape + "}";
}
std::string seq(const std::string &element) {
  return "{\"kind\": \"seq\", \"element\": " + element + "}";
}
const std::string kList = "{\"kind\": \"adt\", \"name\": \"List\"}";

/// Inputs of these types; there is an ADT `List` of Nil and
/// Cons(tensor<2xf32>, i8, List).
ModuleDescriptor describe(const std::string &inputs) {
  auto parsed = ModuleDescriptor::parse(
      "{\"name\": \"m\", \"entry\": {\"name\": \"main\", \"inputs\": [" +
      inputs +
      "], \"results\": []}, \"kernels\": [], \"stages\": [], \"params\": [], "
      "\"adts\": [{\"name\": \"List\", \"ctors\": [{\"name\": \"Nil\", "
      "\"fields\": []}, {\"name\": \"Cons\", \"fields\": [" +
      tensor("f32", "[2]") + "," + scalar("i8") + "," + kList + "]}]}]}");
  EXPECT_TRUE(parsed.ok()) << parsed.message();
  return parsed.take();
}

/// Reads and prints again; or the error.
std::string roundTrip(const std::string &inputs, const std::string &text) {
  ModuleDescriptor descriptor = describe(inputs);
  auto instances = InstanceSet::fromText(descriptor, text, "in.txt");
  if (!instances.ok())
    return instances.message();
  std::string out;
  for (size_t i = 0; i < instances->size(); ++i) {
    const SlotList &list = descriptor.inputs;
    for (size_t k = 0; k < list.types.size(); ++k) {
      out += k ? " " : "";
      print(ValueView(descriptor, list.types[k],
                      instances->arguments(i) + list.offsets[k]),
            out);
    }
    out += ";";
  }
  return out;
}

} // namespace

TEST(InstanceReader, Layout) {
  ModuleDescriptor descriptor = describe(kList + "," + scalar("f32"));
  auto instances = InstanceSet::fromText(
      descriptor, "# one\n\n(Cons [1 2] -3 (Nil)) 1.5\n", "in.txt");
  ASSERT_TRUE(instances.ok()) << instances.message();
  ASSERT_EQ(instances->size(), 1u);
  EXPECT_EQ(instances->line(0), 3);
  auto *args = reinterpret_cast<const uint64_t *>(instances->arguments(0));
  EXPECT_EQ(args[1], 0x3fc00000u);
  auto *cons = reinterpret_cast<const uint64_t *>(args[0]);
  EXPECT_EQ(args[0] % 16, 0u);
  EXPECT_EQ(cons[0], 1u);
  EXPECT_EQ(cons[1] % 64, 0u);
  EXPECT_EQ(reinterpret_cast<const float *>(cons[1])[1], 2.0f);
  EXPECT_EQ(cons[2], 0u);
  EXPECT_EQ(cons[3], 0xfdu);
  EXPECT_EQ(*reinterpret_cast<const uint64_t *>(cons[4]), 0u);
}

TEST(InstanceReader, RoundTrips) {
  EXPECT_EQ(roundTrip(kList, "Nil\n(Nil)\n ( Cons [1 2]\t3 Nil )\r\n"),
            "Nil;Nil;(Cons [1 2] 3 Nil);");
  EXPECT_EQ(roundTrip(seq(seq(scalar("i32"))), "[]\n[[1 2][][3]]\n"),
            "[];[[1 2] [] [3]];");
  EXPECT_EQ(roundTrip(tensor("i16", "[2, 3]"), "[[1 2 3] [4 5 -6]]"),
            "[[1 2 3] [4 5 -6]];");
  EXPECT_EQ(roundTrip(tensor("f32", "[]"), "2.5"), "2.5;");
  EXPECT_EQ(roundTrip(tensor("f32", "[0]"), "[]"), "[];");
  EXPECT_EQ(roundTrip(tensor("f32", "[2, 0]"), "[[] []]"), "[[] []];");
  EXPECT_EQ(roundTrip(seq(tensor("i1", "[2]")), "[[0 1]\t[1 1]]"),
            "[[0 1] [1 1]];");
  EXPECT_EQ(roundTrip(scalar("i1") + "," + scalar("index"), "1 -5\n0 7"),
            "1 -5;0 7;");
  EXPECT_EQ(roundTrip("", "()\n()\n"), ";;");
  EXPECT_EQ(roundTrip(kList, ""), "");
  EXPECT_EQ(roundTrip(kList, "# only\n   \n#"), "");
}

TEST(InstanceReader, FloatsAreFaithful) {
  EXPECT_EQ(roundTrip(scalar("f32"), "0.1\n-0\n1e-45\n3.4028235e38\ninf\n-inf"
                                     "\nnan\n16777217\n1e-60\n"),
            "0.1;-0;1e-45;3.4028235e+38;inf;-inf;nan;16777216;0;");
  EXPECT_EQ(roundTrip(scalar("f64"), "0.1\n5e-324\n1.7976931348623157e308"),
            "0.1;5e-324;1.7976931348623157e+308;");
  EXPECT_EQ(roundTrip(scalar("f16"), "65504\n0.1\n6e-8"),
            "65504;0.099975586;5.9604645e-08;");
  EXPECT_EQ(roundTrip(scalar("bf16"), "1.00390625\n3e38"), "1;3.0040553e+38;");
  EXPECT_EQ(roundTrip(scalar("f32"), "4e38"),
            "in.txt:1:1: error: 4e38 is out of range for f32");
  EXPECT_EQ(roundTrip(scalar("f16"), "65520"),
            "in.txt:1:1: error: 65520 is out of range for f16");
  EXPECT_EQ(roundTrip(scalar("f64"), "1e999"),
            "in.txt:1:1: error: 1e999 is out of range for f64");
}

TEST(InstanceReader, IntegersAreChecked) {
  EXPECT_EQ(roundTrip(scalar("i8"), "127\n-128"), "127;-128;");
  EXPECT_EQ(roundTrip(scalar("i8"), "1\n 128"),
            "in.txt:2:2: error: 128 is out of range for i8 (-128 to 127)");
  EXPECT_EQ(roundTrip(scalar("i1"), "2"),
            "in.txt:1:1: error: 2 is out of range for i1 (0 to 1)");
  EXPECT_EQ(roundTrip(scalar("i64"), "9223372036854775807"),
            "9223372036854775807;");
  EXPECT_EQ(roundTrip(scalar("i64"), "9223372036854775808"),
            "in.txt:1:1: error: 9223372036854775808 is out of range for i64 "
            "(-9223372036854775808 to 9223372036854775807)");
  EXPECT_EQ(roundTrip(scalar("i32"), "3.5"),
            "in.txt:1:1: error: expected a number of type i32, found '3.5'");
  EXPECT_EQ(roundTrip(scalar("f32"), "1.5x"),
            "in.txt:1:1: error: expected a number of type f32, found '1.5x'");
}

TEST(InstanceReader, ErrorsNameThePlace) {
  EXPECT_EQ(roundTrip(kList, "Nil\n  (Bons [1 2] 3 Nil)"),
            "in.txt:2:4: error: unknown constructor 'Bons' of ADT 'List' (it "
            "has: Nil, Cons)");
  EXPECT_EQ(roundTrip(kList, "(Cons [1 2] 3)"),
            "in.txt:1:14: error: constructor 'Cons' has 3 fields, found ')' "
            "after 2");
  EXPECT_EQ(roundTrip(kList, "(Cons [1 2] 3\nNil)"),
            "in.txt:1:14: error: constructor 'Cons' has 3 fields, found the "
            "end of the line after 2");
  EXPECT_EQ(roundTrip(kList, "(Cons [1 2] 3 Nil Nil)"),
            "in.txt:1:19: error: constructor 'Cons' has 3 fields: expected "
            "')', found 'Nil'");
  EXPECT_EQ(roundTrip(kList, "(Nil 4)"),
            "in.txt:1:6: error: constructor 'Nil' has 0 fields: expected ')', "
            "found '4'");
  EXPECT_EQ(roundTrip(kList, "Cons"),
            "in.txt:1:1: error: constructor 'Cons' has 3 fields: write (Cons "
            "...)");
  EXPECT_EQ(roundTrip(kList, "Nil Nil"),
            "in.txt:1:5: error: unexpected 'Nil' after the instance");
  EXPECT_EQ(roundTrip(kList, "Nil)"),
            "in.txt:1:4: error: unexpected ')' after the instance");
  EXPECT_EQ(roundTrip(kList, "[1]"),
            "in.txt:1:1: error: expected a constructor of ADT 'List', found "
            "'['");
  EXPECT_EQ(roundTrip(kList, "("),
            "in.txt:1:2: error: expected a constructor of ADT 'List', found "
            "the end of the line");
  EXPECT_EQ(roundTrip(scalar("i32") + "," + kList, "5"),
            "in.txt:1:2: error: the entry has 2 inputs, found the end of the "
            "line after 1");
  EXPECT_EQ(roundTrip(seq(scalar("i32")), "[1 2"),
            "in.txt:1:5: error: expected ']' to close the '[' at column 1, "
            "found the end of the line");
  EXPECT_EQ(roundTrip(seq(scalar("i32")), "7"),
            "in.txt:1:1: error: expected '[' to begin a sequence, found '7'");
  EXPECT_EQ(roundTrip(seq(scalar("i32")), "[1)"),
            "in.txt:1:3: error: expected a number of type i32, found ')'");
}

TEST(InstanceReader, TensorShapes) {
  std::string type = tensor("f32", "[2, 2]");
  EXPECT_EQ(roundTrip(type, "[[1 2] [3]]"),
            "in.txt:1:10: error: wrong tensor shape: dimension 1 of a "
            "tensor<2x2xf32> has 2 elements, found ']' after 1");
  EXPECT_EQ(roundTrip(type, "[[1 2 3] [3 4]]"),
            "in.txt:1:7: error: wrong tensor shape: dimension 1 of a "
            "tensor<2x2xf32> has 2 elements, found '3' after 2");
  EXPECT_EQ(roundTrip(type, "[1 2]"),
            "in.txt:1:2: error: wrong tensor shape: expected '[' of a "
            "tensor<2x2xf32>, found '1'");
  EXPECT_EQ(roundTrip(type, "[[1 2] [3 4]"),
            "in.txt:1:13: error: wrong tensor shape: dimension 0 of a "
            "tensor<2x2xf32> has 2 elements, found the end of the line after "
            "2");
  EXPECT_EQ(roundTrip(tensor("f32", "[2]"), "[[1] 2]"),
            "in.txt:1:2: error: wrong tensor shape: expected an element of a "
            "tensor<2xf32>, found '['");
  EXPECT_EQ(roundTrip(tensor("f32", "[1000000, 1000000]"), "[[1]]"),
            "in.txt:1:1: error: expected a tensor<1000000x1000000xf32>, found "
            "'['");
}

TEST(InstanceReader, HundredThousandLevels) {
  std::string text = deepTree(100000);
  InstanceSet instances = readInstances(treeModule(), text);
  auto descriptor = ModuleDescriptor::parse(treeModule().descriptor);
  ValueView value(*descriptor, descriptor->inputs.types[0],
                  instances.arguments(0));
  std::string out;
  print(value, out);
  EXPECT_EQ(out, text);
}

TEST(InstanceReader, AnyTruncationIsReadSafely) {
  std::string inputs = kList + "," + seq(scalar("f32"));
  std::string text = "(Cons [1 2] 3 (Cons [4 5] 6 Nil)) [1 2.5]";
  for (size_t length = 1; length < text.size(); ++length) {
    // Copied, so that the sanitizer sees reads beyond the end.
    std::vector<char> copy(text.begin(), text.begin() + length);
    EXPECT_FALSE(InstanceSet::fromText(describe(inputs),
                                       {copy.data(), copy.size()}, "in.txt")
                     .ok());
  }
}

TEST(InstanceReader, AnyChangedByteIsReadSafely) {
  std::string inputs = kList + "," + seq(tensor("f16", "[1, 2]"));
  ModuleDescriptor descriptor = describe(inputs);
  std::string text = "(Cons [1 2] 3 (Cons [4 5] 6 Nil)) [[[1 2]] [[3 4]]]";
  for (size_t i = 0; i < text.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::vector<char> copy(text.begin(), text.end());
      copy[i] = static_cast<char>(byte);
      auto instances = InstanceSet::fromText(
          descriptor, {copy.data(), copy.size()}, "in.txt");
      EXPECT_TRUE(instances.ok() || !instances.message().empty());
    }
  }
}

TEST(InstanceReader, Files) {
  ModuleDescriptor descriptor = describe(kList);
  EXPECT_EQ(InstanceSet::fromFile(descriptor, "/no/such").message(),
            "cannot read '/no/such': No such file or directory");
  auto none = InstanceSet::fromFile(descriptor, "/dev/null");
  EXPECT_EQ(none.message(), "cannot read '/dev/null': not a regular file");
}
