//===- compiler.c - A program in C that compiles a model -*- C -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: rm -rf %t && dynbatch-capi-test %S/Inputs/bag.mlir %t | FileCheck %s
// RUN: ls %t | count 1

#include "dynbatch-c/Compiler.h"
#include "dynbatch-c/Dialect.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints what an error says and destroys it.
static void show(const char *what, DynbatchError *error) {
  printf("%s: %s\n", what, error ? dynbatchErrorGetMessage(error) : "ok");
  dynbatchErrorDestroy(error);
}

typedef struct Text {
  char *data;
  size_t length;
} Text;

static void append(Text *text, const char *data, size_t length) {
  text->data = realloc(text->data, text->length + length);
  memcpy(text->data + text->length, data, length);
  text->length += length;
}

static void appendMlir(MlirStringRef piece, void *text) {
  append(text, piece.data, piece.length);
}

static void printMlir(MlirStringRef piece, void *userData) {
  (void)userData;
  printf("%.*s", (int)piece.length, piece.data);
}

static void printText(const char *data, size_t length, void *userData) {
  (void)userData;
  printf("%.*s", (int)length, data);
}

static Text readFile(const char *path) {
  Text text = {NULL, 0};
  char buffer[1024];
  FILE *file = fopen(path, "r");
  if (!file)
    exit(2);
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), file)) > 0;)
    append(&text, buffer, n);
  fclose(file);
  return text;
}

static void printTypes(MlirContext context) {
  // CHECK: dialect dynbatch
  MlirType tree =
      dynbatchAdtTypeGet(context, mlirStringRefCreateFromCString("Tree"));
  MlirType trees = dynbatchSeqTypeGet(tree);
  mlirTypePrint(trees, printMlir, NULL);
  printf("\n");
  MlirStringRef name = dynbatchAdtTypeGetName(dynbatchSeqTypeGetElement(trees));
  printf("adt %.*s %d %d seq %d %d\n", (int)name.length, name.data,
         dynbatchTypeIsAAdt(tree), dynbatchTypeIsAAdt(trees),
         dynbatchTypeIsASeq(tree), dynbatchTypeIsASeq(trees));
}

static MlirLogicalResult ignore(MlirDiagnostic diagnostic, void *userData) {
  (void)userData;
  printf("diagnostic: ");
  mlirDiagnosticPrint(diagnostic, printMlir, NULL);
  printf("\n");
  return mlirLogicalResultSuccess();
}

// A host compiler's own use of the dialect and the passes; the bytecode of the
// program.
static Text useDialect(Text source) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__dynbatch__(), registry);
  dynbatchRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  MlirDialect dialect =
      mlirDialectHandleLoadDialect(mlirGetDialectHandle__dynbatch__(), context);
  MlirStringRef name = mlirDialectGetNamespace(dialect);
  printf("dialect %.*s\n", (int)name.length, name.data);
  // CHECK: !dynbatch.seq<!dynbatch.adt<@Tree>>
  // CHECK: adt Tree 1 0 seq 0 1
  printTypes(context);
  MlirDiagnosticHandlerID handler =
      mlirContextAttachDiagnosticHandler(context, ignore, NULL, NULL);
  // CHECK: diagnostic: {{.*}}none
  // CHECK: null 1
  MlirType none =
      mlirTypeParseGet(context, mlirStringRefCreateFromCString("none"));
  printf("null %d\n", mlirTypeIsNull(dynbatchSeqTypeGet(none)));
  mlirContextDetachDiagnosticHandler(context, handler);

  dynbatchRegisterAllPasses();
  MlirModule module = mlirModuleCreateParse(
      context, mlirStringRefCreate(source.data, source.length));
  Text bytecode = {NULL, 0};
  mlirOperationWriteBytecode(mlirModuleGetOperation(module), appendMlir,
                             &bytecode);
  MlirPassManager passes = mlirPassManagerCreate(context);
  MlirLogicalResult result = mlirOpPassManagerAddPipeline(
      mlirPassManagerGetAsOpPassManager(passes),
      mlirStringRefCreateFromCString("dynbatch-pipeline{coarsen=false}"),
      printMlir, NULL);
  // CHECK: pipeline 1
  // CHECK: run 1
  printf("pipeline %d\n", mlirLogicalResultIsSuccess(result));
  result = mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module));
  printf("run %d\n", mlirLogicalResultIsSuccess(result));
  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return bytecode;
}

static void printResult(size_t instance, const DynbatchValue *values,
                        size_t count, void *userData) {
  (void)count;
  (void)userData;
  printf("result %zu: ", instance);
  dynbatchValuePrint(values[0], printText, NULL);
  printf("\n");
}

static void runOnce(DynbatchModule *module) {
  DynbatchParameters *parameters;
  DynbatchInstances *instances;
  DynbatchProgram *program;
  DynbatchError *error =
      dynbatchParametersLoad(module, "random:1", &parameters);
  if (!error)
    error =
        dynbatchInstancesParse(module, "(Cons 3 Nil) 2", "text", &instances);
  if (!error)
    error = dynbatchProgramCreate(module, parameters, NULL, &program);
  if (!error)
    error = dynbatchProgramRun(program, instances, 0, 1, printResult, NULL);
  show("run", error);
  if (error)
    exit(1);
  // Stopping what does not run is nothing.
  dynbatchProgramStop(program);
  show("again",
       dynbatchProgramRun(program, instances, 0, 1, printResult, NULL));
  dynbatchProgramDestroy(program);
  dynbatchInstancesDestroy(instances);
  dynbatchParametersDestroy(parameters);
  dynbatchModuleDestroy(module);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  Text source = readFile(argv[1]);
  Text bytecode = useDialect(source);

  DynbatchModule *module;
  // CHECK: text: ok
  // CHECK: result 0: [[RESULT:.*]]
  // CHECK: run: ok
  // CHECK: again: ok
  show("text", dynbatchCompile(source.data, source.length, argv[1], NULL,
                               printText, NULL, &module));
  runOnce(module);
  // CHECK: bytecode: ok
  // CHECK: result 0: [[RESULT]]
  DynbatchCompileOptions options = dynbatchCompileOptionsGetDefault();
  options.target = "reference";
  options.cacheFolder = argv[2];
  for (int i = 0; i < 2; ++i) {
    show("bytecode",
         dynbatchCompile(bytecode.data, bytecode.length, "bag.mlirbc", &options,
                         NULL, NULL, &module));
    runOnce(module);
  }

  options = dynbatchCompileOptionsGetDefault();
  options.target = "tpu";
  // CHECK: target: 'tpu' is not a target: it must be cpu, cuda, simt or
  show("target", dynbatchCompile(source.data, source.length, "a.mlir", &options,
                                 NULL, NULL, &module));
  options.target = "cpu";
  options.pipelineOptions = "nonsense=1";
  // CHECK: options: pipeline options 'nonsense=1': {{.*}}no such option
  show("options", dynbatchCompile(source.data, source.length, "a.mlir",
                                  &options, NULL, NULL, &module));
  const char *wrong = "func.func @main() {\n  return %x : i32\n}";
  // CHECK: wrong: wrong.mlir:2:10: error: use of undeclared SSA value name
  // CHECK-NEXT: return %x : i32
  show("wrong", dynbatchCompile(wrong, strlen(wrong), "wrong.mlir", NULL, NULL,
                                NULL, &module));
  free(source.data);
  free(bytecode.data);
  return 0;
}
