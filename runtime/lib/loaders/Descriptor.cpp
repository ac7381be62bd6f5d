//===- Descriptor.cpp - What a compiled module says of itself ---*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dynbatch/Runtime/Descriptor.h"

#include "loaders/Json.h"

#include <unordered_map>

using namespace dynbatch::rt;
using nlohmann::json;

namespace {

struct DTypeInfo {
  const char *name;
  int64_t bytes;
};

/// In the order of DType.
constexpr DTypeInfo kDTypes[] = {
    {"i1", 1},    {"i8", 1},  {"i16", 2},  {"i32", 4}, {"i64", 8},
    {"index", 8}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};

constexpr int64_t kMostBytes = int64_t(1) << 62;
constexpr int64_t kMostOperands = 1 << 20;
/// Stage numbers have 12 bits in a stamp.
constexpr size_t kMostStages = 1 << 12;

} // namespace

int64_t dynbatch::rt::sizeInBytes(DType dtype) {
  return kDTypes[static_cast<int>(dtype)].bytes;
}

const char *dynbatch::rt::name(DType dtype) {
  return kDTypes[static_cast<int>(dtype)].name;
}

bool dynbatch::rt::isFloat(DType dtype) { return dtype >= DType::F16; }

std::optional<DType> dynbatch::rt::parseDType(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(DType::F64); ++i)
    if (name == kDTypes[i].name)
      return static_cast<DType>(i);
  return std::nullopt;
}

std::string Adt::noSuchConstructor(std::string_view constructor) const {
  std::string names;
  for (const Constructor &ctor : ctors)
    names += (names.empty() ? "" : ", ") + ctor.name;
  return "unknown constructor '" + std::string(constructor) + "' of ADT '" +
         name + "' (it has: " + names + ")";
}

std::string Type::str() const {
  switch (kind) {
  case Kind::Scalar:
    return name(dtype);
  case Kind::Tensor: {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + name(dtype) + ">";
  }
  case Kind::Adt:
    return "!dynbatch.adt<@" + adtName + ">";
  case Kind::Sequence:
    return "!dynbatch.seq<" + element->str() + ">";
  }
  return {};
}

namespace {

/// One pass over the document. Methods return false after an error.
class DescriptorParser {
public:
  explicit DescriptorParser(ModuleDescriptor &result) : result(result) {}

  bool parse(const json &root);
  std::string error;

private:
  bool fail(const std::string &where, const std::string &what) {
    error = "descriptor: " + where + ": " + what;
    return false;
  }

  /// The member `key` of an object; null after an error.
  const json *member(const json &object, const std::string &where,
                     const char *key) {
    if (!object.is_object()) {
      fail(where, "expected an object");
      return nullptr;
    }
    auto found = object.find(key);
    if (found == object.end()) {
      fail(where, std::string("missing '") + key + "'");
      return nullptr;
    }
    return &*found;
  }

  bool string(const json &object, const std::string &where, const char *key,
              std::string &value) {
    const json *found = member(object, where, key);
    if (!found)
      return false;
    if (!found->is_string())
      return fail(where + "." + key, "expected a string");
    value = found->get_ref<const std::string &>();
    return true;
  }

  bool boolean(const json &object, const std::string &where, const char *key,
               bool &value) {
    const json *found = member(object, where, key);
    if (!found)
      return false;
    if (!found->is_boolean())
      return fail(where + "." + key, "expected true or false");
    value = found->get<bool>();
    return true;
  }

  bool integer(const json &value, const std::string &where, int64_t most,
               int64_t &out) {
    if (!value.is_number_unsigned() ||
        value.get<uint64_t>() > static_cast<uint64_t>(most))
      return fail(where,
                  "expected an integer from 0 to " + std::to_string(most));
    out = static_cast<int64_t>(value.get<uint64_t>());
    return true;
  }

  bool integer(const json &object, const std::string &where, const char *key,
               int64_t most, int64_t &out) {
    const json *found = member(object, where, key);
    return found && integer(*found, where + "." + key, most, out);
  }

  /// Calls `each(element, where)` for the elements of array member `key`.
  template <typename Function>
  bool array(const json &object, const std::string &where, const char *key,
             Function each) {
    const json *found = member(object, where, key);
    if (!found)
      return false;
    std::string path = where.empty() ? key : where + "." + key;
    if (!found->is_array())
      return fail(path, "expected an array");
    for (size_t i = 0; i < found->size(); ++i)
      if (!each((*found)[i], path + "[" + std::to_string(i) + "]"))
        return false;
    return true;
  }

  bool type(const json &value, const std::string &where, Type &out);
  bool slots(const json &object, const std::string &where, const char *key,
             SlotList &out);
  bool adts(const json &root);
  bool params(const json &root);
  bool kernels(const json &root);
  bool stages(const json &root);
  /// The kernels listed in `value`, which have their turn as `turn` says.
  bool stageKernels(const json &value, const std::string &path, Turn turn,
                    std::vector<unsigned> &kernels);
  bool parts(const json &value, const std::string &path, Stage &stage);
  bool target(const json &root);
  bool device(const json &root);

  ModuleDescriptor &result;
  std::unordered_map<std::string, unsigned> adtIndex;
  std::vector<bool> placed; ///< kernels that are in a stage
};

bool DescriptorParser::type(const json &value, const std::string &where,
                            Type &out) {
  std::string kind;
  if (!string(value, where, "kind", kind))
    return false;

  if (kind == "adt") {
    out.kind = Type::Kind::Adt;
    if (!string(value, where, "name", out.adtName))
      return false;
    auto found = adtIndex.find(out.adtName);
    if (found == adtIndex.end())
      return fail(where, "unknown ADT '" + out.adtName + "'");
    out.adt = found->second;
    return true;
  }
  if (kind == "seq") {
    out.kind = Type::Kind::Sequence;
    const json *element = member(value, where, "element");
    auto parsed = std::make_shared<Type>();
    if (!element || !type(*element, where + ".element", *parsed))
      return false;
    out.element = std::move(parsed);
    return true;
  }
  if (kind != "scalar" && kind != "tensor")
    return fail(where, "unknown kind '" + kind + "'");

  std::string dtypeName;
  if (!string(value, where, "dtype", dtypeName))
    return false;
  std::optional<DType> dtype = parseDType(dtypeName);
  if (!dtype)
    return fail(where, "unknown dtype '" + dtypeName + "'");
  out.dtype = *dtype;
  if (kind == "scalar") {
    out.kind = Type::Kind::Scalar;
    return true;
  }

  out.kind = Type::Kind::Tensor;
  if (!array(value, where, "shape", [&](const json &size, std::string path) {
        out.shape.push_back(0);
        return integer(size, path, kMostBytes, out.shape.back());
      }))
    return false;
  // Without regard to zeros, so that no partial product overflows elsewhere.
  int64_t bytes = sizeInBytes(out.dtype);
  bool empty = false;
  for (int64_t size : out.shape) {
    empty |= size == 0;
    if (__builtin_mul_overflow(bytes, size ? size : 1, &bytes) ||
        bytes > kMostBytes)
      return fail(where, "the tensor is too large");
  }
  out.elements = empty ? 0 : bytes / sizeInBytes(out.dtype);
  return true;
}

bool DescriptorParser::slots(const json &object, const std::string &where,
                             const char *key, SlotList &out) {
  return array(object, where, key, [&](const json &value, std::string path) {
    Type parsed;
    if (!type(value, path, parsed))
      return false;
    out.offsets.push_back(out.bytes);
    out.bytes += parsed.slotBytes();
    out.types.push_back(std::move(parsed));
    return true;
  });
}

bool DescriptorParser::adts(const json &root) {
  // Names first: ADTs may refer to each other.
  if (!array(root, "", "adts", [&](const json &value, std::string path) {
        Adt adt;
        if (!string(value, path, "name", adt.name))
          return false;
        if (!adtIndex.emplace(adt.name, result.adts.size()).second)
          return fail(path, "a second ADT '" + adt.name + "'");
        result.adts.push_back(std::move(adt));
        return true;
      }))
    return false;
  size_t index = 0;
  return array(root, "", "adts", [&](const json &value, std::string path) {
    Adt &adt = result.adts[index++];
    return array(
        value, path, "ctors", [&](const json &value, std::string path) {
          Constructor ctor;
          if (!string(value, path, "name", ctor.name) ||
              !slots(value, path, "fields", ctor.fields))
            return false;
          for (const Constructor &other : adt.ctors)
            if (other.name == ctor.name)
              return fail(path, "a second constructor '" + ctor.name + "'");
          adt.ctors.push_back(std::move(ctor));
          return true;
        });
  });
}

bool DescriptorParser::params(const json &root) {
  std::unordered_map<std::string, size_t> names;
  return array(root, "", "params", [&](const json &value, std::string path) {
    Parameter param;
    const json *typeValue = member(value, path, "type");
    if (!typeValue || !string(value, path, "name", param.name) ||
        !type(*typeValue, path + ".type", param.type) ||
        !boolean(value, path, "derived", param.derived))
      return false;
    if (param.type.kind != Type::Kind::Tensor)
      return fail(path, "a parameter must be a tensor");
    if (!names.emplace(param.name, names.size()).second)
      return fail(path, "a second parameter '" + param.name + "'");
    result.params.push_back(std::move(param));
    return true;
  });
}

bool DescriptorParser::kernels(const json &root) {
  return array(root, "", "kernels", [&](const json &value, std::string path) {
    Kernel kernel;
    int64_t stage;
    if (!string(value, path, "name", kernel.name) ||
        !integer(value, path, "operands", kMostOperands, kernel.operands) ||
        !integer(value, path, "row_words", kMostOperands + 1,
                 kernel.rowWords) ||
        !integer(value, path, "result_bytes", kMostBytes, kernel.resultBytes) ||
        !integer(value, path, "scratch_bytes", kMostBytes,
                 kernel.scratchBytes) ||
        (value.contains("row_scratch_bytes") &&
         !integer(value, path, "row_scratch_bytes", kMostBytes,
                  kernel.rowScratchBytes)) ||
        !integer(value, path, "flops", kMostBytes, kernel.flops) ||
        !integer(value, path, "stage", kMostStages - 1, stage) ||
        !string(value, path, "location", kernel.location) ||
        (value.contains("tuning_key") &&
         !string(value, path, "tuning_key", kernel.tuningKey)))
      return false;
    if (value.contains("order_by")) {
      if (!integer(value, path, "order_by", kMostOperands,
                   kernel.orderBy.emplace()))
        return false;
      if (*kernel.orderBy >= kernel.operands)
        return fail(path, "'order_by' is not the number of an operand");
    }
    if (kernel.rowWords != kernel.operands + 1)
      return fail(path, "'row_words' must be 'operands' + 1");
    kernel.stage = static_cast<unsigned>(stage);
    result.kernels.push_back(std::move(kernel));
    return true;
  });
}

bool DescriptorParser::stageKernels(const json &value, const std::string &path,
                                    Turn turn, std::vector<unsigned> &kernels) {
  return array(value, path, "kernels",
               [&](const json &value, std::string path) {
                 int64_t index;
                 if (!integer(value, path, kMostOperands, index))
                   return false;
                 if (index >= int64_t(result.kernels.size()))
                   return fail(path, "there is no such kernel");
                 Kernel &kernel = result.kernels[index];
                 if (placed[index] || kernel.stage != result.stages.size())
                   return fail(path, "kernel '" + kernel.name +
                                         "' belongs to another stage");
                 placed[index] = true;
                 kernel.turn = turn;
                 kernels.push_back(static_cast<unsigned>(index));
                 return true;
               });
}

bool DescriptorParser::parts(const json &value, const std::string &path,
                             Stage &stage) {
  if (!value.contains("parts"))
    return true;
  if (!stage.cyclic)
    return fail(path, "only a cyclic stage has 'parts'");
  return array(value, path, "parts", [&](const json &value, std::string path) {
    Part part;
    if (!boolean(value, path, "steps", part.steps) ||
        !stageKernels(value, path, part.steps ? Turn::Steps : Turn::Once,
                      part.kernels))
      return false;
    stage.parts.push_back(std::move(part));
    return true;
  });
}

bool DescriptorParser::stages(const json &root) {
  placed.assign(result.kernels.size(), false);
  if (!array(root, "", "stages", [&](const json &value, std::string path) {
        Stage stage;
        if (!boolean(value, path, "cyclic", stage.cyclic) ||
            !stageKernels(value, path, Turn::First, stage.kernels) ||
            !parts(value, path, stage))
          return false;
        result.stages.push_back(std::move(stage));
        return true;
      }))
    return false;
  for (size_t k = 0; k < placed.size(); ++k)
    if (!placed[k])
      return fail("kernels[" + std::to_string(k) + "]",
                  "the kernel is in no stage");
  if (result.stages.size() > kMostStages)
    return fail("stages", "more than " + std::to_string(kMostStages));
  return true;
}

bool DescriptorParser::target(const json &root) {
  if (!root.contains("target"))
    return true;
  const json &value = root["target"];
  return string(value, "target", "cpu", result.cpu) &&
         array(value, "target", "features",
               [&](const json &feature, std::string path) {
                 if (!feature.is_string())
                   return fail(path, "expected a string");
                 result.features.push_back(feature.get<std::string>());
                 return true;
               });
}

bool DescriptorParser::device(const json &root) {
  if (!root.contains("device"))
    return true;
  std::string name;
  if (!string(root, "root", "device", name))
    return false;
  if (name != "cpu" && name != "cuda")
    return fail("root.device", "unknown device '" + name + "'");
  result.device = name == "cuda" ? DeviceKind::Cuda : DeviceKind::Cpu;
  return true;
}

bool DescriptorParser::parse(const json &root) {
  const json *entry = member(root, "root", "entry");
  if (entry && root.contains("parks") &&
      !boolean(root, "root", "parks", result.parks))
    return false;
  return entry && string(root, "root", "name", result.name) && adts(root) &&
         string(*entry, "entry", "name", result.entryName) &&
         slots(*entry, "entry", "inputs", result.inputs) &&
         slots(*entry, "entry", "results", result.results) && params(root) &&
         kernels(root) && stages(root) && target(root) && device(root);
}

} // namespace

Result<ModuleDescriptor> ModuleDescriptor::parse(std::string_view text) {
  Result<json> root = parseJson(text);
  if (!root.ok())
    return Status::error("descriptor: " + root.message());
  ModuleDescriptor result;
  DescriptorParser parser(result);
  if (!parser.parse(*root))
    return Status::error(parser.error);
  return result;
}
