//===- PipelineHooksTest.cpp - Stages of other compilers -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/ExecutionEngine/CodeGen.h"
#include "dynbatch/ExecutionEngine/Jit.h"
#include "dynbatch/ExecutionEngine/ObjectCache.h"
#include "dynbatch/IR/Dynbatch.h"
#include "dynbatch/InitAll.h"
#include "dynbatch/Pipelines/Pipelines.h"
#include "dynbatch/Runtime/Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::dynbatch;
namespace rt = ::dynbatch::rt;

/// Adds 100 to the rows of its operand, as no kernel of ours would.
extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT void
dynbatch_test_kernel(const int64_t *rows, int64_t count, char *,
                     void *const *) {
  for (int64_t task = 0; task < count; ++task) {
    auto *operand = reinterpret_cast<const float *>(rows[2 * task]);
    auto *result = reinterpret_cast<float *>(rows[2 * task + 1]);
    for (int i = 0; i < 4; ++i)
      result[i] = operand[i] + 100;
  }
}

static constexpr const char *kModel = R"mlir(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32>
      attributes {dynbatch.entry} {
    %y = arith.addf %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
)mlir";

namespace {
/// Stands for a stage of another compiler, and shows where it runs.
struct Marker : PassWrapper<Marker, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Marker)
  explicit Marker(StringRef name) : name(name) {}
  Marker(const Marker &) = default;
  StringRef getArgument() const override { return name; }
  void runOnOperation() override {}
  StringRef name;
};

/// Implements all kernels by dynbatch_test_kernel.
struct OwnKernels : PassWrapper<OwnKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OwnKernels)
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Type ptr = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = builder.getI64Type();
    auto function = func::FuncOp::create(
        builder, getOperation().getLoc(), "dynbatch_test_kernel",
        builder.getFunctionType({ptr, i64, ptr, ptr}, {}));
    function.setPrivate();
    getOperation().walk([&](KernelOp kernel) {
      kernel.getBody().getBlocks().clear();
      kernel.setImplementation(function.getSymName());
    });
  }
};

class PipelineHooksTest : public ::testing::Test {
protected:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    registerAllToLLVMIRTranslations(registry);
    mlir::dynbatch::registerAllDialects(registry);
    return registry;
  }

  /// Hooks that mark their places.
  static PipelineHooks makeMarkers() {
    auto mark = [](StringRef name) {
      return [name](OpPassManager &pm, const PipelineOptions &) {
        pm.addPass(std::make_unique<Marker>(name));
      };
    };
    PipelineHooks hooks;
    hooks.programStart = mark("program-start");
    hooks.kernelsOutlined = mark("kernels-outlined");
    hooks.kernelsBatched = mark("kernels-batched");
    hooks.hostStart = mark("host-start");
    hooks.referenceStart = [](OpPassManager &pm) {
      pm.addPass(std::make_unique<Marker>("reference-start"));
    };
    return hooks;
  }

  /// The names of passes, in order, that are in `names`.
  static std::vector<std::string> filter(OpPassManager &pm,
                                         ArrayRef<StringRef> names) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    pm.printAsTextualPipeline(stream);
    SmallVector<StringRef> parts;
    StringRef(text).split(parts, ',');
    std::vector<std::string> found;
    for (StringRef part : parts) {
      StringRef name = part.substr(part.rfind('(') + 1).take_while([](char c) {
        return isalnum(c) || c == '-';
      });
      if (llvm::is_contained(names, name))
        found.push_back(name.str());
    }
    return found;
  }

  /// Compiles kModel with `hooks` and runs it on (1 2 3 4).
  std::string run(const PipelineHooks &hooks) {
    auto module = parseSourceString<ModuleOp>(kModel, &context);
    auto target = llvm::cantFail(TargetInfo::create());
    PassManager pm(&context);
    buildPipeline(pm, PipelineOptions(), hooks);
    if (failed(pm.run(*module)))
      return "the pipeline failed";
    auto code = llvm::cantFail(CodeGen::create(*module, target));
    auto jit = llvm::cantFail(Jit::create(*code));
    auto loaded = rt::Module::create(jit->getModule());
    if (!loaded.ok())
      return loaded.message();
    auto instances =
        rt::InstanceSet::fromText(loaded->descriptor(), "[1 2 3 4]", "test");
    auto parameters = rt::ParameterSet::random(loaded->descriptor(), 1);
    auto program = rt::Program::create(*loaded, parameters.take());
    std::string text;
    rt::Status status =
        (*program)->run(*instances, 0, 1, [&](const rt::ResultView &result) {
          rt::print(result, text);
        });
    return status.ok() ? text : status.message();
  }

  DialectRegistry registry = makeRegistry();
  MLIRContext context{registry};
};
} // namespace

TEST_F(PipelineHooksTest, RunWhereTheySay) {
  PassManager pm(&context);
  buildPipeline(pm, PipelineOptions(), makeMarkers());
  EXPECT_EQ(
      filter(pm, {"program-start", "dynbatch-normalize", "dynbatch-schedule",
                  "kernels-outlined", "dynbatch-batch-kernels",
                  "kernels-batched", "convert-dynbatch-kernel-to-cpu",
                  "host-start", "convert-dynbatch-to-scf", "reference-start"}),
      (std::vector<std::string>{"program-start", "dynbatch-normalize",
                                "dynbatch-schedule", "kernels-outlined",
                                "dynbatch-batch-kernels", "kernels-batched",
                                "convert-dynbatch-kernel-to-cpu", "host-start",
                                "convert-dynbatch-to-scf"}));
}

TEST_F(PipelineHooksTest, RunOnGPUs) {
  for (bool cuda : {false, true}) {
    PassManager pm(&context);
    if (cuda)
      buildCudaPipeline(pm, CudaPipelineOptions(), makeMarkers());
    else
      buildSimtPipeline(pm, PipelineOptions(), makeMarkers());
    EXPECT_EQ(filter(pm, {"program-start", "kernels-outlined",
                          "kernels-batched", "convert-dynbatch-kernel-to-gpu",
                          "host-start", "reference-start"}),
              (std::vector<std::string>{
                  "program-start", "kernels-outlined", "kernels-batched",
                  "convert-dynbatch-kernel-to-gpu", "host-start"}));
  }
}

TEST_F(PipelineHooksTest, RunInTheReferencePipeline) {
  PassManager pm(&context);
  buildReferencePipeline(pm, makeMarkers());
  EXPECT_EQ(filter(pm, {"program-start", "reference-start",
                        "convert-elementwise-to-linalg"}),
            (std::vector<std::string>{"reference-start",
                                      "convert-elementwise-to-linalg"}));
}

TEST_F(PipelineHooksTest, EmptyOnesChangeNothing) {
  EXPECT_EQ(run({}), "[2 4 6 8]");
}

TEST_F(PipelineHooksTest, GiveKernelsTheirOwnImplementations) {
  auto addOwn = [](OpPassManager &pm, const PipelineOptions &) {
    pm.addPass(std::make_unique<OwnKernels>());
  };
  PipelineHooks outlined, batched, instead;
  outlined.kernelsOutlined = addOwn;
  batched.kernelsBatched = addOwn;
  instead.implementKernels = addOwn;
  EXPECT_EQ(run(outlined), "[101 102 103 104]");
  EXPECT_EQ(run(batched), "[101 102 103 104]");
  EXPECT_EQ(run(instead), "[101 102 103 104]");
}

TEST_F(PipelineHooksTest, KernelsWithoutImplementationAreErrors) {
  std::string errors;
  context.getDiagEngine().registerHandler(
      [&](Diagnostic &diagnostic) { errors += diagnostic.str(); });
  PipelineHooks hooks;
  hooks.implementKernels = [](OpPassManager &, const PipelineOptions &) {};
  EXPECT_EQ(run(hooks), "the pipeline failed");
  EXPECT_NE(errors.find("kernel @main_0 is not scheduled and lowered yet"),
            std::string::npos)
      << errors;
}

TEST_F(PipelineHooksTest, CannotBeCached) {
  CompileOptions options;
  options.hooks = makeMarkers();
  auto target = llvm::cantFail(TargetInfo::create());
  auto object = getCachedObject(::testing::TempDir(),
                                llvm::MemoryBufferRef(kModel, "model.mlir"),
                                options, target, llvm::errs());
  EXPECT_EQ(llvm::toString(object.takeError()),
            "the cache cannot tell what the hooks of another compiler do");
}
