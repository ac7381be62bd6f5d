//===- runtime.c - A program in C that runs a compiled model -*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: dynbatch-compile %S/Inputs/bag.mlir -o %t.so
// RUN: dynbatch-capi-runtime-test %t.so | FileCheck %s

#include "dynbatch-c/Runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints what an error says and destroys it.
static void show(const char *what, DynbatchError *error) {
  printf("%s: %s\n", what, error ? dynbatchErrorGetMessage(error) : "ok");
  dynbatchErrorDestroy(error);
}

// For what must go well.
static void check(DynbatchError *error) {
  if (!error)
    return;
  show("unexpected", error);
  exit(1);
}

static void printText(const char *data, size_t length, void *userData) {
  (void)userData;
  printf("%.*s", (int)length, data);
}

static void printResult(size_t instance, const DynbatchValue *values,
                        size_t count, void *userData) {
  int *results = userData;
  const float *data = dynbatchValueGetData(values[0]);
  const int64_t *shape = dynbatchValueGetShape(values[0]);
  printf("result %zu: %zu values, kind %d, %s, rank %d, %d: %g %g; ", instance,
         count, (int)dynbatchValueGetKind(values[0]),
         dynbatchValueGetElementType(values[0]),
         (int)dynbatchValueGetRank(values[0]), (int)shape[0], data[0], data[1]);
  if (dynbatchValueGetSize(values[1]) > 0) {
    DynbatchValue word = dynbatchValueGet(values[1], 0);
    printf("%s %d; ", dynbatchValueGetConstructor(values[1]),
           (int)dynbatchValueGetInteger(word));
  }
  dynbatchValuePrint(values[1], printText, NULL);
  printf("; %g\n", dynbatchValueGetFloat(values[2]));
  ++*results;
}

// One instance: a list of words and a scale.
static void addInstance(DynbatchInstanceBuilder *builder, const int *words,
                        int count, double scale) {
  for (int i = 0; i < count; ++i) {
    check(dynbatchInstanceBuilderBeginConstructor(builder, "Cons"));
    check(dynbatchInstanceBuilderAddInteger(builder, words[i]));
  }
  check(dynbatchInstanceBuilderBeginConstructor(builder, "Nil"));
  for (int i = 0; i <= count; ++i)
    check(dynbatchInstanceBuilderEnd(builder));
  check(dynbatchInstanceBuilderAddFloat(builder, scale));
  check(dynbatchInstanceBuilderEndInstance(builder));
}

static DynbatchModule *openModule(const char *path) {
  DynbatchModule *module;
  // CHECK: no file: {{.*}}nowhere.so: cannot open shared object file
  show("no file", dynbatchModuleLoad("nowhere.so", &module));
  check(dynbatchModuleLoad(path, &module));
  // CHECK: describes itself: 1
  printf("describes itself: %d\n",
         strstr(dynbatchModuleGetDescriptor(module), "\"List\"") != NULL);
  return module;
}

// The program's parameters: a table of ten rows, row w is (w, 10 w).
static DynbatchParameters *makeParameters(const DynbatchModule *module) {
  static float table[10][2];
  for (int i = 0; i < 10; ++i) {
    table[i][0] = (float)i;
    table[i][1] = 10.0f * i;
  }
  int64_t shape[] = {10, 2};
  DynbatchTensor tensor = {"E", "f32", 2, shape, table};
  DynbatchParameters *parameters;
  check(dynbatchParametersCreate(module, &tensor, 1, &parameters));

  tensor.rank = 1;
  // CHECK: bad shape: parameter 'E': expected shape [10, 2], found [10]
  show("bad shape", dynbatchParametersCreate(module, &tensor, 1, &parameters));
  tensor.rank = 2;
  tensor.elementType = "f64";
  // CHECK: bad type: parameter 'E': expected dtype f32, found f64
  show("bad type", dynbatchParametersCreate(module, &tensor, 1, &parameters));
  tensor.elementType = "float";
  // CHECK: no type: parameter 'E': 'float' is not an element type
  show("no type", dynbatchParametersCreate(module, &tensor, 1, &parameters));
  // CHECK: missing: parameter 'E': missing (expected tensor<10x2xf32>)
  show("missing", dynbatchParametersCreate(module, NULL, 0, &parameters));
  return parameters;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  DynbatchModule *module = openModule(argv[1]);
  DynbatchParameters *parameters = makeParameters(module);
  DynbatchProgramOptions options = dynbatchProgramOptionsGetDefault();
  options.statistics = options.trace = options.verifySchedule = true;
  DynbatchProgram *program;
  check(dynbatchProgramCreate(module, parameters, &options, &program));
  // CHECK: given away: the parameters belong to another program
  show("given away", dynbatchProgramCreate(module, parameters, NULL, &program));
  dynbatchParametersDestroy(parameters);

  DynbatchInstanceBuilder *builder = dynbatchInstanceBuilderCreate(module);
  int words[] = {3, 4};
  addInstance(builder, words, 2, 0.5);
  addInstance(builder, words, 0, 2);
  // CHECK: unknown: unknown constructor 'Pair' of ADT 'List' (it has: Nil,
  // CHECK-SAME: Cons)
  show("unknown", dynbatchInstanceBuilderBeginConstructor(builder, "Pair"));
  // CHECK: no list: expected a value of type !dynbatch.adt<@List>
  show("no list", dynbatchInstanceBuilderAddInteger(builder, 1));
  // CHECK: no sequence: expected a value of type !dynbatch.adt<@List>
  show("no sequence", dynbatchInstanceBuilderBeginSequence(builder));
  // CHECK: no tensor: expected a value of type !dynbatch.adt<@List>
  show("no tensor", dynbatchInstanceBuilderAddTensor(builder, words));
  DynbatchInstances *instances = dynbatchInstanceBuilderFinish(builder);
  dynbatchInstanceBuilderDestroy(builder);

  // What is made of a module may outlive it.
  int results = 0;
  // CHECK: result 0: 3 values, kind 1, f32, rank 1, 2: 3.5 35; Cons 3;
  // CHECK-SAME: (Cons 3 (Cons 4 Nil)); 0.5
  // CHECK: result 1: 3 values, kind 1, f32, rank 1, 2: 0 0; Nil; 2
  check(dynbatchProgramRun(program, instances, 0, 2, printResult, &results));

  DynbatchInstances *bad;
  // CHECK: text: in.txt:1:7: error: expected a number of type i32, found 'x'
  show("text",
       dynbatchInstancesParse(module, "(Cons x Nil) 1", "in.txt", &bad));
  check(dynbatchInstancesParse(module, "(Cons 1 Nil) 1\n(Cons 11 Nil) 1\n",
                               "in.txt", &bad));
  results = 0;
  // CHECK: bad index: instance 1: {{.*}} index 11 is out of bounds for size 10
  // CHECK-SAME: (in.txt:2)
  show("bad index",
       dynbatchProgramRun(program, bad, 0, 2, printResult, &results));
  // CHECK: range: instances 0 to 3 of 2
  show("range",
       dynbatchProgramRun(program, bad, 0, dynbatchInstancesGetSize(bad) + 1,
                          printResult, &results));
  // CHECK: results of failed runs: 0
  printf("results of failed runs: %d\n", results);
  // CHECK: result 1: 3 values, {{.*}}: 0 0; Nil; 2
  check(dynbatchProgramRun(program, instances, 1, 2, printResult, &results));

  DynbatchModule *other;
  check(dynbatchModuleLoad(argv[1], &other));
  DynbatchInstances *others;
  check(dynbatchInstancesParse(other, "Nil 1", "in.txt", &others));
  // CHECK: other module: the instances belong to another module
  show("other module",
       dynbatchProgramRun(program, others, 0, 1, printResult, &results));
  dynbatchInstancesDestroy(others);
  dynbatchModuleDestroy(other);
  dynbatchModuleDestroy(module);

  // CHECK: "failed_minibatches"
  // CHECK: traceEvents
  check(dynbatchProgramGetStatistics(program, printText, NULL));
  check(dynbatchProgramGetTrace(program, printText, NULL));
  printf("\n");
  dynbatchProgramClose(program);
  // CHECK: closed: the program is closed
  // CHECK: closed: the program is closed
  show("closed",
       dynbatchProgramRun(program, instances, 0, 1, printResult, &results));
  show("closed", dynbatchProgramGetStatistics(program, printText, NULL));
  dynbatchProgramDestroy(program);
  dynbatchInstancesDestroy(bad);
  dynbatchInstancesDestroy(instances);
  return 0;
}
