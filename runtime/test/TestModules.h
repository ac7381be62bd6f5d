//===- TestModules.h - Hand-written compiled modules ------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_TEST_TESTMODULES_H
#define DYNBATCH_TEST_TESTMODULES_H

#include "dynbatch/Runtime/Program.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynbatch::rt::test {

/// What the compiler makes of a small tree model: stage 0 is a kernel without
/// depth over leaves (`embed`), stage 1 a cyclic one of two kernels (`combine`
/// for nodes of two trees, `wrap` for those of one), stage 2 the classifier
/// (`classify`). Input: a Tree; result: tensor<2xf32>.
///
/// Leaf n fails with an index error for n < 0, with a message of its own for
/// n <= -1000, and makes a forced read for n >= 1000. The module has one loaded
/// parameter `scale` and a derived one.
const dynbatch_module &treeModule();
/// The same on fibers.
const dynbatch_module &parkingModule();
/// The same on fibers, the trees of a Node on child fibers.
const dynbatch_module &spawningModule();
/// That without "parks".
const dynbatch_module &spawningModuleWithoutFibers();
/// The tree module with stage 1 in rounds: `combine` is first, `wrap` takes
/// steps.
const dynbatch_module &roundsModule();
/// The parking module compiled wrongly: all `wrap` tasks have depth 1.
const dynbatch_module &wrongDepthModule();
/// The parking module compiled wrongly: `classify` is in stage 0, `embed` in
/// stage 2.
const dynbatch_module &wrongStageModule();

/// A module without kernels: squares a sequence of f32 into tensor<4xf32>
/// taken from the memref allocation hooks, each instance at once.
const dynbatch_module &referenceModule();

/// What the tree module computes for one tree, in text; computed plainly.
std::string expectedTreeResult(std::string_view tree);

/// A Program that must come into being.
std::unique_ptr<Program> makeProgram(const dynbatch_module &module,
                                     const ProgramOptions &options = {});
/// Instances that must be right.
InstanceSet readInstances(const dynbatch_module &module, std::string_view text);
/// Runs all instances in minibatches; the printed results, or the error.
Result<std::vector<std::string>>
runAll(Program &program, const InstanceSet &instances, size_t batchSize);

/// A left-leaning tree of `levels` nodes.
std::string deepTree(size_t levels);

} // namespace dynbatch::rt::test

#endif // DYNBATCH_TEST_TESTMODULES_H
