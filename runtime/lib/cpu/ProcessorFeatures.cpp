//===- ProcessorFeatures.cpp - What this processor can run ------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/ProcessorFeatures.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <cstdint>

namespace {

enum Register { EAX, EBX, ECX, EDX };

/// Registers that the operating system must save for a feature to be of use.
enum State { None, Ymm, Zmm, Apx };

struct Feature {
  std::string_view name;
  unsigned leaf;
  unsigned subleaf;
  Register reg;
  unsigned bit;
  State state;
};

/// What LLVM may use of its own accord; all but what every x86-64 processor
/// has.
constexpr Feature kFeatures[] = {
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"adx", 7, 0, EBX, 19, None},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, Ymm},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"avx512vp2intersect", 7, 0, EDX, 8, Zmm},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"egpr", 7, 1, EDX, 21, Apx},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"xop", 0x80000001, 0, ECX, 11, Ymm},
    {"fma4", 0x80000001, 0, ECX, 16, Ymm},
    {"tbm", 0x80000001, 0, ECX, 21, None},
};

bool hasBit(unsigned leaf, unsigned subleaf, Register reg, unsigned bit) {
  unsigned words[4];
  return __get_cpuid_count(leaf, subleaf, &words[EAX], &words[EBX], &words[ECX],
                           &words[EDX]) &&
         (words[reg] >> bit & 1);
}

bool systemSaves(State state) {
  if (state == None)
    return true;
  constexpr unsigned kOsxsave = 27;
  if (!hasBit(1, 0, ECX, kOsxsave))
    return false;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  // XCR0: xmm and upper halves of ymm; masks and the rest of zmm; r16 to r31.
  uint32_t needed = state == Ymm ? 0x06 : state == Zmm ? 0xe6 : 0x80000;
  return (low & needed) == needed;
}

} // namespace

std::optional<bool> dynbatch::rt::processorHas(std::string_view feature) {
  for (const Feature &known : kFeatures)
    if (known.name == feature)
      return hasBit(known.leaf, known.subleaf, known.reg, known.bit) &&
             systemSaves(known.state);
  return std::nullopt;
}

#else

std::optional<bool> dynbatch::rt::processorHas(std::string_view) {
  return std::nullopt;
}

#endif
