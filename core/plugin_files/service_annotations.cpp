#include "plugin_files/service_annotations.hpp"

#include "plugin_files/manifest_reader.hpp"

#include <ccm/utf8.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::plugin_files {
namespace {

using nlohmann::json;
using Presence = ManifestReader::Presence;

constexpr std::array<std::pair<std::string_view, AnnotationType>, 7> kAnnotationTypes{
    {{"string", AnnotationType::text},
     {"boolean", AnnotationType::boolean},
     {"integer", AnnotationType::integer},
     {"enum", AnnotationType::choice},
     {"port", AnnotationType::port},
     {"ports", AnnotationType::ports},
     {"list", AnnotationType::items}}};

bool is_one_of(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string in_a_row(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + (item.empty() ? "\"\"" : item);
  }
  return text;
}

void read_annotation_type(ManifestReader& reader, KnownAnnotation& known) {
  const std::string name = reader.string("type");
  known.allowed = reader.strings("enum");
  const auto* type = std::find_if(
      kAnnotationTypes.begin(), kAnnotationTypes.end(),
      [&](const auto& each) { return each.first == (name.empty() ? "string" : name); });
  if (type == kAnnotationTypes.end()) {
    return reader.fault("type", "\"" + name +
                                    "\" is none of string, boolean, integer, enum, port, "
                                    "ports, list");
  }
  known.type = type->second;
  if (known.type == AnnotationType::choice && known.allowed.empty()) {
    reader.fault("enum", "is missing");
  }
}

std::optional<int64_t> read_number(ManifestReader& reader, const char* name) {
  const json* value = reader.any(name);
  if (value == nullptr) return std::nullopt;
  return reader.integer(name, 0, INT64_MIN, INT64_MAX);
}

void read_needs(const json& value, const std::string& path, KnownAnnotation& known,
                ManifestReport& findings) {
  ManifestReader reader(value, path, findings);
  if (!value.is_object()) return;
  for (const auto& [given, names] : value.items()) {
    known.needs[given] = reader.strings(given.c_str());
  }
}

OnlyWith read_only_with(const json& value, const std::string& path, ManifestReport& findings) {
  ManifestReader reader(value, path, findings);
  OnlyWith only;
  only.annotation = reader.string("annotation", Presence::required);
  only.values = reader.strings("values", Presence::required);
  const bool given = reader.any("default") != nullptr;
  std::string fallback = reader.string("default");
  if (given) only.fallback = std::move(fallback);
  only.environment = reader.string("environment");
  reader.finish();
  return only;
}

KnownAnnotation read_known(const json& value, const std::string& path, ManifestReport& findings) {
  ManifestReader reader(value, path, findings);
  KnownAnnotation known;
  known.name = reader.string("name", Presence::required);
  read_annotation_type(reader, known);
  known.item_prefixes = reader.strings("itemPrefixes");
  known.minimum = read_number(reader, "minimum");
  known.maximum = read_number(reader, "maximum");
  if (const json* needs = reader.any("requires"); needs != nullptr) {
    read_needs(*needs, reader.path_of("requires"), known, findings);
  }
  known.excludes = reader.strings("excludes");
  known.overridden_by = reader.strings("overriddenBy");
  const json* only = reader.any("onlyWith");
  if (only != nullptr && only->is_object()) {
    known.only_with.push_back(read_only_with(*only, reader.path_of("onlyWith"), findings));
  } else if (only != nullptr) {
    reader.each("onlyWith", Presence::optional, [&](const json& each, const std::string& place) {
      known.only_with.push_back(read_only_with(each, place, findings));
    });
  }
  known.service_types = reader.strings("serviceTypes");
  if (known.service_types.empty()) known.service_types = {"LoadBalancer"};
  for (const char* for_people : {"values", "default", "description"}) reader.string(for_people);
  reader.finish();
  return known;
}

// Users write it: short, and no half of a character.
std::string quoted_value(std::string text) {
  constexpr std::size_t kLongest = 64;
  if (text.size() > kLongest) text = std::string(utf8_front(text, kLongest)) + "...";
  return "\"" + text + "\"";
}

// Empty = it is read.
std::string why_not_read(const OnlyWith& only, const AnnotationValue& others,
                         const EnvironmentValue& environment) {
  if (const std::string* other = others(only.annotation); other != nullptr) {
    if (is_one_of(only.values, *other)) return {};
    return "has no effect where " + only.annotation + " is " + quoted_value(*other) +
           ", only with " + in_a_row(only.values);
  }
  const std::string given =
      only.environment.empty() ? std::string() : environment(only.environment);
  if (given.empty() && !only.fallback) return {};
  const std::string& fallback = given.empty() ? *only.fallback : given;
  if (is_one_of(only.values, fallback)) return {};
  std::string text = "has no effect without " + only.annotation + ": " + in_a_row(only.values) +
                     ", since the default is " + fallback;
  if (!only.environment.empty()) text += " (" + only.environment + " says another one)";
  return text;
}

}  // namespace

const KnownAnnotation* AnnotationTable::find(std::string_view name) const {
  const auto place = std::ranges::find_if(
      known, [name](const KnownAnnotation& annotation) { return annotation.name == name; });
  return place == known.end() ? nullptr : &*place;
}

bool AnnotationTable::owns(std::string_view name) const {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](const std::string& prefix) { return name.starts_with(prefix); });
}

std::vector<std::string> why_without_effect(const KnownAnnotation& known, const std::string& value,
                                            const AnnotationValue& others,
                                            const EnvironmentValue& environment) {
  std::vector<std::string> texts;
  for (const auto& [given, names] : known.needs) {
    if (given != "*" && given != value) continue;
    for (const std::string& name : names) {
      if (others(name) == nullptr) {
        texts.push_back("has no effect: it needs the annotation " + name);
      }
    }
  }
  for (const std::string& name : known.overridden_by) {
    if (others(name) != nullptr) {
      texts.push_back("has no effect beside the annotation " + name);
    }
  }
  for (const OnlyWith& only : known.only_with) {
    if (std::string why = why_not_read(only, others, environment); !why.empty()) {
      texts.push_back(std::move(why));
    }
  }
  return texts;
}

AnnotationTableReport parse_service_annotations(std::string_view manifest) {
  AnnotationTableReport report;
  const json document = json::parse(manifest, nullptr, false);
  const auto place = document.is_object() ? document.find("serviceAnnotations") : document.end();
  if (place == document.end()) return report;
  ManifestReport findings;
  AnnotationTable table = read_service_annotations(*place, findings);
  report.faults = std::move(findings.faults);
  if (report.faults.empty()) report.table = std::move(table);
  return report;
}

AnnotationTable read_service_annotations(const json& value, ManifestReport& findings) {
  ManifestReader reader(value, "serviceAnnotations", findings);
  AnnotationTable table;
  table.prefixes = reader.strings("prefixes", Presence::required);
  reader.each("known", Presence::required, [&](const json& each, const std::string& path) {
    table.known.push_back(read_known(each, path, findings));
  });
  reader.finish();
  return table;
}

}  // namespace ccm::plugin_files
