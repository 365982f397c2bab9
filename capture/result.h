// capture/result.h: a value, or a sentence with the reason why there is none. Reading half only.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace perseid {

/// Names the thing, the cause and the remedy, ready to be printed after "perseid: ".
struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const noexcept { return std::holds_alternative<T>(content_); }
  T& operator*() & { return std::get<T>(content_); }
  const T& operator*() const& { return std::get<T>(content_); }
  T&& operator*() && { return std::get<T>(std::move(content_)); }
  T* operator->() { return &std::get<T>(content_); }
  const T* operator->() const { return &std::get<T>(content_); }
  const std::string& error() const { return std::get<Error>(content_).message; }

 private:
  std::variant<T, Error> content_;
};

}  // namespace perseid
