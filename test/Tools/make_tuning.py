#===----------------------------------------------------------------------===//
#
# Part of the dynbatch project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""Prints a tuning file about one kernel of a compiled module."""

import json
import re
import sys

path, kernel, cpu, tasks = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    # The descriptor is a string constant, whose quotes are escaped.
    text = file.read().replace("\\22", '"').replace('\\"', '"')
descriptor = next(
    part for part in re.findall(r"\{[^{}]*\}", text) if f'"name":"{kernel}"' in part
)
key = json.loads(descriptor)["tuning_key"]
tile = {"cpu": cpu, "key": key, "kernel": "any", "tasks": int(tasks)}
print(json.dumps({"version": 1, "tiles": [tile]}))
