//===- CudaErrorsTest.cpp - What can go wrong with a GPU --------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaModules.h"

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;
using namespace dynbatch::rt::cuda;

namespace {

const char *kTrees = "(Node (Leaf 1) (Leaf 2))\n(Wrap (Leaf 1000))\n"
                     "(Leaf 1000)\n(Leaf 1000)\n(Leaf 1000)\n(Leaf 1000)\n";

Status runOnce(Program &program, const dynbatch_module &module,
               const char *text) {
  InstanceSet instances = readInstances(module, text);
  return program.run(instances, 0, instances.size(), [](const ResultView &) {});
}

Status runTrees(Program &program) {
  return runOnce(program, cudaTreeModule(), kTrees);
}

/// Runs one instance of the launch module; the error.
std::string launchError(Program &program, const std::string &instance) {
  InstanceSet instances = readInstances(cudaLaunchModule(), instance);
  return program.run(instances, 0, 1, [](const ResultView &) {}).message();
}

} // namespace

TEST_F(CudaTest, NoDriver) {
  setenv("DYNBATCH_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  std::string message = tryProgram(cudaTreeModule()).message();
  EXPECT_EQ(message.find("cannot open the CUDA driver: /nowhere/libcuda.so"),
            0u)
      << message;
}

TEST_F(CudaTest, OldDriver) {
  setenv("DYNBATCH_CUDA_DRIVER", DYNBATCH_FAKE_OLD_CUDA, 1);
  EXPECT_EQ(tryProgram(cudaTreeModule()).message(),
            "the CUDA driver '" DYNBATCH_FAKE_OLD_CUDA
            "' is too old: it has no function 'cuFuncSetAttribute'");
}

TEST_F(CudaTest, NoDevice) {
  ProgramOptions options;
  options.device = 1;
  EXPECT_EQ(tryProgram(cudaTreeModule(), options).message(),
            "there is no CUDA device 1: the driver knows 1");
  options.device = -1;
  EXPECT_EQ(tryProgram(cudaTreeModule(), options).message(),
            "there is no CUDA device -1: the driver knows 1");
  cuda.setDevices(0);
  EXPECT_EQ(tryProgram(cudaTreeModule()).message(),
            "cuInit: CUDA_ERROR_NO_DEVICE (some text)");
}

TEST_F(CudaTest, AnyCallMayFail) {
  // Whichever call fails: an error that names it, nothing left behind, and
  // where the Program could be made it works on.
  struct Case {
    const dynbatch_module &module;
    const char *instances;
  };
  const char *items = "[(Some [1 2 3]) (Some [4 5 6])]\n[(Some [7 8 9])]\n"
                      "[(Some [1 2 3])]\n[(Some [1 2 3])]\n[]\n";
  for (const Case &test :
       {Case{cudaTreeModule(), kTrees}, Case{cudaItemsModule(), items}})
    for (const char *function :
         {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetAttribute",
          "cuDevicePrimaryCtxRetain", "cuMemAlloc", "cuMemHostAlloc",
          "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemsetD8Async",
          "cuStreamCreate", "cuStreamSynchronize", "cuEventCreate",
          "cuEventRecord", "cuEventElapsedTime", "cuModuleLoadDataEx",
          "cuModuleGetFunction", "cuLaunchKernel"}) {
      // What arenas are filled with is not worth an error.
      bool harmless = std::string(function) == "cuMemsetD8Async";
      int call = 0;
      while (true) {
        cuda.failCall(function, ++call, CUDA_ERROR_INVALID_VALUE);
        ProgramOptions options;
        options.stats = options.verifySchedule = true;
        auto program = tryProgram(test.module, options);
        Status status = program.ok()
                            ? runOnce(**program, test.module, test.instances)
                            : program.takeError();
        if (!cuda.hasFailed())
          break;
        std::string where = function + (" " + std::to_string(call)) + ": ";
        EXPECT_EQ(status.ok(), harmless) << where;
        if (!status.ok()) {
          EXPECT_NE(status.message().find(function), std::string::npos)
              << where << status.message();
          EXPECT_NE(
              status.message().find(": CUDA_ERROR_INVALID_VALUE (some text)"),
              std::string::npos)
              << where << status.message();
        }
        if (program.ok()) {
          Status again = runOnce(**program, test.module, test.instances);
          EXPECT_TRUE(again.ok()) << where << again.message();
        }
      }
      EXPECT_GT(call, 1) << function;
    }
}

TEST_F(CudaTest, LaunchesThatAreWrong) {
  cuda.addKernel("nothing", 0, [](const FakeLaunch &) {});
  auto program = tryProgram(cudaLaunchModule());
  ASSERT_TRUE(program.ok()) << program.message();
  const std::string kernel = "kernel 'nothing' (l.mlir:1:1): ";
  auto error = [&](const std::string &instance) {
    return launchError(**program, instance);
  };
  EXPECT_EQ(error("1 32 0 2"), kernel + "cuModuleGetFunction: "
                                        "CUDA_ERROR_NOT_FOUND (some text)");
  EXPECT_EQ(error("1 32 0 1"),
            kernel + "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (some text):\n"
                     "ptxas application ptx input, line 1; error");
  EXPECT_EQ(error("1 32 0 3"),
            kernel + "a GPU image of version 9, this runtime knows version 1");
  EXPECT_EQ(error("1 32 0 4"), kernel + "a GPU image of an unknown format 9");
  EXPECT_EQ(error("1 32 0 5"), kernel + "an empty GPU image");
  EXPECT_EQ(error("-1 32 0 0"),
            kernel + "a grid of -1 x 1 x 1 blocks: the device allows "
                     "2147483647 x 65535 x 65535");
  EXPECT_EQ(error("2147483648 32 0 0"),
            kernel + "a grid of 2147483648 x 1 x 1 blocks: the device allows "
                     "2147483647 x 65535 x 65535");
  EXPECT_EQ(error("1 1025 0 0"),
            kernel + "a block of 1025 x 1 x 1 threads: the device allows 1024");
  EXPECT_EQ(error("1 0 0 0"),
            kernel + "a block of 0 x 1 x 1 threads: the device allows 1024");
  EXPECT_EQ(error("1 32 1000000 0"),
            kernel +
                "1000000 bytes of shared memory: the device allows 200000");
  // Nothing to launch.
  cuda.takeCalls();
  EXPECT_EQ(error("0 32 0 2"), "");
  for (const std::string &call : cuda.takeCalls())
    EXPECT_EQ(call.find("cuLaunchKernel"), std::string::npos);
}

TEST_F(CudaTest, SharedMemoryIsAskedForOnce) {
  static const char kGood[] = "fake .entry nothing()";
  static const dynbatch_gpu_image image = {
      DYNBATCH_GPU_IMAGE_VERSION, DYNBATCH_GPU_IMAGE_PTX, kGood, sizeof(kGood)};
  static const dynbatch_kernel_fn kernel = [](const int64_t *, int64_t, char *,
                                              void *const *) {
    for (int64_t bytes : {1000, 100000, 50000, 150000})
      dynbatch_rt_gpu_launch(&image, "nothing", 1, 1, 1, 32, 1, 1, bytes,
                             nullptr, 0, nullptr);
  };
  cuda.addKernel("nothing", 0, [](const FakeLaunch &launch) {
    EXPECT_GE(launch.sharedBytes, 1000u);
  });
  dynbatch_module module = cudaLaunchModule();
  module.kernels = &kernel;
  auto program = tryProgram(module);
  ASSERT_TRUE(program.ok()) << program.message();
  cuda.takeCalls();
  EXPECT_EQ(launchError(**program, "0 0 0 0"), "");
  std::vector<std::string> calls = cuda.takeCalls();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuFuncSetAttribute"), 3);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuLaunchKernel nothing"),
            4);

  cuda.failCall("cuFuncSetAttribute", 1, CUDA_ERROR_INVALID_VALUE);
  auto another = tryProgram(module);
  EXPECT_EQ(launchError(**another, "0 0 0 0"),
            "kernel 'nothing': cuFuncSetAttribute: CUDA_ERROR_INVALID_VALUE "
            "(some text)");
}

TEST_F(CudaTest, AKernelThatFailsLosesTheContext) {
  {
    auto program = tryProgram(cudaTreeModule());
    ASSERT_TRUE(program.ok()) << program.message();
    cuda.failKernel("store", CUDA_ERROR_ILLEGAL_ADDRESS);
    const std::string error =
        "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (some text); one of "
        "the kernels in flight failed: 'embed' (t.mlir:1:1), 'average' "
        "(t.mlir:2:1), 'store' (t.mlir:2:9), 'classify' (t.mlir:4:1), "
        "'dynbatch_gather'";
    EXPECT_EQ(runTrees(**program).message(),
              error + "; the context of CUDA device 0 is lost: end all "
                      "programs that use it before a new one begins");
    EXPECT_EQ(runTrees(**program).message(),
              "the context of CUDA device 0 was lost by an earlier error: " +
                  error);
  }
  // Now there is none that uses it.
  cuda.reset();
  EXPECT_EQ(cuda.leaks(), std::vector<std::string>());
}

TEST_F(CudaTest, OutOfMemory) {
#if defined(__has_feature) && __has_feature(thread_sanitizer)
  GTEST_SKIP() << "deep recursion takes minutes under this sanitizer";
#endif
  // Parameters.
  cuda.setMemory(100);
  EXPECT_EQ(tryProgram(cudaTreeModule()).message(),
            "no memory for the parameters: cuMemAlloc of 192 bytes: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory), 100 of 100 bytes of "
            "device memory are free");

  cuda.setMemory(10 << 20);
  ProgramOptions options;
  options.fiberStackBytes = size_t(256) << 20;
  auto program = tryProgram(cudaTreeModule(), options);
  ASSERT_TRUE(program.ok()) << program.message();
  InstanceSet large = readInstances(cudaTreeModule(), deepTree(100000));
  for (int i = 0; i < 2; ++i) {
    std::string message =
        (*program)->run(large, 0, 1, [](const ResultView &) {}).message();
    EXPECT_EQ(message.find("instance 0: out of memory: the tensor arena has "
                           "used "),
              0u)
        << message;
    EXPECT_NE(message.find(" bytes and needs 64 more: cuMemAlloc of 4194304 "
                           "bytes: CUDA_ERROR_OUT_OF_MEMORY (out of memory), "),
              std::string::npos)
        << message;
    EXPECT_NE(message.find(" of 10485760 bytes of device memory are free; a "
                           "smaller minibatch needs less"),
              std::string::npos)
        << message;
    Status again = runTrees(**program);
    EXPECT_TRUE(again.ok()) << again.message();
  }
}

TEST_F(CudaTest, OutOfMemoryForTables) {
  cuda.setMemory((4 << 20) + (64 << 10));
  ProgramOptions options;
  options.fiberStackBytes = size_t(64) << 20;
  auto program = tryProgram(cudaTreeModule(), options);
  ASSERT_TRUE(program.ok()) << program.message();
  InstanceSet large = readInstances(cudaTreeModule(), deepTree(5000));
  std::string message =
      (*program)->run(large, 0, 1, [](const ResultView &) {}).message();
  EXPECT_EQ(message.find("no memory for the tables of a flush: cuMemAlloc of "),
            0u)
      << message;
  EXPECT_NE(message.find("; a smaller minibatch needs less"), std::string::npos)
      << message;
  Status again = runTrees(**program);
  EXPECT_TRUE(again.ok()) << again.message();
}

TEST(CudaDeathTest, LaunchOutsideAFlush) {
  EXPECT_DEATH(
      dynbatch_rt_gpu_launch(nullptr, "k", 1, 1, 1, 1, 1, 1, 0, nullptr, 0, ""),
      "GPU kernel launched outside a flush");
}
