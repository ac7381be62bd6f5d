//===- CudaModules.cpp - Hand-written modules for CUDA ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaModules.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

extern "C" typedef FakeCuda *FakeCudaGetter();

FakeCuda &FakeCuda::get() {
  void *library = dlopen(path(), RTLD_NOW | RTLD_LOCAL);
  auto *getter =
      reinterpret_cast<FakeCudaGetter *>(dlsym(library, "dynbatchFakeCuda"));
  return *getter();
}

const char *FakeCuda::path() { return DYNBATCH_FAKE_CUDA; }

namespace {

//===----------------------------------------------------------------------===//
// Kernels on the GPU. Arguments: rows, count, scratch, params.
//===----------------------------------------------------------------------===//

struct Call {
  explicit Call(const FakeLaunch &launch)
      : launch(launch), rows(launch.argument<int64_t>(0)),
        count(static_cast<int64_t>(launch.arguments[1])) {}

  float *floats(int64_t address) const {
    return launch.at<float>(static_cast<uint64_t>(address));
  }

  const FakeLaunch &launch;
  const int64_t *rows;
  int64_t count;
};

void embed(const FakeLaunch &launch) {
  Call call(launch);
  EXPECT_EQ(int64_t(launch.grid[0]), (call.count + 31) / 32);
  uint64_t *params = launch.argument<uint64_t>(3);
  float twice = *launch.at<float>(params[1]);
  for (; call.count > 0; --call.count, call.rows += 2)
    for (int i = 0; i < 8; ++i)
      call.floats(call.rows[1])[i] =
          twice * static_cast<int32_t>(call.rows[0]) + i;
}

/// Through scratch memory, in two kernels.
void average(const FakeLaunch &launch) {
  Call call(launch);
  float *sum = launch.argument<float>(2);
  for (; call.count > 0; --call.count, call.rows += 3, sum += 8)
    for (int i = 0; i < 8; ++i)
      sum[i] = call.floats(call.rows[0])[i] * 0.75f +
               call.floats(call.rows[1])[i] * 0.25f;
}

void store(const FakeLaunch &launch) {
  Call call(launch);
  float *sum = launch.argument<float>(2);
  for (; call.count > 0; --call.count, call.rows += 3, sum += 8)
    std::memcpy(call.floats(call.rows[2]), sum, 8 * sizeof(float));
}

void wrap(const FakeLaunch &launch) {
  Call call(launch);
  for (; call.count > 0; --call.count, call.rows += 2)
    for (int i = 0; i < 8; ++i)
      call.floats(call.rows[1])[i] = call.floats(call.rows[0])[i] + 1;
}

void classify(const FakeLaunch &launch) {
  Call call(launch);
  for (; call.count > 0; --call.count, call.rows += 2) {
    call.floats(call.rows[1])[0] = call.floats(call.rows[0])[0];
    call.floats(call.rows[1])[1] = call.floats(call.rows[0])[7];
  }
}

void add(const FakeLaunch &launch) {
  Call call(launch);
  for (; call.count > 0; --call.count, call.rows += 3)
    for (int i = 0; i < 3; ++i)
      call.floats(call.rows[2])[i] =
          call.floats(call.rows[0])[i] + call.floats(call.rows[1])[i];
}

/// The runtime's own: block b copies entry b of its table.
void gather(const FakeLaunch &launch) {
  const uint64_t *entry = launch.argument<uint64_t>(0);
  for (unsigned b = 0; b < launch.grid[0]; ++b, entry += 3)
    std::memcpy(launch.at<char>(entry[1]), launch.at<char>(entry[0]), entry[2]);
}

//===----------------------------------------------------------------------===//
// Their host side
//===----------------------------------------------------------------------===//

const char kCode[] = "fake .entry embed() .entry average() .entry store() "
                     ".entry wrap() .entry classify() .entry add()";
const dynbatch_gpu_image kImage = {DYNBATCH_GPU_IMAGE_VERSION,
                                   DYNBATCH_GPU_IMAGE_PTX, kCode,
                                   sizeof(kCode) - 1};

void launch(const char *kernel, const char *location, const int64_t *rows,
            int64_t count, char *scratch, void *const *params) {
  void *args[] = {&rows, &count, &scratch, &params};
  dynbatch_rt_gpu_launch(&kImage, kernel, (count + 31) / 32, 1, 1, 32, 1, 1, 0,
                         args, 4, location);
}

#define DYNBATCH_TEST_KERNEL(NAME, LOCATION)                                   \
  [](const int64_t *rows, int64_t count, char *scratch, void *const *params) { \
    launch(NAME, LOCATION, rows, count, scratch, params);                      \
  }

const dynbatch_kernel_fn kTreeKernels[] = {
    DYNBATCH_TEST_KERNEL("embed", "t.mlir:1:1"),
    [](const int64_t *rows, int64_t count, char *scratch, void *const *params) {
      launch("average", "t.mlir:2:1", rows, count, scratch, params);
      launch("store", "t.mlir:2:9", rows, count, scratch, params);
    },
    DYNBATCH_TEST_KERNEL("wrap", "t.mlir:3:1"),
    DYNBATCH_TEST_KERNEL("classify", "t.mlir:4:1")};

std::string onCuda(std::string descriptor) {
  size_t brace = descriptor.find('{');
  descriptor.insert(brace + 1, "\"device\": \"cuda\", ");
  // Scratch for `average` grows with the rows.
  const std::string scratch = "\"scratch_bytes\": 256,";
  size_t place = descriptor.find(scratch);
  if (place != std::string::npos)
    descriptor.replace(place, scratch.size(),
                       "\"scratch_bytes\": 0, \"row_scratch_bytes\": 32,");
  return descriptor;
}

dynbatch_module treeOnCuda(dynbatch_module module, const char *descriptor) {
  module.descriptor = descriptor;
  module.kernels = kTreeKernels;
  return module;
}

//===----------------------------------------------------------------------===//
// The items module
//===----------------------------------------------------------------------===//

const char *kItemsDescriptor = R"({
  "name": "items", "parks": true, "device": "cuda",
  "entry": {"name": "main",
    "inputs": [{"kind": "seq", "element": {"kind": "adt", "name": "Item"}}],
    "results": [{"kind": "tensor", "dtype": "f32", "shape": [3]},
                {"kind": "seq", "element": {"kind": "adt", "name": "Item"}},
                {"kind": "seq", "element": {"kind": "adt", "name": "Item"}},
                {"kind": "tensor", "dtype": "f32", "shape": [3]},
                {"kind": "scalar", "dtype": "i64"}]},
  "adts": [{"name": "Item", "ctors": [
    {"name": "Some", "fields": [
      {"kind": "tensor", "dtype": "f32", "shape": [3]}]},
    {"name": "None", "fields": []}]}],
  "params": [{"name": "start", "derived": false,
              "type": {"kind": "tensor", "dtype": "f32", "shape": [3]}}],
  "kernels": [
    {"name": "add", "operands": 2, "row_words": 3, "result_bytes": 64,
     "scratch_bytes": 0, "flops": 3, "stage": 0, "location": "i.mlir:1:1"}],
  "stages": [{"cyclic": true, "kernels": [0]}]
})";

struct ItemCell {
  int64_t tag;
  dynbatch_tensor tensor;
};

dynbatch_tensor addTask(dynbatch_context *ctx, int64_t depth, int64_t left,
                        int64_t right) {
  int64_t *row = dynbatch_rt_reserve(ctx, 0, depth);
  row[0] = left;
  row[1] = right;
  row[2] = reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, 64));
  return {row[2], ctx->epoch | static_cast<uint64_t>(depth)};
}

void itemsEntry(dynbatch_context *ctx, const char *args, char *results) {
  const int64_t *sequence;
  std::memcpy(&sequence, args, sizeof(sequence));
  EXPECT_EQ(ctx->device, 1);
  auto start = reinterpret_cast<int64_t>(ctx->params[0]);
  dynbatch_tensor sum = {start, 0};
  const ItemCell *first = nullptr;
  int64_t positive = 0;
  for (int64_t i = 0; i < sequence[0]; ++i) {
    auto *item = reinterpret_cast<const ItemCell *>(sequence[1 + i]);
    if (item->tag != 0)
      continue;
    first = first ? first : item;
    sum = addTask(ctx, 1 + i, sum.address, item->tensor.address);
    auto *value = static_cast<const float *>(
        dynbatch_rt_read(ctx, item->tensor.address, item->tensor.stamp, 4));
    positive += *value > 0;
  }
  // Something in between: a read of what is pending, one of what is not.
  if (first) {
    float last = static_cast<const float *>(
        dynbatch_rt_read(ctx, sum.address + 8, sum.stamp, 4))[0];
    float again = static_cast<const float *>(
        dynbatch_rt_read(ctx, sum.address + 8, sum.stamp, 4))[0];
    EXPECT_EQ(last, again);
    float constant =
        *static_cast<const float *>(dynbatch_rt_read(ctx, start + 4, 0, 4));
    EXPECT_EQ(constant, 20);
  }
  auto *item = reinterpret_cast<ItemCell *>(dynbatch_rt_heap_alloc(ctx, 32));
  item->tag = 1;
  if (first) {
    item->tag = 0;
    item->tensor =
        addTask(ctx, 1, first->tensor.address, first->tensor.address);
  }
  auto *pair = reinterpret_cast<int64_t *>(dynbatch_rt_heap_alloc(ctx, 32));
  pair[0] = 2;
  pair[1] = pair[2] = reinterpret_cast<int64_t>(item);

  struct {
    dynbatch_tensor sum;
    const int64_t *input, *pair;
    dynbatch_tensor start;
    int64_t positive;
  } slots = {sum, sequence, pair, {start, 0}, positive};
  std::memcpy(results, &slots, sizeof(slots));
}

//===----------------------------------------------------------------------===//
// The launch module
//===----------------------------------------------------------------------===//

const char *kLaunchDescriptor = R"({
  "name": "launch", "device": "cuda",
  "entry": {"name": "main",
    "inputs": [{"kind": "scalar", "dtype": "i64"},
               {"kind": "scalar", "dtype": "i64"},
               {"kind": "scalar", "dtype": "i64"},
               {"kind": "scalar", "dtype": "i64"}],
    "results": []},
  "adts": [], "params": [],
  "kernels": [
    {"name": "k", "operands": 0, "row_words": 1, "result_bytes": 64,
     "scratch_bytes": 0, "flops": 0, "stage": 0, "location": "l.mlir:1:1"}],
  "stages": [{"cyclic": false, "kernels": [0]}]
})";

/// Of the instance that runs; host code is one step ahead of its kernel.
thread_local int64_t launchArguments[4];

void launchEntry(dynbatch_context *ctx, const char *args, char *) {
  std::memcpy(launchArguments, args, sizeof(launchArguments));
  int64_t *row = dynbatch_rt_reserve(ctx, 0, 0);
  row[0] = reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, 64));
}

void launchKernel(const int64_t *, int64_t, char *, void *const *) {
  static const char kNonsense[] = "nonsense";
  static const dynbatch_gpu_image images[] = {
      kImage,
      {DYNBATCH_GPU_IMAGE_VERSION, DYNBATCH_GPU_IMAGE_PTX, kNonsense,
       sizeof(kNonsense)},
      {DYNBATCH_GPU_IMAGE_VERSION, DYNBATCH_GPU_IMAGE_CUBIN, "x", 2},
      {9, DYNBATCH_GPU_IMAGE_PTX, kCode, sizeof(kCode)},
      {DYNBATCH_GPU_IMAGE_VERSION, 9, kCode, sizeof(kCode)},
      {DYNBATCH_GPU_IMAGE_VERSION, DYNBATCH_GPU_IMAGE_PTX, kCode, 0}};
  const dynbatch_gpu_image &image = images[launchArguments[3]];
  for (int i = 0; i < 2; ++i)
    dynbatch_rt_gpu_launch(&image, "nothing", launchArguments[0], 1, 1,
                           launchArguments[1], 1, 1, launchArguments[2],
                           nullptr, 0, "l.mlir:1:1");
}

} // namespace

const dynbatch_module &test::cudaTreeModule() {
  static const std::string text = onCuda(parkingModule().descriptor);
  static const dynbatch_module module =
      treeOnCuda(parkingModule(), text.c_str());
  return module;
}

const dynbatch_module &test::cudaSpawningModule() {
  static const std::string text = onCuda(spawningModule().descriptor);
  static const dynbatch_module module =
      treeOnCuda(spawningModule(), text.c_str());
  return module;
}

const dynbatch_module &test::cudaItemsModule() {
  static const dynbatch_kernel_fn kernels[] = {
      DYNBATCH_TEST_KERNEL("add", "i.mlir:1:1")};
  static const dynbatch_module module = {
      DYNBATCH_ABI_VERSION, 1, kItemsDescriptor, itemsEntry, nullptr, kernels};
  return module;
}

const dynbatch_module &test::cudaLaunchModule() {
  static const dynbatch_kernel_fn kernels[] = {launchKernel};
  static const dynbatch_module module = {
      DYNBATCH_ABI_VERSION, 1,       kLaunchDescriptor,
      launchEntry,          nullptr, kernels};
  return module;
}

CudaTest::CudaTest() : cuda(FakeCuda::get()) {
  setenv("DYNBATCH_CUDA_DRIVER", FakeCuda::path(), /*overwrite=*/1);
  cuda.reset();
  cuda.addKernel("embed", 4, embed);
  cuda.addKernel("average", 4, average);
  cuda.addKernel("store", 4, store);
  cuda.addKernel("wrap", 4, wrap);
  cuda.addKernel("classify", 4, classify);
  cuda.addKernel("add", 4, add);
  cuda.addKernel("dynbatch_gather", 1, gather);
}

CudaTest::~CudaTest() {
  EXPECT_EQ(cuda.violations(), std::vector<std::string>());
  EXPECT_EQ(cuda.leaks(), std::vector<std::string>());
  unsetenv("DYNBATCH_CUDA_DRIVER");
}

Result<std::unique_ptr<Program>>
CudaTest::tryProgram(const dynbatch_module &raw,
                     const ProgramOptions &options) {
  Result<Module> module = Module::create(&raw);
  if (!module.ok())
    return module.takeError();
  static const float scale = 0.5f;
  static const float start[3] = {10, 20, 30};
  Result<ParameterSet> params = ParameterSet::fromMemory(
      module->descriptor(),
      {{"scale", DType::F32, {1}, &scale}, {"start", DType::F32, {3}, start}});
  if (!params.ok())
    return params.takeError();
  return Program::create(*module, params.take(), options);
}
