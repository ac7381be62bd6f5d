#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""A recursive network with a mixture of experts in NumPy.

Experts as in Shazeer et al. 2017, one a node as in Fedus et al. 2021.
"""

import numpy as np

import zoo


def moe_tree(params, decisions, tree):
    def encode(tree):
        if tree[0] == "Leaf":
            return params["embedding"][tree[1]], -1
        x = np.hstack([encode(child)[0] for child in tree[1:]])
        expert = decisions.argmax(params["gate_W"] @ x + params["gate_b"])
        W, b = params["experts_W"][expert], params["experts_b"][expert]
        return np.tanh(W @ x + b), expert

    h, expert = encode(tree)
    return [params["out_W"] @ h + params["out_b"], expert]


if __name__ == "__main__":
    zoo.run(moe_tree, __doc__)
