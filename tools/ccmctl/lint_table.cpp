#include "lint_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace ccm::ctl {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<std::string_view, AnnotationType>, 7> kAnnotationTypes{
    {{"string", AnnotationType::text},
     {"boolean", AnnotationType::boolean},
     {"integer", AnnotationType::integer},
     {"enum", AnnotationType::choice},
     {"port", AnnotationType::port},
     {"ports", AnnotationType::ports},
     {"list", AnnotationType::items}}};

AnnotationType type_named(const std::string& name) {
  for (const auto& [known, type] : kAnnotationTypes) {
    if (known == name) return type;
  }
  throw std::runtime_error("the type \"" + name + "\" is not known");
}

std::optional<int64_t> bound(const json& from, const char* name) {
  const auto place = from.find(name);
  if (place == from.end()) return std::nullopt;
  return place->get<int64_t>();
}

std::optional<OnlyWith> only_with(const json& from) {
  const auto place = from.find("onlyWith");
  if (place == from.end()) return std::nullopt;
  return OnlyWith{place->at("annotation").get<std::string>(),
                  place->at("values").get<std::vector<std::string>>(), place->value("default", ""),
                  place->value("environment", "")};
}

KnownAnnotation read_known(const json& from) {
  using Names = std::vector<std::string>;
  KnownAnnotation known;
  known.name = from.at("name").get<std::string>();
  known.type = type_named(from.value("type", "string"));
  known.allowed = from.value("enum", Names());
  known.item_prefixes = from.value("itemPrefixes", Names());
  known.minimum = bound(from, "minimum");
  known.maximum = bound(from, "maximum");
  known.needs = from.value("requires", std::map<std::string, Names>());
  known.excludes = from.value("excludes", Names());
  known.only_with = only_with(from);
  known.service_types = from.value("serviceTypes", Names{"LoadBalancer"});
  if (known.type == AnnotationType::choice && known.allowed.empty()) {
    throw std::runtime_error(known.name + " has no enum");
  }
  return known;
}

}  // namespace

const KnownAnnotation* AnnotationTable::find(std::string_view name) const {
  for (const KnownAnnotation& one : known) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

bool AnnotationTable::owns(std::string_view name) const {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](const std::string& prefix) { return name.starts_with(prefix); });
}

std::optional<AnnotationTable> read_annotation_table(const std::string& manifest) {
  AnnotationTable table;
  try {
    const json document = json::parse(manifest);
    table.provider = document.at("id").get<std::string>();
    const auto place = document.find("serviceAnnotations");
    if (place == document.end()) return std::nullopt;
    table.prefixes = place->at("prefixes").get<std::vector<std::string>>();
    for (const json& one : place->at("known")) table.known.push_back(read_known(one));
  } catch (const json::exception& error) {
    throw std::runtime_error("serviceAnnotations in the manifest of " + table.provider + ": " +
                             error.what());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("serviceAnnotations in the manifest of " + table.provider + ": " +
                             error.what());
  }
  return table;
}

}  // namespace ccm::ctl
