// Reading the JSON of OpenStack's answers. Any thread.
#pragma once

#include "answer.hpp"

#include <ccm/json.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::openstack {

// Limits of an answer that says why a request failed.
inline constexpr JsonLimits kErrorLimits{64u << 10, 64u << 10, 2'000, 16};

// The answer to a request that failed; null when it is no JSON, or larger than an error is.
inline nlohmann::json read_error_body(std::string_view text) {
  auto body = read_json(text, kErrorLimits);
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

// The ID that requests will name; throws json::exception without one: the URL of an empty ID is
// that of all objects.
inline std::string id_of(const nlohmann::json& object) {
  std::string id = object.at("id").get<std::string>();
  if (id.empty()) throw nlohmann::json::other_error::create(501, "an empty ID", nullptr);
  return id;
}

// The number of a member; `fallback` when it is absent or null. Throws json::exception for anything
// else, also for a fraction: to convert one that is too large is undefined.
inline int64_t integer_or(const nlohmann::json& object, const char* name, int64_t fallback) {
  const auto place = object.find(name);
  if (place == object.end() || place->is_null()) return fallback;
  if (place->is_number_integer()) return place->get<int64_t>();
  throw nlohmann::json::type_error::create(302, "no integer", nullptr);
}

// A member that is a list or an object; an empty one when it is absent.
inline const nlohmann::json& part_of(const nlohmann::json& object, const char* name) {
  static const nlohmann::json kNothing = nlohmann::json::array();
  const auto place = object.find(name);
  return place == object.end() ? kNothing : *place;
}

// The result of `read` for an answer, which keeps within the limits of read_json(). A
// json::exception that it throws, and what is no object, become bad_answer().
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

}  // namespace ccm::openstack
