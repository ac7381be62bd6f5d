//===- LoadedModule.c - A compiled module in a library -----------*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/ABI.h"

#include <string.h>

/* Of two modules made from this file, each must find its own. */
int64_t dynbatch_test_power(int64_t base) {
  return DYNBATCH_TEST_ROOT == 2 ? base * base : base * base * base;
}

/* The integer square (cube) root of an i64. */
static void entry(dynbatch_context *ctx, const char *args, char *results) {
  int64_t value, root = 0;
  memcpy(&value, args, sizeof(value));
  if (value < 0)
    dynbatch_rt_index_error(ctx, "root", value, 10);
  while (dynbatch_test_power(root + 1) <= value)
    ++root;
  memcpy(results, &root, sizeof(root));
}

const dynbatch_module dynbatch_module_definition __asm__("dynbatch_module") = {
    DYNBATCH_ABI_VERSION,
    0,
    "{\"name\": \"root\", \"entry\": {\"name\": \"main\", \"inputs\": "
    "[{\"kind\": \"scalar\", \"dtype\": \"i64\"}], \"results\": "
    "[{\"kind\": \"scalar\", \"dtype\": \"i64\"}]}, \"adts\": [], "
    "\"params\": [], \"kernels\": [], \"stages\": []}",
    entry,
    0,
    0,
};
