#include "annotations.hpp"

#include <ccm/trim.hpp>

#include <algorithm>
#include <charconv>

namespace ccm::aws {
namespace {

std::optional<bool> parse_go_boolean(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<int64_t> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string shown_value(std::string_view value) {
  constexpr std::size_t kLongest = 64;
  std::string shown(value.substr(0, kLongest));
  return value.size() > kLongest ? shown + "..." : shown;
}

std::optional<std::string> Annotations::text(std::string_view name) const {
  const auto found = service_.at("/metadata/annotations" + pointer_segment(name)).text();
  if (!found) return std::nullopt;
  return std::string(trim(*found));
}

std::string Annotations::text_or_empty(std::string_view name) const {
  return text(name).value_or(std::string());
}

std::vector<std::string> Annotations::list(std::string_view name) const {
  std::vector<std::string> items;
  const std::string whole = text_or_empty(name);
  std::string_view rest = whole;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    if (!trim(item).empty()) items.emplace_back(trim(item));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
  }
  return items;
}

KeyValues Annotations::pairs(std::string_view name) const {
  KeyValues pairs;
  for (const std::string& item : list(name)) {
    const std::size_t equals = item.find('=');
    const std::string_view all = item;
    const std::string_view key = trim(all.substr(0, equals));
    if (key.empty()) continue;
    const bool alone = equals == std::string::npos;
    pairs.emplace_back(key, alone ? std::string_view() : trim(all.substr(equals + 1)));
  }
  return pairs;
}

bool Annotations::boolean(std::string_view name, bool fallback) {
  const auto given = text(name);
  if (!given || given->empty()) return fallback;
  const auto value = parse_go_boolean(*given);
  if (!value) refuse(name, "it is neither true nor false");
  return value.value_or(fallback);
}

int64_t Annotations::integer(std::string_view name, int64_t fallback, int64_t least, int64_t most) {
  const auto given = text(name);
  if (!given || given->empty()) return fallback;
  const auto value = parse_decimal(*given);
  if (value && *value >= least && *value <= most) return *value;
  refuse(name, "it is no number from " + std::to_string(least) + " to " + std::to_string(most));
  return fallback;
}

void Annotations::refuse(std::string_view name, std::string_view why) {
  if (failure_.ok()) failure_ = refusal(name, why);
}

Status Annotations::refusal(std::string_view name, std::string_view why) const {
  std::string text = "error parsing service annotation: ";
  text.append(name).append("=").append(shown_value(text_or_empty(name))).append(": ").append(why);
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(text));
}

std::vector<std::string> Annotations::unknown() const {
  std::vector<std::string> names;
  service_.at("/metadata/annotations").each([&](std::string_view key, const Value&) {
    if (!key.starts_with(kAnnotationPrefix)) return;
    if (std::find(annotation::kAll.begin(), annotation::kAll.end(), key) ==
        annotation::kAll.end()) {
      names.emplace_back(key);
    }
  });
  return names;
}

}  // namespace ccm::aws
