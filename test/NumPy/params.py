#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Reads and writes parameters in the safetensors format, by hand.

A file is the length of its header (8 bytes, little endian), the header (JSON:
tensor name to data type, shape and the offsets of its data), and the data.
"""

import json

import numpy as np

DTYPES = {
    "BOOL": "?",
    "I8": "<i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "U8": "<u1",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
}
NAMES = {np.dtype(code): name for name, code in DTYPES.items()}


def read_params(path):
    """Returns a dictionary from name to array; BF16 becomes float32."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    params = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        if entry["dtype"] == "BF16":
            # The upper half of a float32; NumPy has no type for it.
            bits = np.frombuffer(data[begin:end], "<u2").astype("<u4") << 16
            array = bits.view("<f4")
        else:
            array = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]])
        params[name] = array.reshape(entry["shape"])
    return params


def write_params(path, params):
    """Writes a dictionary from name to array."""
    header = {}
    offset = 0
    for name, array in params.items():
        header[name] = {
            "dtype": NAMES[array.dtype],
            "shape": array.shape,
            "data_offsets": [offset, offset + array.nbytes],
        }
        offset += array.nbytes
    text = json.dumps(header).encode()
    # Readers like the data to be aligned; spaces after the header are allowed.
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for array in params.values():
            file.write(array.tobytes())
