#include "matcher.hpp"

#include <regex>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;

std::string shorten(const json& value) {
  constexpr std::size_t kLength = 300;
  std::string text = value.dump();
  if (text.size() > kLength) text = text.substr(0, kLength) + "...";
  return text;
}

std::string differs(const std::string& at, const json& expected, const json& actual) {
  return (at.empty() ? "/" : at) + ": expected " + shorten(expected) + ", is " + shorten(actual);
}

bool is_condition(const json& expected) {
  return expected.is_object() && !expected.empty() && expected.begin().key().starts_with("$");
}

const json& remembered(const Memory& memory, const json& name) {
  const auto found = memory.find(name.get<std::string>());
  if (found == memory.end()) {
    throw std::runtime_error("nothing is remembered as \"" + name.get<std::string>() + "\"");
  }
  return found->second;
}

bool holds(const std::string& condition, const json& operand, const json& actual,
           const Memory& memory) {
  if (condition == "$matches") {
    return actual.is_string() && std::regex_search(actual.get_ref<const std::string&>(),
                                                   std::regex(operand.get<std::string>()));
  }
  if (condition == "$sameAs") return actual == remembered(memory, operand);
  if (condition == "$differsFrom") return actual != remembered(memory, operand);
  if (condition == "$present") return true;  // a missing member was noticed before
  if (condition == "$size") return actual.is_array() && actual.size() == operand;
  if (condition == "$atLeast") return actual.is_number() && actual >= operand;
  if (condition == "$atMost") return actual.is_number() && actual <= operand;
  throw std::runtime_error("unknown condition \"" + condition + "\"");
}

std::string compare(const json& expected, const json& actual, const std::string& at,
                    const Memory& memory);

std::string compare_members(const json& expected, const json& actual, const std::string& at,
                            const Memory& memory) {
  if (!actual.is_object()) return differs(at, expected, actual);
  for (const auto& [key, value] : expected.items()) {
    const std::string below = at + "/" + key;
    const bool wants_absence = is_condition(value) && value.contains("$absent");
    if (wants_absence) {
      if (actual.contains(key)) return below + ": expected nothing, is " + shorten(actual.at(key));
      continue;
    }
    if (!actual.contains(key)) return below + ": expected " + shorten(value) + ", is missing";
    if (const auto problem = compare(value, actual.at(key), below, memory); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

std::string compare_elements(const json& expected, const json& actual, const std::string& at,
                             const Memory& memory) {
  if (!actual.is_array() || actual.size() != expected.size()) return differs(at, expected, actual);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string below = at + "/" + std::to_string(i);
    if (const auto problem = compare(expected[i], actual[i], below, memory); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

std::string compare(const json& expected, const json& actual, const std::string& at,
                    const Memory& memory) {
  if (is_condition(expected)) {
    for (const auto& [condition, operand] : expected.items()) {
      if (!holds(condition, operand, actual, memory)) return differs(at, expected, actual);
    }
    return {};
  }
  if (expected.is_object()) return compare_members(expected, actual, at, memory);
  if (expected.is_array()) return compare_elements(expected, actual, at, memory);
  return expected == actual ? std::string() : differs(at, expected, actual);
}

}  // namespace

std::string mismatch(const json& expected, const json& actual, const Memory& memory) {
  return compare(expected, actual, "", memory);
}

}  // namespace ccm::e2e
