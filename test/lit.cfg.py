# -*- Python -*-

import os
import platform
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "dynbatch"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
# Models are inputs of tests, too; IR/models.test reads them all.
config.excludes = ["Inputs", "Data", "Downstream", "Models", "NumPy", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.dynbatch_test_dir

llvm_config.use_default_substitutions()
llvm_config.with_environment(
    "PATH", [config.dynbatch_tools_dir, config.llvm_tools_dir], append_path=True
)

for name, folder in [("%data", "Data"), ("%models", "Models"), ("%numpy", "NumPy")]:
    config.substitutions.append(
        (name, os.path.join(config.test_source_root, folder))
    )
# First, or it would be taken for %s.
config.substitutions.insert(
    0, ("%scripts", os.path.join(config.test_source_root, "..", "tools", "scripts"))
)
config.substitutions.append(
    (
        "%gpu_check",
        os.path.join(config.test_source_root, "..", "tools", "gpu-check"),
    )
)
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%tools", config.dynbatch_tools_dir))
config.substitutions.append(("%prefix", os.path.dirname(config.dynbatch_tools_dir)))
# A driver for machines without a GPU, and with the log of its calls.
config.substitutions.append(
    (
        "%fake_cuda",
        "env DYNBATCH_CUDA_DRIVER=%s DYNBATCH_FAKE_CUDA_LOG=%%t.log" % config.fake_cuda,
    )
)
# The one that CMake found, not the one that runs lit.
config.substitutions.insert(0, ("%python", '"%s"' % config.python_executable))

# A tool that is not built leaves its name in the command, which then fails.
llvm_config.add_tool_substitutions(
    [
        ToolSubst("dynbatch-capi-runtime-test", unresolved="ignore"),
        ToolSubst("dynbatch-capi-test", unresolved="ignore"),
        ToolSubst("dynbatch-compile", unresolved="ignore"),
        ToolSubst("dynbatch-gpu-check", unresolved="ignore"),
        ToolSubst("dynbatch-lsp-server", unresolved="ignore"),
        ToolSubst("dynbatch-opt", unresolved="ignore"),
        ToolSubst("dynbatch-reduce", unresolved="ignore"),
        ToolSubst("dynbatch-run", unresolved="ignore"),
        ToolSubst("llc", unresolved="ignore"),
        ToolSubst("mlir-opt", unresolved="ignore"),
        ToolSubst("mlir-translate", unresolved="ignore"),
        ToolSubst("run_model", unresolved="ignore"),
    ],
    [
        config.dynbatch_tools_dir,
        config.dynbatch_examples_dir,
        config.llvm_tools_dir,
    ],
)

if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86_64")

for tool in ("ptxas", "fatbinary"):
    if shutil.which(tool):
        config.available_features.add(tool)
if (
    subprocess.run(
        [config.python_executable, "-c", "import numpy"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ).returncode
    == 0
):
    config.available_features.add("numpy")
if (
    subprocess.run(
        [config.python_executable, "-c", "import torch, torch_mlir"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ).returncode
    == 0
):
    config.available_features.add("torch-mlir")
