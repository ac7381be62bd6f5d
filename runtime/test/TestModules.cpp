//===- TestModules.cpp - Hand-written compiled modules ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <gtest/gtest.h>
#include <utility>

using namespace dynbatch::rt;
using namespace dynbatch::rt::test;

namespace {

constexpr int64_t kEmbed = 0, kCombine = 1, kWrap = 2, kClassify = 3;
constexpr uint64_t kCyclicStage = 1;
constexpr int64_t kBlock = 64; // bytes of a result block: tensor<8xf32>

const char *kTreeDescriptor = R"({
  "name": "tree",
  "entry": {"name": "main",
            "inputs": [{"kind": "adt", "name": "Tree"}],
            "results": [{"kind": "tensor", "dtype": "f32", "shape": [2]}]},
  "adts": [{"name": "Tree", "ctors": [
    {"name": "Leaf", "fields": [{"kind": "scalar", "dtype": "i32"}]},
    {"name": "Node", "fields": [{"kind": "adt", "name": "Tree"},
                                {"kind": "adt", "name": "Tree"}]},
    {"name": "Wrap", "fields": [{"kind": "adt", "name": "Tree"}]}]}],
  "params": [
    {"name": "scale", "type": {"kind": "tensor", "dtype": "f32", "shape": [1]},
     "derived": false},
    {"name": "twice", "type": {"kind": "tensor", "dtype": "f32", "shape": [1]},
     "derived": true}],
  "kernels": [
    {"name": "embed", "operands": 1, "row_words": 2, "result_bytes": 64,
     "scratch_bytes": 0, "flops": 8, "stage": 0, "location": "t.mlir:1:1"},
    {"name": "combine", "operands": 2, "row_words": 3, "result_bytes": 64,
     "scratch_bytes": 256, "flops": 16, "stage": 1, "location": "t.mlir:2:1"},
    {"name": "wrap", "operands": 1, "row_words": 2, "result_bytes": 64,
     "scratch_bytes": 64, "flops": 8, "stage": 1, "location": "t.mlir:3:1"},
    {"name": "classify", "operands": 1, "row_words": 2, "result_bytes": 64,
     "scratch_bytes": 0, "flops": 8, "stage": 2, "location": "t.mlir:4:1"}],
  "stages": [{"cyclic": false, "kernels": [0]},
             {"cyclic": true, "kernels": [1, 2]},
             {"cyclic": false, "kernels": [3]}]
})";

float *floats(int64_t address) { return reinterpret_cast<float *>(address); }

void embed(const int64_t *rows, int64_t count, char *, void *const *params) {
  float twice = *static_cast<const float *>(params[1]);
  for (; count > 0; --count, rows += 2)
    for (int i = 0; i < 8; ++i)
      floats(rows[1])[i] = twice * static_cast<int32_t>(rows[0]) + i;
}

void combine(const int64_t *rows, int64_t count, char *scratch, void *const *) {
  EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
  for (; count > 0; --count, rows += 3) {
    // Through scratch, to see that threads do not share it.
    float *sum = reinterpret_cast<float *>(scratch);
    for (int i = 0; i < 8; ++i)
      sum[i] = floats(rows[0])[i] * 0.75f + floats(rows[1])[i] * 0.25f;
    std::memcpy(floats(rows[2]), sum, kBlock / 2);
  }
}

void wrap(const int64_t *rows, int64_t count, char *, void *const *) {
  for (; count > 0; --count, rows += 2)
    for (int i = 0; i < 8; ++i)
      floats(rows[1])[i] = floats(rows[0])[i] + 1;
}

void classify(const int64_t *rows, int64_t count, char *, void *const *) {
  for (; count > 0; --count, rows += 2) {
    floats(rows[1])[0] = floats(rows[0])[0];
    floats(rows[1])[1] = floats(rows[0])[7];
  }
}

/// The compiler's enqueue, written out.
int64_t *enqueue(dynbatch_context *ctx, int64_t kernel, int64_t depth,
                 int64_t words) {
  dynbatch_queue &queue = ctx->queues[kernel];
  if (depth < queue.num_buckets) {
    dynbatch_bucket &bucket = queue.buckets[depth];
    if (bucket.cursor != bucket.end) {
      int64_t *row = bucket.cursor;
      bucket.cursor += words;
      return row;
    }
  }
  return dynbatch_rt_reserve(ctx, kernel, depth);
}

int64_t allocateBlock(dynbatch_context *ctx) {
  if (ctx->arena_end - ctx->arena_cursor < kBlock)
    return reinterpret_cast<int64_t>(dynbatch_rt_arena_alloc(ctx, kBlock));
  char *block = ctx->arena_cursor;
  ctx->arena_cursor += kBlock;
  return reinterpret_cast<int64_t>(block);
}

/// Depth of a value inside the cyclic stage of the present flush, or 0.
int64_t depthOf(dynbatch_context *ctx, dynbatch_tensor value) {
  uint64_t stage = ctx->epoch | (kCyclicStage << DYNBATCH_STAMP_STAGE_SHIFT);
  return (value.stamp >> DYNBATCH_STAMP_STAGE_SHIFT) ==
                 (stage >> DYNBATCH_STAMP_STAGE_SHIFT)
             ? static_cast<int64_t>(
                   value.stamp &
                   ((uint64_t(1) << DYNBATCH_STAMP_STAGE_SHIFT) - 1))
             : 0;
}

dynbatch_tensor cyclicResult(dynbatch_context *ctx, int64_t block,
                             int64_t depth) {
  return {block, ctx->epoch | (kCyclicStage << DYNBATCH_STAMP_STAGE_SHIFT) |
                     static_cast<uint64_t>(depth)};
}

enum class Variant {
  Plain,
  Spawning,  // the trees of a Node on child fibers
  Rounds,    // Combine begins rounds, Wrap takes steps
  WrongDepth // every Wrap at depth 1
};

template <Variant variant>
dynbatch_tensor encode(dynbatch_context *ctx, const int64_t *cell);

/// The children of a Node.
template <Variant variant>
std::pair<dynbatch_tensor, dynbatch_tensor> encodeBoth(dynbatch_context *ctx,
                                                       const int64_t *cell) {
  const int64_t *trees[2] = {reinterpret_cast<const int64_t *>(cell[1]),
                             reinterpret_cast<const int64_t *>(cell[2])};
  if (variant != Variant::Spawning) {
    dynbatch_tensor left = encode<variant>(ctx, trees[0]);
    return {left, encode<variant>(ctx, trees[1])};
  }
  struct Frame {
    const int64_t *tree;
    dynbatch_tensor result;
  } frames[2] = {{trees[0], {}}, {trees[1], {}}};
  void *handles[2];
  for (int i = 0; i < 2; ++i)
    handles[i] = dynbatch_rt_spawn(
        ctx,
        [](dynbatch_context *ctx, char *frame) {
          auto &self = *reinterpret_cast<Frame *>(frame);
          self.result = encode<variant>(ctx, self.tree);
        },
        reinterpret_cast<char *>(&frames[i]));
  dynbatch_rt_join(ctx, handles[0]);
  dynbatch_rt_join(ctx, handles[1]);
  return {frames[0].result, frames[1].result};
}

template <Variant variant>
dynbatch_tensor encode(dynbatch_context *ctx, const int64_t *cell) {
  if (static_cast<char *>(__builtin_frame_address(0)) < ctx->stack_limit)
    dynbatch_rt_stack_overflow(ctx);
  switch (cell[0]) {
  case 0: {
    auto word = static_cast<int32_t>(cell[1]);
    if (word <= -1000)
      dynbatch_rt_error(ctx, "t.mlir:9:1: assertion failed: a small word");
    if (word < 0)
      dynbatch_rt_index_error(ctx, "t.mlir:1:1: dynbatch.lookup", word, 1000);
    int64_t *row = enqueue(ctx, kEmbed, 0, 2);
    row[0] = cell[1];
    row[1] = allocateBlock(ctx);
    dynbatch_tensor value = {row[1], ctx->epoch};
    if (word >= 1000) {
      auto *data = static_cast<const float *>(
          dynbatch_rt_read(ctx, value.address, value.stamp, kBlock / 2));
      EXPECT_EQ(data[0], static_cast<float>(word));
      EXPECT_EQ(data[1], data[0] + 1);
    }
    return value;
  }
  case 1: {
    auto [left, right] = encodeBoth<variant>(ctx, cell);
    int64_t depth = std::max(depthOf(ctx, left), depthOf(ctx, right));
    int64_t bucket = ++depth;
    if (variant == Variant::Rounds) {
      bucket = ((depth - 1) >> DYNBATCH_DEPTH_STEP_BITS) + 1;
      depth = bucket << DYNBATCH_DEPTH_STEP_BITS;
    }
    int64_t *row = enqueue(ctx, kCombine, bucket, 3);
    row[0] = left.address;
    row[1] = right.address;
    row[2] = allocateBlock(ctx);
    return cyclicResult(ctx, row[2], depth);
  }
  default: {
    dynbatch_tensor inner =
        encode<variant>(ctx, reinterpret_cast<const int64_t *>(cell[1]));
    int64_t depth =
        variant == Variant::WrongDepth ? 1 : 1 + depthOf(ctx, inner);
    int64_t *row = enqueue(ctx, kWrap, depth, 2);
    row[0] = inner.address;
    row[1] = allocateBlock(ctx);
    return cyclicResult(ctx, row[1], depth);
  }
  }
}

template <Variant variant>
void treeEntry(dynbatch_context *ctx, const char *args, char *results) {
  int64_t root;
  std::memcpy(&root, args, sizeof(root));
  dynbatch_tensor value =
      encode<variant>(ctx, reinterpret_cast<const int64_t *>(root));
  int64_t *row = enqueue(ctx, kClassify, 0, 2);
  row[0] = value.address;
  row[1] = allocateBlock(ctx);
  dynbatch_tensor result = {row[1], ctx->epoch};
  std::memcpy(results, &result, sizeof(result));
}

void treePrologue(dynbatch_context *ctx) {
  auto *temporary = static_cast<float *>(_mlir_memref_to_llvm_alloc(4));
  *temporary = *static_cast<const float *>(ctx->params[0]);
  *static_cast<float *>(ctx->params[1]) = 2 * *temporary;
  _mlir_memref_to_llvm_free(temporary);
}

const char *kReferenceDescriptor = R"({
  "name": "reference",
  "entry": {"name": "main",
            "inputs": [{"kind": "seq",
                        "element": {"kind": "scalar", "dtype": "f32"}}],
            "results": [{"kind": "tensor", "dtype": "f32", "shape": [4]}]},
  "adts": [], "params": [], "kernels": [], "stages": []
})";

void referenceEntry(dynbatch_context *, const char *args, char *results) {
  const int64_t *cell;
  std::memcpy(&cell, args, sizeof(cell));
  auto *data =
      static_cast<float *>(_mlir_memref_to_llvm_aligned_alloc(4096, 16));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 4096, 0u);
  for (int64_t i = 0; i < 4; ++i) {
    data[i] = 0;
    if (i < cell[0])
      std::memcpy(&data[i], &cell[1 + i], sizeof(float));
    data[i] *= data[i];
  }
  dynbatch_tensor result = {reinterpret_cast<int64_t>(data), 0};
  std::memcpy(results, &result, sizeof(result));
}

/// Recursive descent over the text of a tree.
std::vector<float> evaluate(const char *&text) {
  std::vector<float> value(8);
  if (std::strncmp(text, "(Leaf ", 6) == 0) {
    float word = std::strtol(text + 6, const_cast<char **>(&text), 10);
    for (int i = 0; i < 8; ++i)
      value[i] = word + i; // twice the scale is 1
  } else if (std::strncmp(text, "(Wrap ", 6) == 0) {
    text += 6;
    value = evaluate(text);
    for (float &element : value)
      element += 1;
  } else {
    text += 6;
    std::vector<float> left = evaluate(text);
    ++text;
    std::vector<float> right = evaluate(text);
    for (int i = 0; i < 8; ++i)
      value[i] = left[i] * 0.75f + right[i] * 0.25f;
  }
  ++text;
  return value;
}

} // namespace

static dynbatch_module treeVariant(const char *descriptor,
                                   dynbatch_entry_fn entry) {
  static const dynbatch_kernel_fn kernels[] = {embed, combine, wrap, classify};
  return {DYNBATCH_ABI_VERSION, 4, descriptor, entry, treePrologue, kernels};
}

static std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return text.replace(position, from.size(), to);
}

/// The tree module's descriptor with fibers.
static const char *parkingDescriptor() {
  static const std::string text =
      replaced(kTreeDescriptor, "\"name\": \"tree\"",
               "\"name\": \"tree\", \"parks\": true");
  return text.c_str();
}

const dynbatch_module &test::treeModule() {
  static const dynbatch_module module =
      treeVariant(kTreeDescriptor, treeEntry<Variant::Plain>);
  return module;
}

const dynbatch_module &test::parkingModule() {
  static const dynbatch_module module =
      treeVariant(parkingDescriptor(), treeEntry<Variant::Plain>);
  return module;
}

const dynbatch_module &test::spawningModule() {
  static const dynbatch_module module =
      treeVariant(parkingDescriptor(), treeEntry<Variant::Spawning>);
  return module;
}

const dynbatch_module &test::spawningModuleWithoutFibers() {
  static const dynbatch_module module =
      treeVariant(kTreeDescriptor, treeEntry<Variant::Spawning>);
  return module;
}

const dynbatch_module &test::roundsModule() {
  static const std::string text = replaced(
      kTreeDescriptor, "\"kernels\": [1, 2]}",
      "\"kernels\": [1], \"parts\": [{\"steps\": true, \"kernels\": [2]}]}");
  static const dynbatch_module module =
      treeVariant(text.c_str(), treeEntry<Variant::Rounds>);
  return module;
}

const dynbatch_module &test::wrongDepthModule() {
  static const dynbatch_module module =
      treeVariant(parkingDescriptor(), treeEntry<Variant::WrongDepth>);
  return module;
}

const dynbatch_module &test::wrongStageModule() {
  static const std::string text = [] {
    std::string text =
        replaced(parkingDescriptor(), "\"stage\": 0, \"location\": \"t.mlir:1",
                 "\"stage\": 2, \"location\": \"t.mlir:1");
    text = replaced(text, "\"stage\": 2, \"location\": \"t.mlir:4",
                    "\"stage\": 0, \"location\": \"t.mlir:4");
    text = replaced(text, "\"kernels\": [0]}", "\"kernels\": [9]}");
    text = replaced(text, "\"kernels\": [3]}", "\"kernels\": [0]}");
    return replaced(text, "\"kernels\": [9]}", "\"kernels\": [3]}");
  }();
  static const dynbatch_module module =
      treeVariant(text.c_str(), treeEntry<Variant::Plain>);
  return module;
}

const dynbatch_module &test::referenceModule() {
  static const dynbatch_module module = {
      DYNBATCH_ABI_VERSION, 0,       kReferenceDescriptor,
      referenceEntry,       nullptr, nullptr};
  return module;
}

std::string test::expectedTreeResult(std::string_view tree) {
  std::string text(tree);
  const char *cursor = text.c_str();
  std::vector<float> value = evaluate(cursor);
  char buffer[64] = "[";
  char *end = buffer + sizeof(buffer);
  char *out = std::to_chars(buffer + 1, end, value[0]).ptr;
  *out++ = ' ';
  out = std::to_chars(out, end, value[7]).ptr;
  *out++ = ']';
  return {buffer, out};
}

std::unique_ptr<Program> test::makeProgram(const dynbatch_module &raw,
                                           const ProgramOptions &options) {
  Result<Module> module = Module::create(&raw);
  EXPECT_TRUE(module.ok()) << module.message();
  static const float scale = 0.5f;
  std::vector<ParameterSet::Source> sources;
  sources.push_back({"scale", DType::F32, {1}, &scale});
  Result<ParameterSet> params =
      ParameterSet::fromMemory(module->descriptor(), sources);
  EXPECT_TRUE(params.ok()) << params.message();
  Result<std::unique_ptr<Program>> program =
      Program::create(*module, params.take(), options);
  EXPECT_TRUE(program.ok()) << program.message();
  return program.take();
}

InstanceSet test::readInstances(const dynbatch_module &raw,
                                std::string_view text) {
  Result<Module> module = Module::create(&raw);
  EXPECT_TRUE(module.ok()) << module.message();
  Result<InstanceSet> instances =
      InstanceSet::fromText(module->descriptor(), text, "trees.txt");
  EXPECT_TRUE(instances.ok()) << instances.message();
  return instances.take();
}

Result<std::vector<std::string>>
test::runAll(Program &program, const InstanceSet &instances, size_t batchSize) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < instances.size(); i += batchSize) {
    Status status =
        program.run(instances, i, std::min(instances.size(), i + batchSize),
                    [&](const ResultView &view) {
                      EXPECT_EQ(view.instance(), lines.size());
                      print(view, lines.emplace_back());
                    });
    if (!status.ok())
      return status;
  }
  return lines;
}

std::string test::deepTree(size_t levels) {
  std::string text;
  for (size_t i = 0; i < levels; ++i)
    text += "(Node ";
  text += "(Leaf 1)";
  for (size_t i = 0; i < levels; ++i)
    text += " (Leaf 2))";
  return text;
}
