//===- TaskGraph.cpp - Which task made which operand ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "stats/TaskGraph.h"

#include "core/ResultBlocks.h"

#include <algorithm>

using namespace dynbatch::rt;

TaskGraph::TaskGraph(const ModuleDescriptor &descriptor, bool chains,
                     bool verify)
    : descriptor(descriptor), chains(chains), verify(verify) {
  clear();
}

void TaskGraph::clear() {
  blocks.clear();
  chainTable.clear();
  starts.clear();
  longest.assign(descriptor.kernels.size(), 0);
  current.assign(descriptor.kernels.size(), 0);
}

void TaskGraph::beginInstance(int64_t instance, uint64_t position) {
  starts.push_back({position, instance});
}

void TaskGraph::addPending(const Queues &queues, const Arena &arena) {
  size_t old = blocks.size();
  for (unsigned k = 0; k < descriptor.kernels.size(); ++k) {
    const Kernel &kernel = descriptor.kernels[k];
    // A task without results has no block and no consumers.
    if (kernel.resultBytes == 0)
      continue;
    queues.forEachTask(k, [&](const int64_t *row, int64_t depth) {
      int64_t base = row[kernel.operands];
      uint64_t begin = arena.position(reinterpret_cast<const void *>(base));
      if (begin != Arena::kNowhere)
        blocks.push_back({begin, begin + kernel.resultBytes, k, depth, false});
    });
  }
  // The arena only grows, so new blocks come after all older ones.
  std::sort(blocks.begin() + old, blocks.end(),
            [](const Block &a, const Block &b) { return a.begin < b.begin; });
  if (chains)
    chainTable.resize(blocks.size() * descriptor.kernels.size(), 0);
}

int64_t TaskGraph::instanceAt(uint64_t position) const {
  auto next = std::upper_bound(
      starts.begin(), starts.end(), position,
      [](uint64_t position, const Start &s) { return position < s.position; });
  return next == starts.begin() ? -1 : (next - 1)->instance;
}

std::string TaskGraph::describe(unsigned kernel, int64_t depth) const {
  const Kernel &info = descriptor.kernels[kernel];
  std::string text =
      "kernel '" + info.name + "' (stage " + std::to_string(info.stage);
  text += ", depth " + std::to_string(info.round(depth));
  if (info.turn == Turn::Steps)
    text += ", step " + std::to_string(info.step(depth));
  return text + ")";
}

Status TaskGraph::addBatch(unsigned kernel, int64_t depth, const int64_t *rows,
                           int64_t count, const Arena &arena) {
  const Kernel &info = descriptor.kernels[kernel];
  size_t width = descriptor.kernels.size();
  batch.clear();
  for (int64_t n = 0; n < count; ++n, rows += info.rowWords) {
    uint64_t own =
        arena.position(reinterpret_cast<const void *>(rows[info.operands]));
    if (chains)
      std::fill(current.begin(), current.end(), 0);
    for (int64_t i = 0; i < info.operands; ++i) {
      uint64_t position =
          arena.position(reinterpret_cast<const void *>(rows[i]));
      int64_t producer =
          position == Arena::kNowhere ? -1 : findBlock(blocks, position);
      if (producer < 0)
        continue;
      const Block &block = blocks[producer];
      if (verify && !block.done) {
        offender = instanceAt(own);
        return Status::error("internal error: " + describe(kernel, depth) +
                             " runs before " +
                             describe(block.kernel, block.depth) +
                             ", which makes its operand " + std::to_string(i));
      }
      if (chains)
        for (size_t k = 0; k < width; ++k)
          current[k] = std::max(current[k], chainTable[producer * width + k]);
    }
    int64_t block = info.resultBytes && own != Arena::kNowhere
                        ? findBlock(blocks, own)
                        : -1;
    if (chains) {
      ++current[kernel];
      longest[kernel] = std::max<int64_t>(longest[kernel], current[kernel]);
      if (block >= 0)
        std::copy(current.begin(), current.end(),
                  chainTable.begin() + block * width);
    }
    if (block >= 0)
      batch.push_back(block);
  }
  // Only now: tasks of one batch must not depend on each other.
  for (int64_t block : batch)
    blocks[block].done = true;
  return Status::success();
}
