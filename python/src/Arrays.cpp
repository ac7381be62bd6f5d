//===- Arrays.cpp - Tensors as Python sees them -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include <cstring>

namespace nb = nanobind;
using namespace dynbatch;
using namespace dynbatch::python;
using rt::DType;

std::optional<Array> dynbatch::python::toArray(nb::handle object) {
  Array array;
  if (nb::try_cast<Array>(object, array, /*convert=*/false))
    return array;
  PyErr_Clear();
  return std::nullopt;
}

std::optional<DType> dynbatch::python::elementType(const Array &array) {
  nb::dlpack::dtype dtype = array.dtype();
  if (dtype.lanes != 1)
    return std::nullopt;
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
  case nb::dlpack::dtype_code::Bool:
    return DType::I1;
  case nb::dlpack::dtype_code::Int:
    switch (dtype.bits) {
    case 8:
      return DType::I8;
    case 16:
      return DType::I16;
    case 32:
      return DType::I32;
    case 64:
      return DType::I64;
    }
    return std::nullopt;
  case nb::dlpack::dtype_code::Float:
    switch (dtype.bits) {
    case 16:
      return DType::F16;
    case 32:
      return DType::F32;
    case 64:
      return DType::F64;
    }
    return std::nullopt;
  case nb::dlpack::dtype_code::Bfloat:
    if (dtype.bits == 16)
      return DType::BF16;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

static const char *numpyName(DType dtype) {
  switch (dtype) {
  case DType::I1:
    return "bool";
  case DType::I8:
    return "int8";
  case DType::I16:
    return "int16";
  case DType::I32:
    return "int32";
  case DType::I64:
  case DType::Index:
    return "int64";
  case DType::F16:
    return "float16";
  case DType::BF16:
    return "bfloat16";
  case DType::F32:
    return "float32";
  case DType::F64:
    return "float64";
  }
  return "";
}

template <typename GetSize>
static std::string shapeText(size_t rank, GetSize size) {
  std::string text = "(";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(size(i));
  return text + (rank == 1 ? ",)" : ")");
}

static std::string shapeText(const Array &array) {
  return shapeText(array.ndim(), [&](size_t i) { return array.shape(i); });
}

std::string dynbatch::python::describeArray(const rt::Type &type) {
  return "array of shape " +
         shapeText(type.shape.size(), [&](size_t i) { return type.shape[i]; }) +
         " and dtype " + numpyName(type.dtype);
}

/// dtypes as in messages: those that dynbatch lacks by their kind and bits.
static std::string dtypeText(const Array &array) {
  if (std::optional<DType> dtype = elementType(array))
    return numpyName(*dtype);
  nb::dlpack::dtype dtype = array.dtype();
  bool isUnsigned =
      dtype.code == static_cast<uint8_t>(nb::dlpack::dtype_code::UInt);
  bool isComplex =
      dtype.code == static_cast<uint8_t>(nb::dlpack::dtype_code::Complex);
  return (isUnsigned  ? "uint"
          : isComplex ? "complex"
                      : "a type of bits ") +
         std::to_string(dtype.bits);
}

static bool isContiguous(const Array &array) {
  int64_t stride = 1;
  for (size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) != 1 && array.stride(i) != stride)
      return false;
    stride *= static_cast<int64_t>(array.shape(i));
  }
  return true;
}

std::string dynbatch::python::mismatch(const Array &array,
                                       const rt::Type &type) {
  std::string expected = "expected " + describeArray(type);
  if (array.device_type() != nb::device::cpu::value)
    return expected + " in host memory, got one on a device (of DLPack kind " +
           std::to_string(array.device_type()) + ")";
  bool sameShape = array.ndim() == type.shape.size();
  for (size_t i = 0; sameShape && i < array.ndim(); ++i)
    sameShape = static_cast<int64_t>(array.shape(i)) == type.shape[i];
  if (!sameShape)
    return expected + ", got shape " + shapeText(array);
  std::optional<DType> dtype = elementType(array);
  bool isIndex = type.dtype == DType::Index && dtype == DType::I64;
  if (dtype != type.dtype && !isIndex)
    return expected + ", got dtype " + dtypeText(array);
  // Nobody reads the elements of an empty one.
  if (type.elements != 0 && !isContiguous(array))
    return expected +
           ", got one that is not contiguous: numpy.ascontiguousarray copies it";
  return "";
}

/// A copy that NumPy owns.
template <typename T>
static nb::object makeNumPy(const rt::Type &type, const T *data) {
  T *copy = new T[type.elements];
  std::memcpy(copy, data, type.elements * sizeof(T));
  nb::capsule owner(copy,
                    [](void *memory) noexcept {
                      delete[] static_cast<T *>(memory);
                    });
  nb::dlpack::dtype dtype = nb::dtype<T>();
  if (type.dtype == DType::F16)
    dtype = {static_cast<uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
  std::vector<size_t> shape(type.shape.begin(), type.shape.end());
  nb::ndarray<nb::numpy> array(copy, shape.size(), shape.data(), owner, nullptr,
                               dtype);
  return array.cast();
}

nb::object dynbatch::python::toNumPy(const rt::Type &type, const void *data) {
  switch (type.dtype) {
  case DType::I1:
    return makeNumPy(type, static_cast<const bool *>(data));
  case DType::I8:
    return makeNumPy(type, static_cast<const int8_t *>(data));
  case DType::I16:
    return makeNumPy(type, static_cast<const int16_t *>(data));
  case DType::I32:
    return makeNumPy(type, static_cast<const int32_t *>(data));
  case DType::I64:
  case DType::Index:
    return makeNumPy(type, static_cast<const int64_t *>(data));
  case DType::F16:
    return makeNumPy(type, static_cast<const uint16_t *>(data));
  case DType::BF16: {
    std::vector<uint32_t> wide(type.elements);
    const auto *narrow = static_cast<const uint16_t *>(data);
    for (int64_t i = 0; i < type.elements; ++i)
      wide[i] = uint32_t(narrow[i]) << 16;
    return makeNumPy(type, reinterpret_cast<const float *>(wide.data()));
  }
  case DType::F32:
    return makeNumPy(type, static_cast<const float *>(data));
  case DType::F64:
    return makeNumPy(type, static_cast<const double *>(data));
  }
  return nb::none();
}
