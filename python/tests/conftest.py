#===- conftest.py - What the tests of the Python package share -----------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//

import numpy as np
import pytest

import dynbatch

TREES = """
dynbatch.adt @Tree {
  dynbatch.ctor @Leaf(i32)
  dynbatch.ctor @Node(!dynbatch.adt<@Tree>, !dynbatch.adt<@Tree>)
}
ml_program.global private @E(#ml_program.extern<tensor<10x2xf32>>) : tensor<10x2xf32>

func.func private @sum(%tree: !dynbatch.adt<@Tree>) -> tensor<2xf32> {
  %r = dynbatch.match %tree : !dynbatch.adt<@Tree> -> tensor<2xf32>
    case @Leaf(%word: i32) {
      %E = ml_program.global_load_const @E : tensor<10x2xf32>
      %x = dynbatch.lookup %E[%word] : tensor<10x2xf32>, i32 -> tensor<2xf32>
      dynbatch.yield %x : tensor<2xf32>
    }
    case @Node(%left: !dynbatch.adt<@Tree>, %right: !dynbatch.adt<@Tree>) {
      %a = func.call @sum(%left) : (!dynbatch.adt<@Tree>) -> tensor<2xf32>
      %b = func.call @sum(%right) : (!dynbatch.adt<@Tree>) -> tensor<2xf32>
      %s = arith.addf %a, %b : tensor<2xf32>
      dynbatch.yield %s : tensor<2xf32>
    }
  return %r : tensor<2xf32>
}
func.func @main(%tree: !dynbatch.adt<@Tree>) -> tensor<2xf32> attributes {dynbatch.entry} {
  %s = call @sum(%tree) : (!dynbatch.adt<@Tree>) -> tensor<2xf32>
  return %s : tensor<2xf32>
}
"""
"""The sum of the vectors of a tree's words."""

VALUES = """
dynbatch.adt @Pair {
  dynbatch.ctor @None()
  dynbatch.ctor @Pair(f64, i1)
}
func.func @main(%x: tensor<2x3xf32>, %n: i8, %seq: !dynbatch.seq<i64>,
                %pair: !dynbatch.adt<@Pair>)
    -> (tensor<2x3xf32>, i8, !dynbatch.seq<i64>, !dynbatch.adt<@Pair>)
    attributes {dynbatch.entry} {
  %y = arith.addf %x, %x : tensor<2x3xf32>
  return %y, %n, %seq, %pair
    : tensor<2x3xf32>, i8, !dynbatch.seq<i64>, !dynbatch.adt<@Pair>
}
"""
"""A value of each kind, as input and as output."""


@pytest.fixture(scope="session")
def table():
    return np.arange(20, dtype=np.float32).reshape(10, 2)


@pytest.fixture(scope="session")
def trees():
    """Shared: what a test does to it must not show in others."""
    return dynbatch.compile(TREES)


@pytest.fixture(scope="session")
def values():
    return dynbatch.compile(VALUES).bind({})
