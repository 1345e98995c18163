#include "annotations.hpp"

#include <ccm/hexadecimal.hpp>
#include <ccm/trim.hpp>

#include <charconv>
#include <utility>

namespace ccm::digitalocean {
namespace {

template <typename Take>
void split(std::string_view text, Take take) {
  for (;;) {
    const size_t comma = text.find(',');
    take(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

bool of_digitalocean(std::string_view name) {
  return name.starts_with(annotation::kPrefix) ||
         name.starts_with("kubernetes.digitalocean.com/") ||
         name.starts_with("service.kubernetes.io/do-loadbalancer-");
}

}  // namespace

Status config_error(std::string message) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec, std::move(message))
      .with_reason(kConfigError);
}

void refuse(std::string message) { throw SpecError{config_error(std::move(message))}; }

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      append_hexadecimal(out, byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

Annotations read_annotations(const Object& service) {
  std::map<std::string, std::string, std::less<>> values;
  service.at("/metadata/annotations").each([&](std::string_view key, const Value& value) {
    values.emplace(key, value.text().value_or(std::string_view()));
  });
  return Annotations(std::move(values));
}

bool has_source_ranges(const Object& service) {
  bool any = false;
  service.at("/spec/loadBalancerSourceRanges").each([&](std::string_view, const Value&) {
    any = true;
  });
  return any;
}

int64_t atoi(std::string_view text, const std::string& what) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, value);
  if (fault == std::errc() && stop == end) return value;
  const bool range = fault == std::errc::result_out_of_range && stop == end;
  throw SpecError{config_error(what + "strconv.Atoi: parsing " + go_quoted(text) +
                               (range ? ": value out of range" : ": invalid syntax"))};
}

std::optional<std::string_view> Annotations::find(std::string_view name) const {
  const auto place = values_.find(name);
  if (place == values_.end()) return std::nullopt;
  return place->second;
}

std::string_view Annotations::text(std::string_view name) const {
  return find(name).value_or(std::string_view());
}

bool Annotations::boolean(std::string_view name, std::string_view setting) const {
  const auto value = find(name);
  if (!value) return false;
  for (const char* text : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (*value == text) return true;
  }
  for (const char* text : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (*value == text) return false;
  }
  throw SpecError{config_error(
      "failed to get " + std::string(setting) + " configuration setting: cannot convert value " +
      go_quoted(*value) + " for annotation " + go_quoted(name) +
      " to bool: strconv.ParseBool: parsing " + go_quoted(*value) + ": invalid syntax")};
}

int64_t Annotations::integer(std::string_view name, int64_t fallback,
                             const std::string& what) const {
  const auto value = find(name);
  return value ? atoi(*value, what) : fallback;
}

std::vector<int64_t> Annotations::ports(std::string_view name) const {
  std::vector<int64_t> found;
  const auto value = find(name);
  if (value) split(*value, [&](std::string_view item) { found.push_back(atoi(item, "")); });
  return found;
}

std::vector<std::string> Annotations::items(std::string_view name) const {
  std::vector<std::string> found;
  split(text(name), [&](std::string_view item) {
    if (!trim(item).empty()) found.emplace_back(trim(item));
  });
  return found;
}

SpellingHelp::Report Annotations::unknown(SpellingHelp& spelling) const {
  SpellingHelp::Report report;
  for (const auto& [name, value] : values_) {
    if (of_digitalocean(name) && !spelling.knows(name)) spelling.add(name, report);
  }
  return report;
}

}  // namespace ccm::digitalocean
