//===- TuningFile.cpp - Sizes of tiles that were measured -------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TuningFile.h"
#include "OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::dynbatch;

static constexpr int64_t kVersion = 1;

llvm::Expected<TuningFile> TuningFile::load(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return llvm::createFileError(path, buffer.getError());
  auto json = llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return llvm::createFileError(path, json.takeError());
  auto fail = [&](const Twine &message) {
    return llvm::createFileError(path, llvm::createStringError(message));
  };
  const llvm::json::Object *root = json->getAsObject();
  if (!root || root->getInteger("version") != kVersion)
    return fail("not a tuning file of version " + Twine(kVersion));
  const llvm::json::Array *entries = root->getArray("tiles");
  if (!entries)
    return fail("'tiles' is missing");
  TuningFile file;
  for (auto [i, value] : llvm::enumerate(*entries)) {
    const llvm::json::Object *entry = value.getAsObject();
    auto cpu = entry ? entry->getString("cpu") : std::nullopt;
    auto key = entry ? entry->getString("key") : std::nullopt;
    auto kernel = entry ? entry->getString("kernel") : std::nullopt;
    auto tasks = entry ? entry->getInteger("tasks") : std::nullopt;
    if (!cpu || !kernel || !tasks || *tasks < 1 || !key || key->empty() ||
        !llvm::all_of(*key, llvm::isHexDigit))
      return fail("entry " + Twine(i) +
                  " of 'tiles' needs 'cpu', 'key' (hexadecimal), 'kernel' and "
                  "'tasks' (at least 1)");
    file.set(*cpu, *key, {kernel->str(), *tasks});
  }
  return file;
}

llvm::Error TuningFile::save(StringRef path) const {
  llvm::json::Array entries;
  for (const auto &[place, tile] : tiles)
    entries.push_back(llvm::json::Object{{"cpu", place.first},
                                         {"key", place.second},
                                         {"kernel", tile.kernel},
                                         {"tasks", tile.tasks}});
  llvm::json::Value root =
      llvm::json::Object{{"version", kVersion}, {"tiles", std::move(entries)}};
  return writeFile(path, llvm::formatv("{0:2}\n", root).str());
}

void TuningFile::set(StringRef cpu, StringRef key, Tile tile) {
  tiles.insert_or_assign({cpu.str(), key.str()}, std::move(tile));
}

void TuningFile::erase(StringRef cpu, StringRef key) {
  tiles.erase({cpu.str(), key.str()});
}

std::string TuningFile::getPipelineOption(StringRef cpu) const {
  std::string option;
  for (const auto &[place, tile] : tiles)
    if (place.first == cpu)
      option += (option.empty() ? "measured=" : ",") + place.second + ":" +
                std::to_string(tile.tasks);
  return option;
}
