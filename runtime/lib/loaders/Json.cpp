//===- Json.cpp - JSON from strangers ---------------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "loaders/Json.h"

#include <string>
#include <unordered_set>
#include <vector>

using namespace dynbatch::rt;
using nlohmann::json;

static constexpr size_t kDeepest = 64;

namespace {

/// Builds the document, and stops at what the library would let through.
class StrictBuilder : public nlohmann::detail::json_sax_dom_parser<json> {
  using Base = nlohmann::detail::json_sax_dom_parser<json>;

public:
  explicit StrictBuilder(json &root)
      : Base(root, /*allow_exceptions_=*/false) {}

  bool start_object(std::size_t size) {
    keys.emplace_back();
    return enter() && Base::start_object(size);
  }
  bool end_object() {
    keys.pop_back();
    --depth;
    return Base::end_object();
  }
  bool start_array(std::size_t size) {
    return enter() && Base::start_array(size);
  }
  bool end_array() {
    --depth;
    return Base::end_array();
  }
  bool key(std::string &name) {
    if (!keys.back().insert(name).second) {
      message = "duplicate key '" + name + "'";
      return false;
    }
    return Base::key(name);
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string &,
                   const Exception &) {
    message = "malformed JSON at byte " + std::to_string(position);
    return false;
  }

  std::string message;

private:
  bool enter() {
    if (++depth <= kDeepest)
      return true;
    message = "JSON nested too deeply";
    return false;
  }

  size_t depth = 0;
  std::vector<std::unordered_set<std::string>> keys;
};

} // namespace

Result<json> dynbatch::rt::parseJson(std::string_view text) {
  json root;
  StrictBuilder builder(root);
  if (!json::sax_parse(text.begin(), text.end(), &builder))
    return Status::error(builder.message.empty() ? "malformed JSON"
                                                 : builder.message);
  return root;
}
