#!/usr/bin/env python3
"""Installs dynbatch into a folder and builds other projects against that."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys


class Stage:
    """The folder in which everything happens, and the tools for it."""

    def __init__(self, args):
        self.args = args
        self.root = args.stage
        self.install = args.stage / "install"
        self.runtime = args.stage / "install-runtime"
        self.here = pathlib.Path(__file__).parent

    def run(self, *command, fails=False):
        """Runs a command and returns its standard output. With `fails` it has to
        fail, and errors are returned."""
        command = [str(part) for part in command]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if (done.returncode != 0) != fails:
            sys.exit(
                f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n"
                f"exit code {done.returncode}"
            )
        return done.stderr if fails else done.stdout

    def foreign_paths(self, text):
        """Paths of the source or build folder in `text`, outside of the stage."""
        text = text.replace(str(self.root), "")
        return [path for path in (self.args.build, self.args.source) if str(path) in text]

    def configure(self, name, prefix, *options, fails=False, copy=()):
        """Configures a copy of project `name` against `prefix`."""
        source, build = self.root / name, self.root / (name + "-build")
        for folder in (source, build):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.here / name, source)
        for file in copy:
            shutil.copy(file, source)
        flags = [
            f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={self.args.c_compiler}",
            f"-DCMAKE_CXX_COMPILER={self.args.cxx_compiler}",
            "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        ]
        if self.args.launcher:
            flags.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={self.args.launcher}")
        output = self.run(
            self.args.cmake, "-S", source, "-B", build, "-G", "Ninja", *flags, *options, fails=fails
        )
        if not fails:
            self.check_commands(build)
        return source, build, output

    def check_commands(self, build):
        """No command of a build may know the source or the build folder."""
        with open(build / "compile_commands.json", encoding="utf-8") as file:
            for entry in json.load(file):
                if self.foreign_paths(entry["command"]):
                    sys.exit(f"not from the install tree: {entry['command']}")
        if self.foreign_paths((build / "build.ninja").read_text(encoding="utf-8")):
            sys.exit(f"{build}/build.ninja names files outside of the install tree")


def check_install(stage):
    """Installs, and looks for paths that will not be there elsewhere."""
    shutil.rmtree(stage.root, ignore_errors=True)
    install = [stage.args.cmake, "--install", stage.args.build, "--prefix"]
    stage.run(*install, stage.install)
    stage.run(*install, stage.runtime, "--component", "DynbatchRuntime")
    readelf = stage.args.llvm_tools / "llvm-readelf"
    for path in stage.install.rglob("*"):
        if path.is_symlink() or not path.is_file():
            continue
        if path.suffix in (".cmake", ".h", ".td", ".inc", ".py"):
            text = path.read_text(encoding="utf-8")
        elif path.open("rb").read(4) == b"\x7fELF" and path.suffix != ".o":
            text = stage.run(readelf, "--dynamic-table", path)
        else:
            continue
        if stage.foreign_paths(text):
            sys.exit(f"{path} names a file of the source or build folder")
    for tool in ("dynbatch-opt", "dynbatch-lsp-server", "dynbatch-reduce", "dynbatch-run"):
        stage.run(stage.install / "bin" / tool, "--help")
    for name in ("lib/libDynbatch.so", "lib/libDynbatchIR.a", "lib/DynbatchPlugin.so"):
        if not (stage.install / name).exists():
            sys.exit(f"{name} is not installed")


def check_glu(stage):
    """A dialect, a driver and an embedding program."""
    _, build, _ = stage.configure("Glu", stage.install)
    print(stage.run(stage.args.cmake, "--build", build, "--target", "check-glu", "-j2"))


def check_runtime_only(stage):
    """A program without MLIR runs what the installed compiler made."""
    model = stage.args.source / "test" / "Models" / "mutual.mlir"
    instances = stage.args.source / "test" / "Data" / "mutual.txt"
    stage.run(stage.install / "bin" / "dynbatch-compile", model, "-o", stage.root / "model.so")
    example = stage.args.source / "runtime" / "examples" / "run_model.cpp"
    wanted = stage.run(
        stage.install / "bin" / "dynbatch-run",
        *(model, f"--instances={instances}", "--params=random:1"),
    )
    for prefix in (stage.install, stage.runtime):
        _, build, _ = stage.configure(
            "RuntimeOnly",
            prefix,
            "-DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON",
            "-DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON",
            copy=[example],
        )
        stage.run(stage.args.cmake, "--build", build)
        printed = stage.run(build / "run_model", stage.root / "model.so", instances, "random:1")
        if printed != wanted:
            sys.exit(f"expected\n{wanted}\nbut got\n{printed}")
    # The runtime's tree says that it has no compiler.
    _, _, output = stage.configure("Glu", stage.runtime, fails=True)
    if "has no component Compiler, only: Runtime" not in output:
        sys.exit(output)


def check_two_copies(stage):
    """libDynbatch and a static library of it in one program are refused."""
    _, _, output = stage.configure("TwoCopies", stage.install, fails=True)
    if "DYNBATCH_LINKAGE" not in output:
        sys.exit(output)


def main():
    checks = {
        "Install": check_install,
        "Glu": check_glu,
        "RuntimeOnly": check_runtime_only,
        "TwoCopies": check_two_copies,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", choices=checks)
    for option in ("source", "build", "stage", "llvm-tools"):
        parser.add_argument("--" + option, type=pathlib.Path, required=True)
    for option in ("cmake", "c-compiler", "cxx-compiler", "launcher"):
        parser.add_argument("--" + option, required=True)
    args = parser.parse_args()
    checks[args.check](Stage(args))


if __name__ == "__main__":
    main()
