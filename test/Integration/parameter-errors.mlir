// Bad parameters: what is wrong, and in which file. Nothing is written then.

// RUN: split-file %s %t
// RUN: %python %t/hostile.py %t

// DEFINE: %{run} = not dynbatch-run %t/model.mlir --instances=%t/instances --output=%t/out

// RUN: %{run} --params=random:1x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: dynbatch-run: error: 'random:1x': the seed must be an integer from 0 to 2^64 - 1
// RUN: %{run} --params=%t/nowhere 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: dynbatch-run: error: cannot read '{{.*}}nowhere': No such file or directory
// RUN: %{run} --params=random:1 --save-params=%t/nowhere/p 2>&1 | FileCheck %s --check-prefix=SAVE
// SAVE: dynbatch-run: error: cannot write '{{.*}}/nowhere/p': No such file or directory
// RUN: %{run} --params=%t/good --save-params=%t/good 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: dynbatch-run: error: --save-params names the file that --params reads

// RUN: %{run} --params=%t/missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: dynbatch-run: error: {{.*}}/missing: parameter 'W': the file does not have it (expected tensor<2xf32>){{$}}
// RUN: %{run} --params=%t/shape 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: dynbatch-run: error: {{.*}}/shape: parameter 'E': expected shape [4, 2], found [2, 4]{{$}}
// RUN: %{run} --params=%t/rank 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: dynbatch-run: error: {{.*}}/rank: parameter 'E': expected shape [4, 2], found [8]{{$}}
// RUN: %{run} --params=%t/dtype 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: dynbatch-run: error: {{.*}}/dtype: parameter 'E': expected dtype F32, found I32{{$}}
// RUN: %{run} --params=%t/unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: dynbatch-run: error: {{.*}}/unknown: tensor 'E': unknown dtype 'F31'{{$}}
// RUN: %{run} --params=%t/truncated 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// TRUNCATED: dynbatch-run: error: {{.*}}/truncated: tensor 'W': the data end at byte 40 of 36{{$}}
// RUN: %{run} --params=%t/behind 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: dynbatch-run: error: {{.*}}/behind: the file has data that belong to no tensor{{$}}
// RUN: %{run} --params=%t/length 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: dynbatch-run: error: {{.*}}/length: not a safetensors file: a header of 9223372036854775808 bytes{{$}}
// RUN: %{run} --params=%t/long 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: dynbatch-run: error: {{.*}}/long: the file is truncated: a header of 1000 bytes, but only 168 follow{{$}}
// RUN: %{run} --params=%t/json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: dynbatch-run: error: {{.*}}/json: header: malformed JSON at byte 3{{$}}
// RUN: %{run} --params=%t/array 2>&1 | FileCheck %s --check-prefix=ARRAY
// ARRAY: dynbatch-run: error: {{.*}}/array: header: expected an object{{$}}
// RUN: %{run} --params=%t/deep 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: dynbatch-run: error: {{.*}}/deep: header: JSON nested too deeply{{$}}
// RUN: %{run} --params=%t/overflow 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// OVERFLOW: dynbatch-run: error: {{.*}}/overflow: tensor 'E': the shape is too large{{$}}
// RUN: %{run} --params=%t/negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: dynbatch-run: error: {{.*}}/negative: tensor 'E': the shape must be an array of integers >= 0{{$}}
// RUN: %{run} --params=%t/offsets 2>&1 | FileCheck %s --check-prefix=OFFSETS
// OFFSETS: dynbatch-run: error: {{.*}}/offsets: tensor 'E': 'data_offsets' must be two integers >= 0{{$}}
// RUN: %{run} --params=%t/backwards 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// BACKWARDS: dynbatch-run: error: {{.*}}/backwards: tensor 'E': the data end before they begin{{$}}
// RUN: %{run} --params=%t/overlap 2>&1 | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: dynbatch-run: error: {{.*}}/overlap: tensor 'W': the data overlap those of another tensor{{$}}
// RUN: %{run} --params=%t/gap 2>&1 | FileCheck %s --check-prefix=GAP
// GAP: dynbatch-run: error: {{.*}}/gap: tensor 'W': a gap lies before the data{{$}}
// RUN: %{run} --params=%t/fraction 2>&1 | FileCheck %s --check-prefix=FRACTION
// FRACTION: dynbatch-run: error: {{.*}}/fraction: tensor 'E': the shape must be an array of integers >= 0{{$}}
// RUN: %{run} --params=%t/short 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: dynbatch-run: error: {{.*}}/short: not a safetensors file: shorter than 8 bytes{{$}}
// RUN: %{run} --params=%t/nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: dynbatch-run: error: {{.*}}/nothing: not a safetensors file: shorter than 8 bytes{{$}}

// RUN: not ls %t/out
// RUN: dynbatch-run %t/model.mlir --instances=%t/instances --params=%t/good | FileCheck %s --check-prefix=GOOD
// GOOD: [0 0] [0 0]

//--- instances
1
//--- hostile.py
import json
import struct
import sys


def write(name, header, data, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with open(sys.argv[1] + "/" + name, "wb") as file:
        file.write(struct.pack("<Q", len(text) if length is None else length))
        file.write(text)
        file.write(data)


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


zeros = bytes(64)
E = tensor("F32", [4, 2], 0, 32)
W = tensor("F32", [2], 32, 40)
write("good", {"E": E, "W": W}, zeros[:40])
write("missing", {"E": E}, zeros[:32])
write("shape", {"E": tensor("F32", [2, 4], 0, 32), "W": W}, zeros[:40])
write("rank", {"E": tensor("F32", [8], 0, 32), "W": W}, zeros[:40])
write("dtype", {"E": tensor("I32", [4, 2], 0, 32), "W": W}, zeros[:40])
write("unknown", {"E": tensor("F31", [4, 2], 0, 32), "W": W}, zeros[:40])
write("truncated", {"E": E, "W": W}, zeros[:36])
write("behind", {"E": E, "W": W}, zeros[:44])
write("length", {"E": E, "W": W}, zeros[:40], length=2**63)
write("long", {"E": E, "W": W}, zeros[:40], length=1000)
write("json", b"{nonsense}", b"")
write("array", [1], b"")
write("deep", b"[" * 1000000, b"")
write("overflow", {"E": tensor("F32", [2**62, 2**62], 0, 32), "W": W}, zeros[:40])
write("negative", {"E": tensor("F32", [-4, -2], 0, 32), "W": W}, zeros[:40])
write("offsets", {"E": tensor("F32", [4, 2], 2**63, 2**63 + 32), "W": W}, zeros[:40])
write("backwards", {"E": tensor("F32", [4, 2], 32, 0), "W": W}, zeros[:40])
write("overlap", {"E": E, "W": tensor("F32", [2], 24, 32)}, zeros[:32])
write("gap", {"E": E, "W": tensor("F32", [2], 36, 44)}, zeros[:44])
write("fraction", {"E": tensor("F32", [4.5, 2], 0, 32), "W": W}, zeros[:40])
open(sys.argv[1] + "/short", "wb").write(b"1234567")
open(sys.argv[1] + "/nothing", "wb").close()
//--- model.mlir
ml_program.global private @E(#ml_program.extern<tensor<4x2xf32>>) : tensor<4x2xf32>
ml_program.global private @W(#ml_program.extern<tensor<2xf32>>) : tensor<2xf32>
func.func @main(%i: i32) -> (tensor<2xf32>, tensor<2xf32>) attributes {dynbatch.entry} {
  %E = ml_program.global_load_const @E : tensor<4x2xf32>
  %W = ml_program.global_load_const @W : tensor<2xf32>
  %x = dynbatch.lookup %E[%i] : tensor<4x2xf32>, i32 -> tensor<2xf32>
  return %x, %W : tensor<2xf32>, tensor<2xf32>
}
