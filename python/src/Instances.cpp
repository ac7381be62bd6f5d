//===- Instances.cpp - Instances from Python values -*- C++ -*-===//
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

Constructors::Constructors(const rt::ModuleDescriptor &descriptor,
                           nb::object classes) {
  for (const rt::Adt &adt : descriptor.adts) {
    names.emplace_back();
    factories.emplace_back();
    for (const rt::Constructor &ctor : adt.ctors) {
      PyObject *name = PyUnicode_InternFromString(ctor.name.c_str());
      names.back().push_back(nb::steal(name));
      nb::object factory;
      if (!classes.is_none() && PyMapping_HasKey(classes.ptr(), name))
        factory = classes[nb::handle(name)];
      factories.back().push_back(std::move(factory));
    }
  }
}

int Constructors::findTag(unsigned adt, nb::handle name) const {
  const std::vector<nb::object> &known = names[adt];
  for (size_t tag = 0; tag < known.size(); ++tag)
    if (known[tag].is(name))
      return static_cast<int>(tag);
  for (size_t tag = 0; tag < known.size(); ++tag)
    if (PyUnicode_Compare(known[tag].ptr(), name.ptr()) == 0)
      return static_cast<int>(tag);
  return -1;
}

namespace {

/// A class whose objects stand for values of ADTs: dataclasses, named tuples
/// and others that name their fields for pattern matching.
struct FieldNames {
  nb::object constructor; ///< the class's name
  nb::object names;       ///< a tuple of str; null for other classes
};

class Converter {
public:
  Converter(const rt::ModuleDescriptor &descriptor,
            const Constructors &constructors)
      : descriptor(descriptor), constructors(constructors),
        builder(descriptor) {}

  Instances convert(nb::handle values);

private:
  /// A Python object whose parts are being converted.
  struct Frame {
    nb::object object;
    nb::object items;        ///< list or tuple; null: attributes
    const FieldNames *names; ///< of the attributes
    Py_ssize_t next;
    Py_ssize_t size;
    bool closes; ///< there is a constructor or sequence to end
  };

  void convertInstance(nb::object value);
  void add(nb::object value);
  void addScalar(nb::handle value, DType dtype);
  void addTensor(nb::handle value, const Type &type);
  void addAdt(nb::object value, const Type &type);
  void addSequence(nb::object value);
  void push(Frame frame) {
    frames.push_back(std::move(frame));
    checkCycle();
  }
  void checkFields(const rt::Constructor &ctor, Py_ssize_t size);
  const FieldNames &fieldNames(PyTypeObject *type);
  void checkCycle();

  std::string path() const;
  [[noreturn]] void wrongType(const std::string &expected, nb::handle value);
  [[noreturn]] void wrongValue(const std::string &what);
  void check(const rt::Status &status) {
    if (!status.ok())
      wrongValue(status.message());
  }

  const rt::ModuleDescriptor &descriptor;
  const Constructors &constructors;
  rt::InstanceBuilder builder;
  std::vector<Array> arrays;
  std::vector<Frame> frames;
  std::unordered_map<PyTypeObject *, FieldNames> classes;
  Py_ssize_t instance = 0;
};

std::string Converter::path() const {
  std::string text = "instances[" + std::to_string(instance) + "]";
  for (const Frame &frame : frames) {
    if (frame.next == 0)
      continue;
    if (frame.items.is_valid())
      text += "[" + std::to_string(frame.next - 1) + "]";
    else
      text += "." + nb::cast<std::string>(frame.names->names[frame.next - 1]);
  }
  return text;
}

void Converter::wrongType(const std::string &expected, nb::handle value) {
  std::string message = path() + ": expected " + expected + ", got " +
                        nb::cast<std::string>(nb::inst_name(value));
  throw nb::type_error(message.c_str());
}

void Converter::wrongValue(const std::string &what) {
  throw nb::value_error((path() + ": " + what).c_str());
}

/// Data that holds itself would go on for ever. At each doubling of the depth,
/// so that it costs little.
void Converter::checkCycle() {
  size_t depth = frames.size();
  if (depth < 4096 || (depth & (depth - 1)) != 0)
    return;
  std::unordered_map<PyObject *, size_t> seen;
  for (const Frame &frame : frames)
    if (++seen[frame.object.ptr()] > 1)
      throw nb::value_error(("instances[" + std::to_string(instance) +
                             "]: the value holds itself")
                                .c_str());
}

void Converter::checkFields(const rt::Constructor &ctor, Py_ssize_t size) {
  Py_ssize_t fields = static_cast<Py_ssize_t>(ctor.fields.types.size());
  if (size != fields)
    wrongValue("constructor '" + ctor.name + "' has " +
               std::to_string(fields) + " fields, got " + std::to_string(size));
}

const FieldNames &Converter::fieldNames(PyTypeObject *type) {
  auto [entry, isNew] = classes.try_emplace(type);
  FieldNames &result = entry->second;
  if (!isNew)
    return result;
  nb::handle cls(reinterpret_cast<PyObject *>(type));
  nb::object names = nb::getattr(cls, "__match_args__", nb::none());
  if (!nb::isinstance<nb::tuple>(names))
    return result;
  result.names = names;
  nb::object className = cls.attr("__name__");
  PyObject *name = className.release().ptr();
  PyUnicode_InternInPlace(&name);
  result.constructor = nb::steal(name);
  return result;
}

void Converter::addScalar(nb::handle value, DType dtype) {
  PyObject *object = value.ptr();
  if (rt::isFloat(dtype)) {
    bool isNumber = PyFloat_Check(object) ||
                    (Py_TYPE(object)->tp_as_number &&
                     (Py_TYPE(object)->tp_as_number->nb_float ||
                      Py_TYPE(object)->tp_as_number->nb_index));
    if (!isNumber)
      wrongType("float", value);
    double number = PyFloat_AsDouble(object);
    if (number == -1 && PyErr_Occurred())
      throw nb::python_error();
    return check(builder.addFloat(number));
  }
  if (!PyIndex_Check(object) || (PyBool_Check(object) && dtype != DType::I1))
    wrongType(dtype == DType::I1 ? "bool" : "int", value);
  int overflow = 0;
  nb::object index = nb::steal(PyNumber_Index(object));
  if (!index.is_valid())
    throw nb::python_error();
  int64_t number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow)
    wrongValue(nb::cast<std::string>(nb::str(index)) +
               " is out of range for " + rt::name(dtype));
  check(builder.addInteger(number));
}

void Converter::addTensor(nb::handle value, const Type &type) {
  std::optional<Array> array = toArray(value);
  if (!array)
    wrongType(describeArray(type), value);
  std::string wrong = mismatch(*array, type);
  if (!wrong.empty())
    wrongValue(wrong);
  check(builder.addTensor(array->data()));
  arrays.push_back(std::move(*array));
}

void Converter::addAdt(nb::object value, const Type &type) {
  const rt::Adt &adt = descriptor.adts[type.adt];
  PyObject *object = value.ptr();
  auto begin = [&](nb::handle name) {
    int tag = constructors.findTag(type.adt, name);
    if (tag < 0)
      wrongValue(adt.noSuchConstructor(nb::cast<std::string>(name)));
    check(builder.beginConstructor(static_cast<unsigned>(tag)));
    return builder.scope().ctor;
  };

  // ("Node", left, right), or "Nil" for one without fields.
  bool isTuple = PyTuple_CheckExact(object);
  if (isTuple && PyTuple_GET_SIZE(object) > 0 &&
      PyUnicode_Check(PyTuple_GET_ITEM(object, 0))) {
    Py_ssize_t size = PyTuple_GET_SIZE(object);
    checkFields(*begin(PyTuple_GET_ITEM(object, 0)), size - 1);
    return push({value, value, nullptr, 1, size, true});
  }
  if (PyUnicode_Check(object)) {
    checkFields(*begin(value), 0);
    return check(builder.end());
  }
  const FieldNames &names = fieldNames(Py_TYPE(object));
  if (isTuple || !names.names.is_valid())
    wrongType("a constructor of ADT '" + adt.name + "'", value);
  Py_ssize_t size = PyTuple_GET_SIZE(names.names.ptr());
  checkFields(*begin(names.constructor), size);
  push({value, nb::object(), &names, 0, size, true});
}

void Converter::addSequence(nb::object value) {
  PyObject *object = value.ptr();
  bool isList = PyList_Check(object) || PyTuple_Check(object);
  if (!isList && (!PySequence_Check(object) || PyUnicode_Check(object) ||
                  PyBytes_Check(object)))
    wrongType("list", value);
  nb::object items =
      isList ? value : nb::steal<nb::object>(PySequence_List(object));
  if (!items.is_valid())
    throw nb::python_error();
  check(builder.beginSequence());
  push({value, items, nullptr, 0, PySequence_Fast_GET_SIZE(items.ptr()), true});
}

void Converter::add(nb::object value) {
  const Type &type = *builder.next();
  switch (type.kind) {
  case Type::Kind::Scalar:
    return addScalar(value, type.dtype);
  case Type::Kind::Tensor:
    return addTensor(value, type);
  case Type::Kind::Adt:
    return addAdt(std::move(value), type);
  case Type::Kind::Sequence:
    return addSequence(std::move(value));
  }
}

void Converter::convertInstance(nb::object value) {
  frames.clear();
  Py_ssize_t inputs = static_cast<Py_ssize_t>(descriptor.inputs.types.size());
  if (inputs == 1) {
    add(std::move(value));
  } else {
    if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr()))
      wrongType("a tuple of the entry's " + std::to_string(inputs) + " inputs",
                value);
    Py_ssize_t size = PySequence_Fast_GET_SIZE(value.ptr());
    if (size != inputs)
      wrongValue("the entry has " + std::to_string(inputs) + " inputs, got " +
                 std::to_string(size));
    push({value, value, nullptr, 0, size, false});
  }
  while (!frames.empty()) {
    Frame &top = frames.back();
    if (top.next == top.size) {
      bool closes = top.closes;
      frames.pop_back();
      if (closes)
        check(builder.end());
      continue;
    }
    Py_ssize_t index = top.next++;
    nb::object part;
    if (top.items.is_valid()) {
      // Code of the fields' owners may have changed a list meanwhile.
      if (index >= PySequence_Fast_GET_SIZE(top.items.ptr()))
        wrongValue("the list has changed");
      part = nb::borrow(PySequence_Fast_GET_ITEM(top.items.ptr(), index));
    } else {
      part = nb::steal(PyObject_GetAttr(
          top.object.ptr(), PyTuple_GET_ITEM(top.names->names.ptr(), index)));
      if (!part.is_valid())
        throw nb::python_error();
    }
    add(std::move(part));
  }
  check(builder.endInstance());
}

Instances Converter::convert(nb::handle values) {
  PyObject *list = values.ptr();
  if (!PyList_Check(list) && !PyTuple_Check(list))
    throw nb::type_error(
        ("expected a list of instances, got " +
         nb::cast<std::string>(nb::inst_name(values)))
            .c_str());
  for (instance = 0; instance < PySequence_Fast_GET_SIZE(list); ++instance) {
    convertInstance(nb::borrow(PySequence_Fast_GET_ITEM(list, instance)));
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
  }
  return {builder.finish(), std::move(arrays)};
}

} // namespace

Instances
dynbatch::python::convertInstances(const rt::ModuleDescriptor &descriptor,
                                   const Constructors &constructors,
                                   nb::handle values) {
  return Converter(descriptor, constructors).convert(values);
}
