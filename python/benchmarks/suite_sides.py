#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The sides of suite.py: dynbatch, and processes that run another library."""

import json
import os
import pathlib
import statistics
import subprocess

import harness

from models import instantiate_model

# Of each side the library, the form of peers/*.py, and the variants.
SIDES = {
    "DyNet": (
        "dynet",
        "Instance",
        ("gates", "gates autobatch", "fused", "fused autobatch"),
    ),
    "PyTorch eager": ("torch", "Instance", ("",)),
    "PyTorch batched": ("torch", "Batched", ("", "packed")),
    "NumPy batched": ("numpy", "Batched", ("",)),
}
PACKAGES = {"dynet": "dynet38", "torch": "torch", "numpy": "numpy"}

# Passes of a round; dynbatch-run makes one more, as the first is in new memory.
PASSES = 5

# Without these glibc returns memory to the system after each minibatch, and page
# faults take most of a peer's time.
PEER_ENVIRONMENT = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "16000000000",
    "MALLOC_TOP_PAD_": "67108864",
}
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Failure(Exception):
    """A side that does not run, or whose results differ."""


def peer_environment(threads):
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("OPENBLAS_")
    }
    counts = {name: str(threads) for name in THREAD_VARIABLES}
    return {**environment, **PEER_ENVIRONMENT, **counts}


def find_libraries(python):
    """Returns which of the libraries a Python has."""
    code = (
        "import importlib.util, sys\n"
        "print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name)))"
    )
    output = subprocess.run(
        [python, "-c", code, *PACKAGES], check=True, capture_output=True, text=True
    ).stdout
    return output.split()


def has_form(model, form):
    """Whether a model has a form for other libraries."""
    path = pathlib.Path(__file__).parent / "peers" / f"{model}.py"
    return path.is_file() and f"\nclass {form}:" in path.read_text(encoding="utf-8")


def mean_of_medians(passes):
    """The mean over the minibatches of the median over the passes."""
    return statistics.mean(map(statistics.median, zip(*passes)))


class Dynbatch:
    def __init__(self, args, folder, name, hidden):
        self.name = name
        self.program = args.dynbatch_run
        self.folder = folder
        self.params = folder / "params.safetensors"
        self.library = folder / "model.so"
        model, self.knobs = instantiate_model(name, hidden, folder)
        subprocess.run([args.dynbatch_compile, model, "-o", self.library], check=True)
        nothing = folder / "nothing.txt"
        nothing.touch()
        harness.execute(self.program, self.library, nothing, f"--save-params={self.params}")

    def write_results(self, instances, batch_size, path):
        subprocess.run(
            [
                self.program,
                self.library,
                f"--instances={instances}",
                f"--params={self.params}",
                f"--batch-size={batch_size}",
                f"--output={path}",
            ],
            check=True,
        )

    def measure(self, instances, batch_size, threads):
        """Returns milliseconds."""
        stats = harness.run(
            self.program,
            self.library,
            instances,
            f"--batch-size={batch_size}",
            f"--repeat={1 + PASSES}",
            params=self.params,
            threads=threads,
        )
        times = stats["minibatch_ms"]
        size = len(times) // (1 + PASSES)
        return mean_of_medians(
            [times[begin : begin + size] for begin in range(size, len(times), size)]
        )


class Peer:
    """A process with one variant of a side, which starts meanwhile."""

    def __init__(self, python, dynbatch, threads, side, variant):
        library, form, _ = SIDES[side]
        self.name = f"{side}, {variant}" if variant else side
        self.variant = variant
        self.errors = dynbatch.folder / "errors.txt"
        command = [
            python,
            pathlib.Path(__file__).with_name("peer.py"),
            f"--library={library}",
            f"--form={form}",
            f"--variant={variant}",
            f"--model={dynbatch.name}",
            f"--params={dynbatch.params}",
            f"--knobs={json.dumps(dynbatch.knobs)}",
            f"--threads={threads}",
        ]
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                command,
                env=peer_environment(threads),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def wait(self):
        """Waits until the process is ready, and returns its library's version."""
        return self.read()

    def read(self):
        # DyNet writes lines of its own.
        while line := self.process.stdout.readline():
            if line.startswith("suite: "):
                return json.loads(line.removeprefix("suite: "))
        errors = self.errors.read_text(encoding="utf-8").splitlines()
        last = errors[-1] if errors else "no message"
        raise Failure(f"the process of {self.name} has ended: {last}")

    def ask(self, instances, batch_size, **request):
        request = {"instances": str(instances), "batch_size": batch_size, **request}
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # There is nothing to read, either.
        return self.read()

    def write_results(self, instances, batch_size, path):
        self.ask(instances, batch_size, output=str(path))

    def measure(self, instances, batch_size, passes):
        """Returns milliseconds: all, and those of the computation."""
        answer = self.ask(instances, batch_size, passes=passes)
        return tuple(
            mean_of_medians([[pair[part] for pair in row] for row in answer])
            for part in (0, 1)
        )

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
