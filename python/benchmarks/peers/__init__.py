#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The models of the zoo in DyNet, PyTorch and NumPy, for suite.py.

A module per model holds it in two forms, over the operations that a library's
module gives:

* Instance, one instance at a time, for DyNet and PyTorch. run() takes the inputs
  of an instance and returns the vectors that its results hold, all of one size,
  and what results need besides. A model whose control flow reads computed values
  yields them, and is sent the numbers.
* Batched, by hand over a minibatch, for PyTorch and NumPy. prepare() takes the
  inputs of the instances and makes index arrays, compute() takes what it returns
  and gives arrays with a row per node, word or instance.

In both, results() gives one instance's, or all instances', results in the form
that test/NumPy/zoo.py writes; it is not timed. A model without a form lacks the
class.
"""
