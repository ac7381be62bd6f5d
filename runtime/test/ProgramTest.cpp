//===- ProgramTest.cpp - Running modules, errors included -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestContext.h"

#include "dynbatch/Runtime/PeakFma.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

/// A good instance between bad ones.
const char *kGood = "(Node (Leaf 1) (Leaf 2))";

void expectUsable(Program &program) {
  InstanceSet instances = readInstances(treeModule(), kGood);
  auto lines = runAll(program, instances, 1);
  ASSERT_TRUE(lines.ok()) << lines.message();
  EXPECT_EQ(lines->at(0), expectedTreeResult(kGood));
}

} // namespace

TEST(Program, NoInstances) {
  std::unique_ptr<Program> program = makeProgram(treeModule());
  InstanceSet none = readInstances(treeModule(), "\n# nothing\n");
  EXPECT_EQ(none.size(), 0u);
  Status status = program->run(none, 0, 0, [](const ResultView &) { FAIL(); });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(program->run(none, 0, 1, [](const ResultView &) {}).ok());
}

TEST(Program, IndexErrorNamesTheInstanceAndLeavesTheProgramUsable) {
  ProgramOptions options;
  options.stats = options.verifySchedule = true;
  std::unique_ptr<Program> program = makeProgram(treeModule(), options);
  InstanceSet instances = readInstances(
      treeModule(), "# trees\n(Leaf 1)\n\n(Node (Leaf 2) (Leaf -7))\n");
  for (int i = 0; i < 3; ++i) {
    Status status =
        program->run(instances, 0, 2, [](const ResultView &) { FAIL(); });
    EXPECT_EQ(status.message(),
              "instance 1: t.mlir:1:1: dynbatch.lookup: index -7 is out of "
              "bounds for size 1000 (trees.txt:4)");
    expectUsable(*program);
  }
  EXPECT_EQ(program->statistics().failedMinibatches, 3);
  EXPECT_EQ(program->statistics().minibatches, 3);
  EXPECT_EQ(program->statistics().instances, 3);
}

TEST(Program, StackOverflowIsAnError) {
  ProgramOptions options;
  options.stackBytes = 512 * 1024;
  std::unique_ptr<Program> program = makeProgram(treeModule(), options);
  InstanceSet instances =
      readInstances(treeModule(), std::string(kGood) + "\n" + deepTree(30000));
  for (int i = 0; i < 3; ++i) {
    Status status =
        program->run(instances, 0, 2, [](const ResultView &) { FAIL(); });
    EXPECT_EQ(status.message(),
              "instance 1: recursion too deep: the host stack "
              "of 524288 bytes is used up (trees.txt:2)");
    expectUsable(*program);
  }
}

TEST(Program, StackSizesAreChecked) {
  auto message = [](auto change) {
    ProgramOptions options;
    change(options);
    Result<Module> module = Module::create(&referenceModule());
    Result<ParameterSet> params = ParameterSet::random(module->descriptor(), 1);
    return Program::create(*module, params.take(), options).message();
  };
  EXPECT_EQ(message([](auto &o) { o.stackBytes = 1000; }),
            "a host stack of 1000 bytes is too small: it needs at least "
            "262144");
  EXPECT_EQ(message([](auto &o) { o.fiberStackBytes = 1000; }),
            "a fiber stack of 1000 bytes: it must have from 65536 to "
            "1099511627776");
}

TEST(Program, ErrorOfTheProgramNamesTheInstance) {
  std::unique_ptr<Program> program = makeProgram(treeModule());
  InstanceSet instances =
      readInstances(treeModule(), "(Leaf 1)\n(Wrap (Leaf -1000))\n");
  for (int i = 0; i < 2; ++i) {
    Status status =
        program->run(instances, 0, 2, [](const ResultView &) { FAIL(); });
    EXPECT_EQ(status.message(),
              "instance 1: t.mlir:9:1: assertion failed: a small word "
              "(trees.txt:2)");
    expectUsable(*program);
  }
}

TEST(Program, StopsWhenAskedTo) {
  for (const dynbatch_module *module :
       {&treeModule(), &parkingModule(), &spawningModule()}) {
    std::unique_ptr<Program> program = makeProgram(*module);
    InstanceSet instances = readInstances(treeModule(), "(Leaf 1)\n(Leaf 2)\n");
    std::atomic<bool> stop{true};
    for (int i = 0; i < 2; ++i) {
      Status status = program->run(
          instances, 0, 2, [](const ResultView &) { FAIL(); }, &stop);
      EXPECT_EQ(status.message(), "the run was stopped");
      expectUsable(*program);
    }
    stop = false;
    size_t results = 0;
    Status status = program->run(
        instances, 0, 2, [&](const ResultView &) { ++results; }, &stop);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(results, 2u);
  }
}

TEST(Program, StopsWhileItRuns) {
  std::unique_ptr<Program> program = makeProgram(treeModule());
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "(Node (Leaf 1) (Leaf 1000))\n";
  InstanceSet instances = readInstances(treeModule(), text);
  std::atomic<bool> stop{false};
  std::thread other([&] { stop = true; });
  Status status = Status::success();
  // As often as it takes the other thread to come.
  while (status.ok())
    status = program->run(
        instances, 0, instances.size(), [](const ResultView &) {}, &stop);
  other.join();
  EXPECT_EQ(status.message(), "the run was stopped");
  expectUsable(*program);
}

TEST(Program, MemoryLimitIsAnError) {
  ProgramOptions options;
  options.memoryLimitBytes = 1 << 20;
  std::unique_ptr<Program> program = makeProgram(treeModule(), options);
  InstanceSet instances = readInstances(treeModule(), deepTree(10000));
  Status status =
      program->run(instances, 0, 1, [](const ResultView &) { FAIL(); });
  EXPECT_EQ(status.message(),
            "instance 0: out of memory: the tensor arena has used 1048576 "
            "bytes and needs 64 more, the limit is 1048576 (trees.txt:1)");
  expectUsable(*program);
}

TEST(Program, ReferenceModuleRunsAtOnce) {
  std::unique_ptr<Program> program = makeProgram(referenceModule());
  InstanceSet instances =
      readInstances(referenceModule(), "[]\n[1 2 3]\n[-0.5 1e3 4 5]\n");
  for (int i = 0; i < 3; ++i) {
    auto lines = runAll(*program, instances, 2);
    ASSERT_TRUE(lines.ok()) << lines.message();
    EXPECT_EQ((*lines)[0], "[0 0 0 0]");
    EXPECT_EQ((*lines)[1], "[1 4 9 0]");
    EXPECT_EQ((*lines)[2], "[0.25 1e+06 16 25]");
  }
}

TEST(Program, SeveralAtOnce) {
  std::unique_ptr<Program> first = makeProgram(treeModule());
  std::unique_ptr<Program> second = makeProgram(treeModule());
  std::thread other([&] {
    for (int i = 0; i < 20; ++i)
      expectUsable(*second);
  });
  for (int i = 0; i < 20; ++i)
    expectUsable(*first);
  other.join();
}

TEST(Program, RunInsideASink) {
  std::unique_ptr<Program> outer = makeProgram(treeModule());
  std::unique_ptr<Program> inner = makeProgram(treeModule());
  InstanceSet instances = readInstances(treeModule(), kGood);
  Status status = outer->run(instances, 0, 1, [&](const ResultView &view) {
    expectUsable(*inner);
    std::string text;
    print(view, text);
    EXPECT_EQ(text, expectedTreeResult(kGood));
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Module, RefusesWhatDoesNotFit) {
  auto message = [](auto change) {
    dynbatch_module module = treeModule();
    change(module);
    return Module::create(&module).message();
  };
  EXPECT_EQ(message([](auto &m) { m.abi_version = 99; }),
            "the module was compiled for runtime ABI version 99, this runtime "
            "has version 3");
  EXPECT_EQ(message([](auto &m) { m.num_kernels = 3; }),
            "the module has 3 kernels, its descriptor 4");
  EXPECT_EQ(message([](auto &m) { m.kernels = nullptr; }),
            "the module has no code for kernel 'embed'");
  EXPECT_EQ(message([](auto &m) { m.prologue = nullptr; }),
            "the module has no prologue to compute parameter 'twice'");
  EXPECT_FALSE(Module::create(nullptr).ok());
  EXPECT_FALSE(Module::load("no-such-file.so").ok());
}

TEST(Module, LoadsASharedLibrary) {
  Result<Module> module = Module::load(DYNBATCH_TEST_MODULE);
  ASSERT_TRUE(module.ok()) << module.message();
  Result<ParameterSet> params = ParameterSet::random(module->descriptor(), 1);
  Result<std::unique_ptr<Program>> program =
      Program::create(*module, params.take());
  ASSERT_TRUE(program.ok()) << program.message();
  Result<InstanceSet> instances =
      InstanceSet::fromText(module->descriptor(), "4\n-1\n", "in.txt");
  auto lines = runAll(**program, *instances, 2);
  EXPECT_EQ(lines.message(), "instance 1: root: index -1 is out of bounds for "
                             "size 10 (in.txt:2)");
  Status status = (*program)->run(*instances, 0, 1, [](const ResultView &view) {
    EXPECT_EQ(view.value(0).bits(), 2u);
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(Module, KeepsLibrariesApart) {
  std::vector<Module> modules;
  std::vector<std::unique_ptr<Program>> programs;
  for (const char *path : {DYNBATCH_TEST_MODULE, DYNBATCH_OTHER_TEST_MODULE}) {
    Result<Module> module = Module::load(path);
    ASSERT_TRUE(module.ok()) << module.message();
    modules.push_back(module.take());
    Result<ParameterSet> params =
        ParameterSet::random(modules.back().descriptor(), 1);
    Result<std::unique_ptr<Program>> program =
        Program::create(modules.back(), params.take());
    ASSERT_TRUE(program.ok()) << program.message();
    programs.push_back(program.take());
  }
  Result<InstanceSet> instances =
      InstanceSet::fromText(modules[0].descriptor(), "64\n", "in.txt");
  for (int round = 0; round < 2; ++round)
    for (size_t i = 0; i < 2; ++i) {
      auto lines = runAll(*programs[i], *instances, 1);
      ASSERT_TRUE(lines.ok()) << lines.message();
      EXPECT_EQ((*lines)[0], i == 0 ? "8" : "4");
    }
}

TEST(Module, RefusesWhatIsNoModule) {
  Result<Module> module = Module::load(DYNBATCH_TEST_PLUGIN);
  EXPECT_EQ(module.message(), std::string(DYNBATCH_TEST_PLUGIN) +
                                  ": not a dynbatch module: it has no symbol "
                                  "'dynbatch_module'");
}

TEST(Module, RefusesAProcessorThatLacksFeatures) {
  auto message = [](const char *target) {
    std::string text = treeModule().descriptor;
    text.insert(1, target);
    dynbatch_module module = treeModule();
    module.descriptor = text.c_str();
    return Module::create(&module).message();
  };
  EXPECT_EQ(message(R"("target": {"cpu": "abacus", "features": []},)"), "");
  // A later compiler may know more.
  EXPECT_EQ(message(R"("target": {"cpu": "", "features": ["beads"]},)"), "");
#if defined(__x86_64__)
  EXPECT_EQ(message(R"("target": {"cpu": "", "features": ["sse3"]},)"), "");
  // No processor was ever made with both.
  std::string both = message(
      R"("target": {"cpu": "abacus", "features": ["xop", "avx512f"]},)");
  EXPECT_EQ(both.find("the module was compiled for a processor 'abacus' with "
                      "features that this one lacks: "),
            0u)
      << both;
#endif
}

TEST(Module, ListsTheAbi) {
  size_t count = 0;
  const AbiSymbol *symbols = abiSymbols(count);
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_NE(symbols[i].address, nullptr);
    names.insert(symbols[i].name);
  }
  EXPECT_EQ(names.size(), count);
  EXPECT_TRUE(names.count("dynbatch_rt_reserve"));
  EXPECT_TRUE(names.count("dynbatch_rt_spawn"));
  EXPECT_TRUE(names.count("dynbatch_rt_join"));
}

TEST(Context, RefusesADepthThatTheStageCannotHave) {
  Status status = TestContext().run(
      [](dynbatch_context *ctx) { dynbatch_rt_reserve(ctx, 0, 1); });
  EXPECT_EQ(status.message(), "internal error: a task of kernel 'embed' at "
                              "depth 1 of a stage that is not cyclic");
  status = TestContext().run(
      [](dynbatch_context *ctx) { dynbatch_rt_reserve(ctx, 1, 0); });
  EXPECT_EQ(status.message(), "internal error: a task of kernel 'combine' at "
                              "depth 0 of a stage that is cyclic");
}

TEST(Context, ErrorsLeaveTheHostCode) {
  Status status = TestContext().run(
      [](dynbatch_context *ctx) { dynbatch_rt_error(ctx, "it went wrong"); });
  EXPECT_EQ(status.message(), "it went wrong");
}

TEST(Context, VerifyFindsATaskBeforeItsProducer) {
  Status status = TestContext().run([](dynbatch_context *ctx) {
    int64_t blocks[2];
    for (int64_t &block : blocks)
      block = reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, 64));
    // The second wrap reads the first at the same depth.
    int64_t *row = dynbatch_rt_reserve(ctx, 2, 1);
    row[0] = 0;
    row[1] = blocks[0];
    row = dynbatch_rt_reserve(ctx, 2, 1);
    row[0] = blocks[0];
    row[1] = blocks[1];
  });
  EXPECT_EQ(status.message(),
            "internal error: kernel 'wrap' (stage 1, depth 1) runs before "
            "kernel 'wrap' (stage 1, depth 1), which makes its operand 0");
}

TEST(Context, EpochsWrapToOne) {
  Status status = TestContext().run([](dynbatch_context *ctx) {
    uint64_t first = ctx->epoch;
    EXPECT_EQ(first, uint64_t(1) << DYNBATCH_STAMP_EPOCH_SHIFT);
    dynbatch_rt_flush(ctx);
    EXPECT_EQ(ctx->epoch, 2 * first);
    ctx->epoch = uint64_t(0xfff) << DYNBATCH_STAMP_EPOCH_SHIFT;
    dynbatch_rt_flush(ctx);
    EXPECT_EQ(ctx->epoch, first);
  });
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(PeakFma, IsPlausible) {
  EXPECT_GT(measurePeakFma(), 0.1);
  EXPECT_GT(measureTileRate(), 0.1);
}

TEST(Program, ReadsInHostMemory) {
  // A module may use the same function there: it returns the address.
  TestContext context;
  Status status = context.run([](dynbatch_context *ctx) {
    EXPECT_EQ(ctx->device, 0);
    int64_t value = 7;
    auto address = reinterpret_cast<int64_t>(&value);
    uint64_t epoch = ctx->epoch;
    EXPECT_EQ(dynbatch_rt_read(ctx, address, 0, 8), &value);
    EXPECT_EQ(ctx->epoch, epoch);
    EXPECT_EQ(dynbatch_rt_read(ctx, address, epoch, 8), &value);
    EXPECT_GT(ctx->epoch, epoch);
  });
  EXPECT_TRUE(status.ok()) << status.message();
}
