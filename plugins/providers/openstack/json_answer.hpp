// Reading the JSON of OpenStack's answers. Any thread.
#pragma once

#include "answer.hpp"

#include <ccm/json_answer.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::openstack {

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

// The result of `read` for an answer; bad_answer() for one that cannot be read, see
// read_json_answer().
template <typename Read>
auto read_answer(std::string_view text, Read read,
                 const nlohmann::json::parser_callback_t& keep = nullptr) {
  return read_json_answer(text, std::move(read), bad_answer, keep);
}

}  // namespace ccm::openstack
