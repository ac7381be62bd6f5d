// RUN: not dynbatch-opt %s --dynbatch-export-module 2>&1 | FileCheck %s

// CHECK: error: no symbol 'dynbatch_entry': run convert-dynbatch-to-llvm first
module {
}
