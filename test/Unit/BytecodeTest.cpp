//===- BytecodeTest.cpp - Versions of the dialect in bytecode -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/IR/Bytecode.h"
#include "dynbatch/IR/Dynbatch.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using dynbatch::DynbatchDialect;
using dynbatch::DynbatchVersion;

namespace {
class BytecodeTest : public ::testing::Test {
protected:
  BytecodeTest() {
    context.loadDialect<DynbatchDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        errors += note.str() + "\n";
    });
  }

  /// A module in bytecode that says it was written with `version`, or with the
  /// present one.
  std::string write(std::optional<uint64_t> version) {
    auto module = parseSourceString<ModuleOp>(
        "dynbatch.adt @List { dynbatch.ctor @Nil() }", &context);
    BytecodeWriterConfig config;
    if (version)
      config.setDialectVersion<DynbatchDialect>(
          std::make_unique<DynbatchVersion>(*version));
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    EXPECT_TRUE(succeeded(writeBytecodeToFile(*module, stream, config)));
    return bytes;
  }
  OwningOpRef<ModuleOp> read(StringRef bytes) {
    return parseSourceString<ModuleOp>(bytes, ParserConfig(&context));
  }

  MLIRContext context;
  std::string errors;
};
} // namespace

TEST_F(BytecodeTest, ReadsThePresentVersion) {
  auto module = read(write(std::nullopt));
  ASSERT_TRUE(module) << errors;
  EXPECT_TRUE(module->lookupSymbol("List"));
}

TEST_F(BytecodeTest, ReadsOlderVersions) {
  EXPECT_TRUE(read(write(0))) << errors;
}

TEST_F(BytecodeTest, RefusesNewerVersions) {
  EXPECT_FALSE(read(write(DynbatchVersion::kCurrent + 1)));
  EXPECT_NE(errors.find("was written with version 2 of the 'dynbatch' dialect, "
                        "but this program knows versions up to 1"),
            std::string::npos)
      << errors;
}
