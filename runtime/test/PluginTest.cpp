//===- PluginTest.cpp - Opens a library that holds the runtime --*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>

int main(int, char **argv) {
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  auto run =
      reinterpret_cast<int64_t (*)(const char *)>(dlsym(plugin, "runModule"));
  int64_t result = run(argv[2]);
  std::printf("the root of 9 is %d\n", static_cast<int>(result));
  return result == 3 ? 0 : 1;
}
