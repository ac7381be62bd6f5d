"""mlir-opt with a plugin, for command lines of dynbatch-opt.

mlir-opt takes passes of plugins in textual pipelines alone, so flags such as
--dynbatch-schedule become one.
"""

import os
import re
import sys

# Ours, and those of upstream's that tests put between them.
PASS = re.compile(r"--?((?:convert-)?dynbatch-[\w-]+|canonicalize|cse)(?:=(.*))?")

mlir_opt, plugin, *arguments = sys.argv[1:]
passes, others = [], []
for argument in arguments:
    match = PASS.fullmatch(argument)
    if match:
        passes.append(match[1] + ("{%s}" % match[2] if match[2] else ""))
    else:
        others.append(argument)
if passes:
    others.append("--pass-pipeline=builtin.module(%s)" % ",".join(passes))
os.execv(
    mlir_opt,
    [mlir_opt, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}", *others],
)
