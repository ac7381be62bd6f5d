//===- DynamicSchedule.cpp - Batches found at run time ----------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/DynamicSchedule.h"

#include "core/ResultBlocks.h"

#include <algorithm>
#include <limits>
#include <tuple>

using namespace dynbatch::rt;

Status DynamicSchedule::plan(Schedule policy, const Queues &queues,
                             const Arena &arena) {
  plannedBatches.clear();
  table.clear();
  collect(queues, arena);
  if (tasks.size() > std::numeric_limits<uint32_t>::max())
    return Status::error("too many tasks in a flush for a dynamic schedule");
  connect(arena);
  Status status = findDepths();
  if (!status.ok())
    return status;
  if (policy == Schedule::Depth)
    planByDepth();
  else
    planByAgenda();
  return status;
}

void DynamicSchedule::collect(const Queues &queues, const Arena &arena) {
  tasks.clear();
  blocks.clear();
  for (unsigned k = 0; k < descriptor.kernels.size(); ++k) {
    const Kernel &kernel = descriptor.kernels[k];
    queues.forEachTask(k, [&](const int64_t *row, int64_t) {
      int64_t base = row[kernel.operands];
      uint64_t begin = arena.position(reinterpret_cast<const void *>(base));
      // A task without results has no consumers.
      if (kernel.resultBytes > 0 && begin != Arena::kNowhere)
        blocks.push_back({begin, begin + kernel.resultBytes,
                          static_cast<uint32_t>(tasks.size())});
      tasks.push_back({row, k, 1, 0});
    });
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block &a, const Block &b) { return a.begin < b.begin; });
}

void DynamicSchedule::connect(const Arena &arena) {
  edges.clear();
  firstConsumer.assign(tasks.size() + 1, 0);
  for (uint32_t t = 0; t < tasks.size(); ++t) {
    const Kernel &kernel = descriptor.kernels[tasks[t].kernel];
    for (int64_t i = 0; i < kernel.operands; ++i) {
      uint64_t position =
          arena.position(reinterpret_cast<const void *>(tasks[t].row[i]));
      int64_t block =
          position == Arena::kNowhere ? -1 : findBlock(blocks, position);
      if (block < 0)
        continue;
      edges.push_back({blocks[block].task, t});
      ++firstConsumer[blocks[block].task];
      ++tasks[t].missing;
    }
  }
  // Where each task's part ends; filled from there, it becomes where it begins.
  for (size_t t = 0; t < tasks.size(); ++t)
    firstConsumer[t + 1] += firstConsumer[t];
  consumers.resize(edges.size());
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
    consumers[--firstConsumer[edge->first]] = edge->second;
}

template <typename Function>
void DynamicSchedule::complete(uint32_t task, Function ready) {
  for (uint32_t i = firstConsumer[task]; i < firstConsumer[task + 1]; ++i)
    if (--tasks[consumers[i]].missing == 0)
      ready(consumers[i]);
}

Status DynamicSchedule::findDepths() {
  order.clear();
  for (uint32_t t = 0; t < tasks.size(); ++t)
    if (tasks[t].missing == 0)
      order.push_back(t);
  for (size_t i = 0; i < order.size(); ++i) {
    uint32_t task = order[i];
    for (uint32_t c = firstConsumer[task]; c < firstConsumer[task + 1]; ++c) {
      Task &consumer = tasks[consumers[c]];
      consumer.depth = std::max(consumer.depth, tasks[task].depth + 1);
    }
    complete(task, [&](uint32_t next) { order.push_back(next); });
  }
  if (order.size() == tasks.size())
    return Status::success();
  auto stuck = std::find_if(tasks.begin(), tasks.end(),
                            [](const Task &task) { return task.missing > 0; });
  return Status::error("internal error: a task of kernel '" +
                       descriptor.kernels[stuck->kernel].name +
                       "' depends on itself");
}

void DynamicSchedule::planByDepth() {
  auto key = [&](uint32_t t) {
    return std::make_tuple(tasks[t].depth, tasks[t].kernel, t);
  };
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  const Task *previous = nullptr;
  for (uint32_t t : order) {
    const Task &task = tasks[t];
    if (!previous || previous->depth != task.depth ||
        previous->kernel != task.kernel)
      beginBatch(task.kernel, task.depth);
    addRow(task);
    previous = &task;
  }
}

void DynamicSchedule::planByAgenda() {
  struct Agenda {
    std::vector<uint32_t> ready;
    int64_t pending = 0;
    int64_t depths = 0; ///< sum over the pending tasks
    double meanDepth() const { return double(depths) / pending; }
  };
  std::vector<Agenda> agendas(descriptor.kernels.size());
  for (auto [producer, consumer] : edges)
    ++tasks[consumer].missing;
  for (uint32_t t = 0; t < tasks.size(); ++t) {
    Agenda &agenda = agendas[tasks[t].kernel];
    ++agenda.pending;
    agenda.depths += tasks[t].depth;
    if (tasks[t].missing == 0)
      agenda.ready.push_back(t);
  }

  std::vector<uint32_t> batch;
  while (true) {
    Agenda *best = nullptr;
    for (Agenda &agenda : agendas)
      if (!agenda.ready.empty() &&
          (!best || agenda.meanDepth() < best->meanDepth()))
        best = &agenda;
    if (!best)
      break;
    batch.clear();
    batch.swap(best->ready);
    beginBatch(best - agendas.data(), plannedBatches.size() + 1);
    for (uint32_t t : batch) {
      addRow(tasks[t]);
      --best->pending;
      best->depths -= tasks[t].depth;
      complete(t, [&](uint32_t next) {
        agendas[tasks[next].kernel].ready.push_back(next);
      });
    }
  }
}

void DynamicSchedule::beginBatch(unsigned kernel, int64_t depth) {
  plannedBatches.push_back({kernel, depth, 0, table.size()});
}

void DynamicSchedule::addRow(const Task &task) {
  ++plannedBatches.back().count;
  table.insert(table.end(), task.row,
               task.row + descriptor.kernels[task.kernel].rowWords);
}
