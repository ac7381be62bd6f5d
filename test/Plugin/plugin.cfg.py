# -*- Python -*-
# The tests of the dialect and the passes once more, through LLVM's own mlir-opt
# and the plugin, and those of the plugin itself. Behind the other suite's
# configuration. (lit takes a lit.cfg.py for the root of a suite.)

import os

config.name = "dynbatch-plugin"
config.test_exec_root = os.path.join(config.test_exec_root, "Plugin")
config.excludes = [
    entry
    for entry in os.listdir(config.test_source_root)
    if entry not in ("Conversion", "IR", "Plugin", "Transforms")
] + [
    # Runs dynbatch-opt from a script.
    "examples.test",
    # About upstream's passes.
    "upstream-passes.mlir",
    # Slow, and about more than the plugin.
    "bytecode.test",
    "long-programs.test",
]
mlir_opt = '"%s" %s %s %s' % (
    config.python_executable,
    os.path.join(config.test_source_root, "Plugin", "Inputs", "mlir_opt.py"),
    os.path.join(config.llvm_tools_dir, "mlir-opt"),
    config.dynbatch_plugin,
)
# In front of what the tools of the build are found with.
config.substitutions[:0] = [
    (r"%dynbatch_opt", os.path.join(config.dynbatch_tools_dir, "dynbatch-opt")),
    (r"(?<![\w/.%-])dynbatch-opt(?![\w.-])", mlir_opt),
    (r"%plugin", config.dynbatch_plugin),
]
