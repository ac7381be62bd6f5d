//===- Status.h - Errors without exceptions ---------------------*- C++ -*-===//
//
// Part of the dynbatch project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYNBATCH_RUNTIME_STATUS_H
#define DYNBATCH_RUNTIME_STATUS_H

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace dynbatch::rt {

/// Success, or an error with a message for the user. Messages about text
/// input begin with `file:line:column: error: `.
class [[nodiscard]] Status {
public:
  static Status success() { return Status(); }
  static Status error(std::string message) {
    Status status;
    status.text = std::make_unique<std::string>(std::move(message));
    return status;
  }

  bool ok() const { return !text; }

  /// The message; empty on success.
  const std::string &message() const {
    static const std::string empty;
    return text ? *text : empty;
  }

private:
  std::unique_ptr<std::string> text;
};

/// A value of type `T`, or the error that kept it from being made.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Status error) : failure(std::move(error)) {
    assert(!failure.ok() && "a Result without a value needs an error");
  }

  bool ok() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

  /// Moves the value out; only after `ok()`.
  T take() { return std::move(*value); }
  /// Moves the error out, to hand it on as a Status or another Result.
  Status takeError() { return std::move(failure); }
  const std::string &message() const { return failure.message(); }

private:
  std::optional<T> value;
  Status failure;
};

} // namespace dynbatch::rt

#endif // DYNBATCH_RUNTIME_STATUS_H
