// Reading the JSON of DigitalOcean's answers. Any thread.
#pragma once

#include "answer.hpp"

#include <ccm/json.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ccm::digitalocean {

// Limits of an answer that says why a request failed.
inline constexpr JsonLimits kErrorLimits{64u << 10, 64u << 10, 2'000, 16};

// The answer to a request that failed; null when it is not JSON, or larger than an error is.
inline nlohmann::json read_error_body(std::string_view text) {
  auto body = read_json(text, kErrorLimits);
  return body.ok() ? *std::move(body) : nlohmann::json();
}

// Reads what dump() wrote. Always from a view: each kind of source would add another parser to the
// plugin.
inline nlohmann::json read_own_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
}

// The text of a member; empty when it is absent or not a string.
inline std::string text_or_empty(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

// As text_or_empty(); throws json::exception when it is neither text nor null.
inline std::string text_of(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place == object.end() || place->is_null() ? std::string() : place->get<std::string>();
}

// A value as T; throws json::exception when it has another type. Non-integers and numbers too large
// for T are rejected: the library would convert them to something else.
template <typename T>
T value_as(const nlohmann::json& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const bool fits = value.is_number_unsigned()
                          ? std::in_range<T>(value.get<uint64_t>())
                          : value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
    return fits ? value.get<T>() : nlohmann::json().get<T>();
  } else {
    return value.get<T>();
  }
}

// The result of `read` for an answer, which keeps within the limits of read_json(). A
// json::exception that it throws, and an answer that is not an object, give bad_answer().
template <typename Read>
auto read_answer(std::string_view text, Read read,
                 const nlohmann::json::parser_callback_t& keep = nullptr)
    -> decltype(read(std::declval<const nlohmann::json&>())) {
  const Result<nlohmann::json> document = read_json(text, {}, keep);
  if (document.status().code() == Code::resource_exhausted) {
    return bad_answer(document.status().message());
  }
  if (!document.ok() || !document->is_object()) return bad_answer("is not a JSON object");
  try {
    return read(*document);
  } catch (const nlohmann::json::exception&) {
    return bad_answer("has a value of the wrong type");
  }
}

}  // namespace ccm::digitalocean
