#include "plugin_files/manifest_reader.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin_files {
namespace {

using nlohmann::json;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Letters and digits in groups, with one of `separators` between two groups.
bool is_grouped(std::string_view text, std::string_view separators) {
  bool separated = true;
  for (const char c : text) {
    const bool separator = separators.find(c) != std::string_view::npos;
    if (separator ? separated : !is_lower_or_digit(c)) return false;
    separated = separator;
  }
  return !separated;
}

}  // namespace

bool is_name(std::string_view text) { return text.size() <= 63 && is_grouped(text, "-"); }
// A field manager of Kubernetes has at most 128 characters.
bool is_plugin_id(std::string_view text) { return text.size() <= 128 && is_grouped(text, "-."); }

ManifestReader::ManifestReader(const json& value, std::string path, ManifestReport& findings)
    : object_(value.is_object() ? &value : nullptr), path_(std::move(path)), findings_(findings) {
  if (object_ == nullptr) {
    findings_.faults.push_back((path_.empty() ? "the manifest" : path_) +
                               ": must be a JSON object, not " + value.type_name());
  }
}

void ManifestReader::finish() {
  if (object_ == nullptr) return;
  for (const auto& [name, value] : object_->items()) {
    if (known_.find(name) == known_.end()) {
      findings_.warnings.push_back(path_of(name.c_str()) + ": unknown field, ignored");
    }
  }
}

const json* ManifestReader::member(const char* name, Presence presence) {
  known_.emplace(name);
  if (object_ == nullptr) return nullptr;
  const auto found = object_->find(name);
  if (found != object_->end()) return &*found;
  if (presence == Presence::required) fault(name, "is missing");
  return nullptr;
}

std::string ManifestReader::string(const char* name, Presence presence) {
  const json* value = member(name, presence);
  if (value == nullptr) return {};
  if (!value->is_string()) {
    fault(name, std::string("must be a string, not ") + value->type_name());
    return {};
  }
  auto text = value->get<std::string>();
  if (text.empty() && presence == Presence::required) fault(name, "must not be empty");
  return text;
}

bool ManifestReader::boolean(const char* name, bool fallback) {
  const json* value = member(name, Presence::optional);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  fault(name, std::string("must be true or false, not ") + value->type_name());
  return fallback;
}

int64_t ManifestReader::integer(const char* name, int64_t fallback, int64_t least, int64_t most) {
  const json* value = member(name, Presence::optional);
  if (value == nullptr) return fallback;
  const bool huge = value->is_number_unsigned() && value->get<uint64_t>() > uint64_t{INT64_MAX};
  if (value->is_number_integer() && !huge) {
    const auto number = value->get<int64_t>();
    if (number >= least && number <= most) return number;
  }
  fault(name, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return fallback;
}

void ManifestReader::each(const char* name, Presence presence,
                          const std::function<void(const json&, const std::string&)>& visit) {
  const json* value = member(name, presence);
  if (value == nullptr) return;
  if (!value->is_array()) {
    fault(name, std::string("must be an array, not ") + value->type_name());
    return;
  }
  if (value->empty() && presence == Presence::required) fault(name, "must not be empty");
  for (size_t i = 0; i < value->size(); ++i) {
    visit((*value)[i], path_of(name) + "[" + std::to_string(i) + "]");
  }
}

std::vector<std::string> ManifestReader::strings(const char* name, Presence presence) {
  std::vector<std::string> texts;
  each(name, presence, [&](const json& element, const std::string& path) {
    if (!element.is_string()) {
      findings_.faults.push_back(path + ": must be a string, not " + element.type_name());
      return;
    }
    auto text = element.get<std::string>();
    if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
      findings_.faults.push_back(path + ": \"" + text + "\" occurs twice");
      return;
    }
    texts.push_back(std::move(text));
  });
  return texts;
}

}  // namespace ccm::plugin_files
