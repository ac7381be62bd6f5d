//===- Values.h - Instances and results as Python values -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_PYTHON_VALUES_H
#define DYNBATCH_PYTHON_VALUES_H

#include "Arrays.h"
#include "dynbatch/Runtime/InstanceBuilder.h"
#include "dynbatch/Runtime/Values.h"
#include <memory>
#include <unordered_map>
#include <vector>

namespace dynbatch::python {

/// Constructors of ADTs as Python names and classes; shared by all conversions
/// of a module.
class Constructors {
public:
  /// `classes`, if it is not None, maps names of constructors to what results
  /// are made with: called with the fields.
  Constructors(const rt::ModuleDescriptor &descriptor,
               nanobind::object classes);

  /// The constructor called `name`; -1 if the ADT has none.
  int findTag(unsigned adt, nanobind::handle name) const;
  nanobind::handle name(unsigned adt, unsigned tag) const {
    return names[adt][tag];
  }
  /// What results are made with; null for a tuple.
  nanobind::handle factory(unsigned adt, unsigned tag) const {
    return factories[adt][tag];
  }

private:
  std::vector<std::vector<nanobind::object>> names; ///< interned
  std::vector<std::vector<nanobind::object>> factories;
};

/// Instances, and the arrays in them that are used in place.
struct Instances {
  rt::InstanceSet set;
  std::vector<Array> arrays;
};

/// Makes instances of the elements of `values`, a list or tuple. A value that
/// does not fit its type is a TypeError or ValueError which says where it is:
/// `instances[3].left.word: expected int, got str`.
Instances convertInstances(const rt::ModuleDescriptor &descriptor,
                           const Constructors &constructors,
                           nanobind::handle values);

/// One result as it is, several as a tuple.
nanobind::object convertResult(const rt::ResultView &result,
                               const Constructors &constructors);

} // namespace dynbatch::python

#endif // DYNBATCH_PYTHON_VALUES_H
