//===- Arrays.h - Tensors as Python sees them -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_PYTHON_ARRAYS_H
#define DYNBATCH_PYTHON_ARRAYS_H

#include "dynbatch/Runtime/Descriptor.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <string>

namespace dynbatch::python {

using Array = nanobind::ndarray<nanobind::ro>;

/// `object` as an array: through DLPack or the buffer protocol, without a copy.
/// None for what is not one.
std::optional<Array> toArray(nanobind::handle object);

/// The array's element type in dynbatch's terms; none for others. Bools are i1.
std::optional<rt::DType> elementType(const Array &array);

/// Why `array` cannot be used in place as a tensor of `type`: wrong element
/// type, shape, strides or device; empty if it can.
std::string mismatch(const Array &array, const rt::Type &type);

/// `tensor<2x3xf32>` in NumPy's words: "array of shape (2, 3) and dtype
/// float32".
std::string describeArray(const rt::Type &type);

/// A NumPy array with a copy of the elements at `data`, row-major. bf16, which
/// NumPy lacks, becomes float32, which is exact.
nanobind::object toNumPy(const rt::Type &type, const void *data);

} // namespace dynbatch::python

#endif // DYNBATCH_PYTHON_ARRAYS_H
