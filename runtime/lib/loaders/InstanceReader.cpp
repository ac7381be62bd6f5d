//===- InstanceReader.cpp - Instances from text -----------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/Arena.h"
#include "dynbatch/Runtime/ABI.h"
#include "dynbatch/Runtime/Instances.h"
#include "loaders/MappedFile.h"
#include "loaders/SmallFloat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

using namespace dynbatch::rt;

/// Instance files are often small: no huge page for a first chunk.
static constexpr size_t kFirstChunk = 64 * 1024;

struct InstanceSet::Storage {
  std::string name;
  size_t argumentWords = 0; ///< of one instance
  std::vector<uint64_t> arguments;
  std::vector<int64_t> lines;

  char *cellCursor = nullptr, *cellEnd = nullptr;
  char *tensorCursor = nullptr, *tensorEnd = nullptr;
  Arena cells{cellCursor, cellEnd, 0, false, kFirstChunk};
  Arena tensors{tensorCursor, tensorEnd, 0, false, kFirstChunk};
};

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

/// The range of a signless integer, read as signed (i1: 0 and 1).
void integerRange(DType dtype, int64_t &least, int64_t &most) {
  if (dtype == DType::I1) {
    least = 0;
    most = 1;
    return;
  }
  most =
      static_cast<int64_t>(~uint64_t(0) >> (64 - 8 * sizeInBytes(dtype) + 1));
  least = -most - 1;
}

/// Reads values with a stack of its own, so that their depth does not matter.
class Reader {
public:
  Reader(const ModuleDescriptor &descriptor, std::string_view text,
         std::string_view name, Arena &cells, Arena &tensors)
      : descriptor(descriptor), cursor(text.data()),
        end(text.data() + text.size()), lineStart(cursor), name(name),
        cells(cells), tensors(tensors) {}

  /// Moves to the next line with an instance; false at the end of the text.
  bool nextInstance();
  /// Reads that line; the argument slots are in words() then.
  bool readInstance();

  int64_t line() const { return lineNumber; }
  const std::vector<uint64_t> &words() const { return values; }
  Status takeError() { return Status::error(std::move(error)); }

private:
  /// A value, or the whole instance, that is not complete yet.
  struct Frame {
    enum class Kind { Instance, Constructor, Sequence } kind;
    const SlotList *fields;  ///< instance, constructor
    const Type *element;     ///< sequence
    const Constructor *ctor; ///< constructor
    unsigned tag;            ///< constructor
    int64_t count;           ///< values read
    size_t base;             ///< its first word in `values`
    const char *begin;       ///< its first character
  };

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
  bool missingField(const Frame &frame);
  bool extraField(const Frame &frame);
  bool close(Frame::Kind kind);

  const ModuleDescriptor &descriptor;
  const char *cursor;
  const char *end;
  const char *lineStart;
  int64_t lineNumber = 1;
  std::string name;
  Arena &cells;
  Arena &tensors;
  std::vector<Frame> frames;
  std::vector<uint64_t> values; ///< words of the values not yet in a cell
  std::vector<int64_t> counts;  ///< of readTensor
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
  values.clear();
  frames.clear();
  // A program without inputs has instances too.
  if (descriptor.inputs.types.empty() && end - cursor >= 2 &&
      cursor[0] == '(' && cursor[1] == ')')
    cursor += 2;
  frames.push_back({Frame::Kind::Instance, &descriptor.inputs, nullptr, nullptr,
                    0, 0, 0, cursor});
  while (true) {
    skipBlanks();
    Frame &top = frames.back();
    if (top.kind == Frame::Kind::Sequence) {
      if (cursor != end && *cursor == ']') {
        ++cursor;
        if (!close(Frame::Kind::Sequence))
          return false;
        continue;
      }
      if (endOfLine())
        return fail(cursor, "expected ']' to close the '[' at column " +
                                std::to_string(top.begin - lineStart + 1) +
                                ", found the end of the line");
      ++top.count;
      if (!readValue(*top.element))
        return false;
      continue;
    }
    if (top.count < static_cast<int64_t>(top.fields->types.size())) {
      if (endOfLine() || *cursor == ')')
        return missingField(top);
      const Type &type = top.fields->types[top.count++];
      if (!readValue(type))
        return false;
      continue;
    }
    if (top.kind == Frame::Kind::Instance)
      return endOfLine() ||
             fail(cursor, "unexpected " + found() + " after the instance");
    if (endOfLine() || *cursor != ')')
      return extraField(top);
    ++cursor;
    if (!close(Frame::Kind::Constructor))
      return false;
  }
}

bool Reader::missingField(const Frame &frame) {
  std::string fields = std::to_string(frame.fields->types.size());
  std::string count = std::to_string(frame.count);
  if (frame.kind == Frame::Kind::Constructor)
    return fail(cursor, "constructor '" + frame.ctor->name + "' has " + fields +
                            " fields, found " + found() + " after " + count);
  return fail(cursor, "the entry has " + fields + " inputs, found " + found() +
                          " after " + count);
}

bool Reader::extraField(const Frame &frame) {
  return fail(cursor, "constructor '" + frame.ctor->name + "' has " +
                          std::to_string(frame.fields->types.size()) +
                          " fields: expected ')', found " + found());
}

/// Moves the words of the top frame into a cell; its address becomes a value of
/// the frame below.
bool Reader::close(Frame::Kind kind) {
  const Frame &top = frames.back();
  size_t count = values.size() - top.base;
  size_t bytes = (8 * (count + 1) + 15) & ~size_t(15);
  char *cell = cells.allocate(bytes);
  if (!cell)
    return fail(cursor, "out of memory for the instances");
  uint64_t header = kind == Frame::Kind::Sequence
                        ? static_cast<uint64_t>(top.count)
                        : top.tag;
  std::memcpy(cell, &header, sizeof(header));
  if (count)
    std::memcpy(cell + sizeof(header), values.data() + top.base, 8 * count);
  values.resize(top.base);
  values.push_back(reinterpret_cast<uintptr_t>(cell));
  frames.pop_back();
  return true;
}

bool Reader::readValue(const Type &type) {
  switch (type.kind) {
  case Type::Kind::Scalar: {
    uint64_t bits;
    if (!readScalar(type.dtype, bits))
      return false;
    values.push_back(bits);
    return true;
  }
  case Type::Kind::Tensor:
    return readTensor(type);
  case Type::Kind::Adt:
    return readAdt(type);
  case Type::Kind::Sequence:
    if (*cursor != '[')
      return fail(cursor, "expected '[' to begin a sequence, found " + found());
    frames.push_back({Frame::Kind::Sequence, nullptr, type.element.get(),
                      nullptr, 0, 0, values.size(), cursor});
    ++cursor;
    return true;
  }
  return false;
}

bool Reader::readAdt(const Type &type) {
  const Adt &adt = descriptor.adts[type.adt];
  const char *begin = cursor;
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
    frames.push_back({Frame::Kind::Constructor, &ctor.fields, nullptr, &ctor,
                      tag, 0, values.size(), begin});
    return open || close(Frame::Kind::Constructor);
  }
  std::string names;
  for (const Constructor &ctor : adt.ctors)
    names += (names.empty() ? "" : ", ") + ctor.name;
  return fail(nameBegin, "unknown constructor '" + std::string(ctorName) +
                             "' of ADT '" + adt.name + "' (it has: " + names +
                             ")");
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
    return fail(begin, std::string(text) + " is out of range for " +
                           dynbatch::rt::name(dtype) + " (" +
                           std::to_string(least) + " to " +
                           std::to_string(most) + ")");
  bits = static_cast<uint64_t>(value);
  int64_t bytes = sizeInBytes(dtype);
  if (bytes < 8)
    bits &= (uint64_t(1) << (8 * bytes)) - 1;
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
  switch (dtype) {
  case DType::F32: {
    float value;
    if (!parse(value))
      return false;
    infinite = std::isinf(value);
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    bits = word;
    break;
  }
  case DType::F64: {
    double value;
    if (!parse(value))
      return false;
    infinite = std::isinf(value);
    std::memcpy(&bits, &value, sizeof(bits));
    break;
  }
  default: {
    double value;
    if (!parse(value))
      return false;
    uint16_t word = dtype == DType::F16 ? toF16(value) : toBF16(value);
    infinite = std::isinf(dtype == DType::F16 ? fromF16(word) : fromBF16(word));
    bits = word;
    break;
  }
  }
  // Infinity only where the text says so.
  if (infinite && text.find_first_of("iI") == std::string_view::npos)
    return fail(begin, std::string(text) + " is out of range for " +
                           dynbatch::rt::name(dtype));
  return true;
}

bool Reader::readTensor(const Type &type) {
  constexpr size_t kUnit = DYNBATCH_TENSOR_ALIGNMENT;
  const char *begin = cursor;
  // An element has at least one character: a wrong file must not ask for all
  // the memory. Small tensors get the more precise messages below.
  if (type.elements > 4096 && type.elements > end - cursor)
    return fail(begin, "expected a " + type.str() + ", found " + found());
  size_t bytes = std::max<size_t>(type.dataBytes(), 1);
  char *data = tensors.allocate((bytes + kUnit - 1) & ~(kUnit - 1));
  if (!data)
    return fail(begin, "out of memory for the instances");
  values.push_back(reinterpret_cast<uintptr_t>(data));
  values.push_back(0); // the stamp: ready

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
  auto storage = std::make_unique<Storage>();
  storage->name = name;
  storage->argumentWords = descriptor.inputs.bytes / sizeof(uint64_t);
  Reader reader(descriptor, text, name, storage->cells, storage->tensors);
  while (reader.nextInstance()) {
    if (!reader.readInstance())
      return reader.takeError();
    storage->lines.push_back(reader.line());
    storage->arguments.insert(storage->arguments.end(), reader.words().begin(),
                              reader.words().end());
  }
  return InstanceSet(std::move(storage));
}
