// Reading the JSON of DigitalOcean's answers. Any thread.
#pragma once

#include "answer.hpp"

#include <ccm/json_answer.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ccm::digitalocean {

// Reads what dump() wrote. Always from a view: each kind of source would add another parser to the
// plugin.
inline nlohmann::json read_own_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, false);
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

// The result of `read` for an answer; bad_answer() for one that cannot be read, see
// read_json_answer().
template <typename Read>
auto read_answer(std::string_view text, Read read,
                 const nlohmann::json::parser_callback_t& keep = nullptr) {
  return read_json_answer(text, std::move(read), bad_answer, keep);
}

}  // namespace ccm::digitalocean
