#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The switches of dynbatch-pipeline, in the order of its passes.

As a program it prints them, one a line.
"""

SWITCHES = (
    "specialize",
    "prologue",
    "coarsen",
    "cut-stages",
    "stages",
    "align",
    "merge-kernels",
    "fuse-horizontal",
    "fork-calls",
    "fuse-kernels",
    "fuse-gathers",
)

# Does nothing for these models, whose parameters are all f32.
NARROW_SWITCHES = ("fold-widening",)

# What is switched off in each configuration of interest, by its name.
CONFIGURATIONS = {
    "all on": (),
    **{f"{switch}=false": (switch,) for switch in SWITCHES},
    "all off": SWITCHES,
}


def pipeline_options(configuration):
    """Returns the value of --pipeline-options."""
    return " ".join(f"{switch}=false" for switch in CONFIGURATIONS[configuration])


if __name__ == "__main__":
    print(*SWITCHES, *NARROW_SWITCHES, sep="\n")
