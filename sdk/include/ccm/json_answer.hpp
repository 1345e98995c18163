// Reading a cloud's answers with nlohmann's library, which whoever includes this brings: parts that
// may be absent, and a value of a wrong type as a Status. [any-thread]
#pragma once

#include <ccm/json.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace ccm {

// Limits of an answer that says why a request failed.
inline constexpr JsonLimits kErrorBodyLimits{64u << 10, 64u << 10, 2'000, 16};

// The answer to a request that failed; null when it is no JSON, or larger than an error is.
inline nlohmann::json read_error_body(std::string_view text) {
  auto body = read_json(text, kErrorBodyLimits);
  return body.ok() ? *std::move(body) : nlohmann::json();
}

// The text of a member; empty when `object` has none of that name, or one that is no text.
inline std::string text_or_empty(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

// As text_or_empty(); throws json::exception when it is there and neither text nor null.
inline std::string text_of(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place == object.end() || place->is_null() ? std::string() : place->get<std::string>();
}

// The result of `read` for an answer, which keeps within the limits of read_json(). A
// json::exception that it throws, and what is no object, become `bad_answer(what)`: "is not a JSON
// object". `keep`: as for read_json().
template <typename Read, typename BadAnswer>
auto read_json_answer(std::string_view text, Read read, BadAnswer bad_answer,
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

}  // namespace ccm
