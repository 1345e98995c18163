// Reading the JSON of DigitalOcean's answers. Any thread.
#pragma once

#include "answer.hpp"

#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace ccm::digitalocean {

// The text of a member; empty when it is absent or no text.
inline std::string text_or_empty(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

// What `read` makes of a parsed answer. A json::exception that it throws, and what is no object,
// become bad_answer().
template <typename T>
Result<T> read_answer(const nlohmann::json& document, Result<T> (*read)(const nlohmann::json&)) {
  if (!document.is_object()) return bad_answer("is not a JSON object");
  try {
    return read(document);
  } catch (const nlohmann::json::exception&) {
    return bad_answer("has a value of the wrong type");
  }
}

}  // namespace ccm::digitalocean
