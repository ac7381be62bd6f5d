//===- Results.cpp - Results as Python values -*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

namespace nb = nanobind;
using namespace dynbatch;
using namespace dynbatch::python;
using rt::DType;
using rt::Type;
using rt::ValueView;

static nb::object convertScalar(const ValueView &value) {
  DType dtype = value.type().dtype;
  if (rt::isFloat(dtype))
    return nb::float_(value.number());
  if (dtype == DType::I1)
    return nb::bool_(value.integer() != 0);
  return nb::int_(value.integer());
}

namespace {
/// A value of an ADT or a sequence whose parts are being converted.
struct Frame {
  ValueView value;
  int64_t size;
  std::vector<nb::object> parts;

  ValueView part(int64_t index) const {
    return value.type().kind == Type::Kind::Adt ? value.field(index)
                                                : value.element(index);
  }
};
} // namespace

static nb::object makeTuple(nb::handle first, std::vector<nb::object> &parts) {
  size_t offset = first.is_valid() ? 1 : 0;
  nb::object tuple = nb::steal(PyTuple_New(parts.size() + offset));
  if (offset)
    PyTuple_SET_ITEM(tuple.ptr(), 0, nb::borrow(first).release().ptr());
  for (size_t i = 0; i < parts.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), i + offset, parts[i].release().ptr());
  return tuple;
}

static nb::object finish(Frame &frame, const Constructors &constructors) {
  if (frame.value.type().kind == Type::Kind::Sequence) {
    nb::list list;
    for (nb::object &part : frame.parts)
      list.append(std::move(part));
    return list;
  }
  unsigned adt = frame.value.type().adt, tag = frame.value.tag();
  nb::handle factory = constructors.factory(adt, tag);
  if (!factory.is_valid())
    return makeTuple(constructors.name(adt, tag), frame.parts);
  nb::object fields = makeTuple(nb::handle(), frame.parts);
  PyObject *object = PyObject_CallObject(factory.ptr(), fields.ptr());
  if (!object)
    throw nb::python_error();
  return nb::steal(object);
}

/// Without recursion: values may be nested to any depth.
static nb::object convert(const ValueView &value,
                          const Constructors &constructors) {
  std::vector<Frame> frames;
  nb::object done;
  // Leaves are done at once, others get a frame.
  auto begin = [&](const ValueView &value) {
    switch (value.type().kind) {
    case Type::Kind::Scalar:
      done = convertScalar(value);
      return;
    case Type::Kind::Tensor:
      done = toNumPy(value.type(), value.tensorData());
      return;
    case Type::Kind::Adt:
      frames.push_back({value, static_cast<int64_t>(value.numFields()), {}});
      return;
    case Type::Kind::Sequence:
      frames.push_back({value, value.length(), {}});
      return;
    }
  };
  begin(value);
  while (!frames.empty()) {
    Frame &top = frames.back();
    if (done.is_valid())
      top.parts.push_back(std::move(done));
    done = nb::object();
    int64_t next = static_cast<int64_t>(top.parts.size());
    if (next < top.size) {
      ValueView part = top.part(next);
      begin(part);
      continue;
    }
    done = finish(top, constructors);
    frames.pop_back();
  }
  return done;
}

nb::object dynbatch::python::convertResult(const rt::ResultView &result,
                                           const Constructors &constructors) {
  if (result.size() == 1)
    return convert(result.value(0), constructors);
  std::vector<nb::object> parts;
  for (size_t i = 0; i < result.size(); ++i)
    parts.push_back(convert(result.value(i), constructors));
  return makeTuple(nb::handle(), parts);
}
