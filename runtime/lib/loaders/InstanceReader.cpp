//===- InstanceReader.cpp - Instances from text -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/InstanceBuilder.h"
#include "loaders/InstanceStorage.h"
#include "loaders/MappedFile.h"
#include "loaders/Scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

using namespace dynbatch::rt;

namespace {

/// Ends a number or a name.
bool isDelimiter(char c) {
  switch (c) {
  case ' ':
  case '\t':
  case '\r':
  case '\n':
  case '(':
  case ')':
  case '[':
  case ']':
    return true;
  default:
    return false;
  }
}

/// Reads values without recursion, so that their depth does not matter.
class Reader {
public:
  Reader(const ModuleDescriptor &descriptor, std::string_view text,
         std::string_view name)
      : descriptor(descriptor), cursor(text.data()),
        end(text.data() + text.size()), lineStart(cursor), name(name),
        builder(descriptor, std::string(name)) {}

  /// Moves to the next line with an instance; false at the end of the text.
  bool nextInstance();
  /// Reads that line.
  bool readInstance();

  InstanceSet finish() { return builder.finish(); }
  Status takeError() { return Status::error(std::move(error)); }

private:
  using Scope = InstanceBuilder::Scope;

  bool fail(const char *where, const std::string &what);
  bool endOfLine() const { return cursor == end || *cursor == '\n'; }
  void skipBlanks() {
    while (cursor != end &&
           (*cursor == ' ' || *cursor == '\t' || *cursor == '\r'))
      ++cursor;
  }
  /// What stands at the cursor, for messages.
  std::string found() const;
  std::string_view token();

  bool readValue(const Type &type);
  bool readScalar(DType dtype, uint64_t &bits);
  bool readInteger(DType dtype, const char *begin, std::string_view text,
                   uint64_t &bits);
  bool readFloat(DType dtype, const char *begin, std::string_view text,
                 uint64_t &bits);
  bool readTensor(const Type &type);
  bool readAdt(const Type &type);
  bool missingField();
  bool extraField();
  /// Whether a step of the builder went well.
  bool did(const Status &status) {
    return status.ok() || fail(cursor, status.message());
  }

  const ModuleDescriptor &descriptor;
  const char *cursor;
  const char *end;
  const char *lineStart;
  int64_t lineNumber = 1;
  std::string name;
  InstanceBuilder builder;
  std::vector<const char *> begins; ///< of the open sequences
  std::vector<int64_t> counts;      ///< of readTensor
  std::string error;
};

bool Reader::fail(const char *where, const std::string &what) {
  error = name + ":" + std::to_string(lineNumber) + ":" +
          std::to_string(where - lineStart + 1) + ": error: " + what;
  return false;
}

std::string_view Reader::token() {
  const char *begin = cursor;
  while (cursor != end && !isDelimiter(*cursor))
    ++cursor;
  return {begin, static_cast<size_t>(cursor - begin)};
}

std::string Reader::found() const {
  if (endOfLine())
    return "the end of the line";
  const char *last = cursor + 1;
  if (!isDelimiter(*cursor))
    while (last != end && last - cursor < 40 && !isDelimiter(*last))
      ++last;
  return "'" + std::string(cursor, last) + "'";
}

bool Reader::nextInstance() {
  while (cursor != end) {
    skipBlanks();
    if (cursor == end)
      return false;
    if (*cursor != '\n' && *cursor != '#')
      return true;
    while (!endOfLine())
      ++cursor;
    if (cursor != end) {
      ++cursor;
      ++lineNumber;
      lineStart = cursor;
    }
  }
  return false;
}

bool Reader::readInstance() {
  // A program without inputs has instances too.
  if (descriptor.inputs.types.empty() && end - cursor >= 2 &&
      cursor[0] == '(' && cursor[1] == ')')
    cursor += 2;
  while (true) {
    skipBlanks();
    const Scope &scope = builder.scope();
    const Type *next = builder.next();
    if (scope.kind == Scope::Kind::Sequence) {
      if (cursor != end && *cursor == ']') {
        ++cursor;
        begins.pop_back();
        if (!did(builder.end()))
          return false;
        continue;
      }
      if (endOfLine())
        return fail(cursor, "expected ']' to close the '[' at column " +
                                std::to_string(begins.back() - lineStart + 1) +
                                ", found the end of the line");
    }
    if (next) {
      if (scope.kind != Scope::Kind::Sequence &&
          (endOfLine() || *cursor == ')'))
        return missingField();
      if (!readValue(*next))
        return false;
      continue;
    }
    if (scope.kind == Scope::Kind::Instance) {
      if (!endOfLine())
        return fail(cursor, "unexpected " + found() + " after the instance");
      return did(builder.endInstance(lineNumber));
    }
    if (endOfLine() || *cursor != ')')
      return extraField();
    ++cursor;
    if (!did(builder.end()))
      return false;
  }
}

bool Reader::missingField() {
  const Scope &scope = builder.scope();
  std::string fields = std::to_string(scope.fields->types.size());
  std::string count = std::to_string(scope.count);
  if (scope.kind == Scope::Kind::Constructor)
    return fail(cursor, "constructor '" + scope.ctor->name + "' has " + fields +
                            " fields, found " + found() + " after " + count);
  return fail(cursor, "the entry has " + fields + " inputs, found " + found() +
                          " after " + count);
}

bool Reader::extraField() {
  const Scope &scope = builder.scope();
  return fail(cursor, "constructor '" + scope.ctor->name + "' has " +
                          std::to_string(scope.fields->types.size()) +
                          " fields: expected ')', found " + found());
}

bool Reader::readValue(const Type &type) {
  switch (type.kind) {
  case Type::Kind::Scalar: {
    uint64_t bits;
    if (!readScalar(type.dtype, bits))
      return false;
    return did(builder.addScalar(bits));
  }
  case Type::Kind::Tensor:
    return readTensor(type);
  case Type::Kind::Adt:
    return readAdt(type);
  case Type::Kind::Sequence:
    if (*cursor != '[')
      return fail(cursor, "expected '[' to begin a sequence, found " + found());
    begins.push_back(cursor);
    ++cursor;
    return did(builder.beginSequence());
  }
  return false;
}

bool Reader::readAdt(const Type &type) {
  const Adt &adt = descriptor.adts[type.adt];
  bool open = *cursor == '(';
  if (open) {
    ++cursor;
    skipBlanks();
  }
  const char *nameBegin = cursor;
  std::string_view ctorName = token();
  if (ctorName.empty())
    return fail(nameBegin, "expected a constructor of ADT '" + adt.name +
                               "', found " + found());
  for (unsigned tag = 0; tag < adt.ctors.size(); ++tag) {
    const Constructor &ctor = adt.ctors[tag];
    if (ctor.name != ctorName)
      continue;
    if (!open && !ctor.fields.types.empty())
      return fail(nameBegin, "constructor '" + ctor.name + "' has " +
                                 std::to_string(ctor.fields.types.size()) +
                                 " fields: write (" + ctor.name + " ...)");
    return did(builder.beginConstructor(tag)) && (open || did(builder.end()));
  }
  return fail(nameBegin, adt.noSuchConstructor(ctorName));
}

bool Reader::readScalar(DType dtype, uint64_t &bits) {
  const char *begin = cursor;
  std::string_view text = token();
  if (text.empty())
    return fail(begin, std::string("expected a number of type ") +
                           dynbatch::rt::name(dtype) + ", found " + found());
  return isFloat(dtype) ? readFloat(dtype, begin, text, bits)
                        : readInteger(dtype, begin, text, bits);
}

bool Reader::readInteger(DType dtype, const char *begin, std::string_view text,
                         uint64_t &bits) {
  int64_t least, most;
  integerRange(dtype, least, most);
  int64_t value = 0;
  std::from_chars_result parsed =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::invalid_argument ||
      parsed.ptr != text.data() + text.size())
    return fail(begin, std::string("expected a number of type ") +
                           dynbatch::rt::name(dtype) + ", found '" +
                           std::string(text) + "'");
  if (parsed.ec != std::errc() || value < least || value > most)
    return fail(begin, outOfIntegerRange(dtype, std::string(text)));
  bits = integerBits(dtype, value);
  return true;
}

bool Reader::readFloat(DType dtype, const char *begin, std::string_view text,
                       uint64_t &bits) {
  const char *last = text.data() + text.size();
  // A text that is too small for the type is a zero, one too large an error.
  auto parse = [&](auto &value) {
    std::from_chars_result parsed = std::from_chars(text.data(), last, value);
    if (parsed.ec == std::errc::invalid_argument || parsed.ptr != last)
      return fail(begin, std::string("expected a number of type ") +
                             dynbatch::rt::name(dtype) + ", found '" +
                             std::string(text) + "'");
    if (parsed.ec == std::errc::result_out_of_range) {
      // The library does not say which: ask its older cousin.
      double wide = std::strtod(std::string(text).c_str(), nullptr);
      value = std::fabs(wide) < 1 ? std::copysign(0.0, wide) : INFINITY;
    }
    return true;
  };
  bool infinite = false;
  // A text is rounded once: f32 not by way of f64.
  if (dtype == DType::F32) {
    float value;
    if (!parse(value))
      return false;
    bits = floatBits(dtype, value, infinite);
  } else {
    double value;
    if (!parse(value))
      return false;
    bits = floatBits(dtype, value, infinite);
  }
  // Infinity only where the text says so.
  if (infinite && text.find_first_of("iI") == std::string_view::npos)
    return fail(begin, std::string(text) + " is out of range for " +
                           dynbatch::rt::name(dtype));
  return true;
}

bool Reader::readTensor(const Type &type) {
  const char *begin = cursor;
  // An element has at least one character: a wrong file must not ask for all
  // the memory. Small tensors get the more precise messages below.
  if (type.elements > 4096 && type.elements > end - cursor)
    return fail(begin, "expected a " + type.str() + ", found " + found());
  Result<char *> storage = builder.addTensor();
  if (!storage.ok())
    return fail(begin, storage.message());
  char *data = *storage;

  size_t elementBytes = sizeInBytes(type.dtype);
  size_t rank = type.shape.size();
  auto readElement = [&] {
    uint64_t bits;
    if (!readScalar(type.dtype, bits))
      return false;
    std::memcpy(data, &bits, elementBytes);
    data += elementBytes;
    return true;
  };
  if (rank == 0)
    return readElement();

  auto open = [&] {
    if (!endOfLine() && *cursor == '[') {
      ++cursor;
      return true;
    }
    return fail(cursor, "wrong tensor shape: expected '[' of a " + type.str() +
                            ", found " + found());
  };
  counts.assign(rank, 0);
  size_t level = 0;
  if (!open())
    return false;
  while (true) {
    skipBlanks();
    bool closing = !endOfLine() && *cursor == ']';
    if (closing != (counts[level] == type.shape[level]))
      return fail(cursor, "wrong tensor shape: dimension " +
                              std::to_string(level) + " of a " + type.str() +
                              " has " + std::to_string(type.shape[level]) +
                              " elements, found " + found() + " after " +
                              std::to_string(counts[level]));
    if (closing) {
      ++cursor;
      if (level == 0)
        return true;
      ++counts[--level];
    } else if (level + 1 < rank) {
      if (!open())
        return false;
      counts[++level] = 0;
    } else {
      if (!endOfLine() && *cursor == '[')
        return fail(cursor, "wrong tensor shape: expected an element of a " +
                                type.str() + ", found '['");
      if (!readElement())
        return false;
      ++counts[level];
    }
  }
}

} // namespace

InstanceSet::InstanceSet(std::unique_ptr<Storage> storage)
    : storage(std::move(storage)) {}
InstanceSet::InstanceSet(InstanceSet &&) = default;
InstanceSet &InstanceSet::operator=(InstanceSet &&) = default;
InstanceSet::~InstanceSet() = default;

size_t InstanceSet::size() const { return storage->lines.size(); }

const char *InstanceSet::arguments(size_t index) const {
  return reinterpret_cast<const char *>(storage->arguments.data() +
                                        index * storage->argumentWords);
}

int64_t InstanceSet::line(size_t index) const { return storage->lines[index]; }

const std::string &InstanceSet::name() const { return storage->name; }

Result<InstanceSet> InstanceSet::fromFile(const ModuleDescriptor &descriptor,
                                          const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.takeError();
  return fromText(descriptor, file->text(), path);
}

Result<InstanceSet> InstanceSet::fromText(const ModuleDescriptor &descriptor,
                                          std::string_view text,
                                          std::string_view name) {
  Reader reader(descriptor, text, name);
  while (reader.nextInstance())
    if (!reader.readInstance())
      return reader.takeError();
  return reader.finish();
}
