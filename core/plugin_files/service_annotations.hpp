// The annotations of Services that a provider knows, from its manifest
// (docs/reference/plugin-manifest.md, "serviceAnnotations"). Any thread; plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin_files {

enum class AnnotationType { text, boolean, integer, choice, port, ports, items };

// An annotation that is read only where another one has one of these values.
struct OnlyWith {
  std::string annotation;
  std::vector<std::string> values;
  std::optional<std::string> fallback;  // the other one's value when absent; nothing = it depends
  std::string environment;  // the provider's variable that gives another fallback; "" = none
};

struct KnownAnnotation {
  std::string name;
  AnnotationType type = AnnotationType::text;
  std::vector<std::string> allowed;        // for a choice
  std::vector<std::string> item_prefixes;  // with which an item of `items` may begin; empty = any
  std::optional<int64_t> minimum;          // for an integer
  std::optional<int64_t> maximum;
  // By value ("*": any), the annotations that are required too.
  std::map<std::string, std::vector<std::string>> needs;
  std::vector<std::string> excludes;       // forbidden together with it
  std::vector<std::string> overridden_by;  // beside one of them it is not read
  std::vector<OnlyWith> only_with;
  std::vector<std::string>
      service_types;  // the types that read it; {"LoadBalancer"} when not given
};

struct AnnotationTable {
  std::vector<std::string> prefixes;  // begin the names that are this provider's
  std::vector<KnownAnnotation> known;

  [[nodiscard]] const KnownAnnotation* find(std::string_view name) const;
  [[nodiscard]] bool owns(std::string_view name) const;
};

// The table of a manifest's text; nothing when it has none. Failures, one line each: "x: must be a
// string".
struct AnnotationTableReport {
  std::optional<AnnotationTable> table;
  std::vector<std::string> faults;
};
AnnotationTableReport parse_service_annotations(std::string_view manifest);

// The value of an annotation of a Service; NULL when it is not there.
using AnnotationValue = std::function<const std::string*(std::string_view name)>;
// The value of a variable of the provider, which replaces a fallback; empty = none.
using EnvironmentValue = std::function<std::string(const std::string& name)>;

// Why an annotation with that value has no effect beside the others, one text each: "has no effect:
// it needs the annotation X".
std::vector<std::string> why_without_effect(const KnownAnnotation& known, const std::string& value,
                                            const AnnotationValue& others,
                                            const EnvironmentValue& environment);

}  // namespace ccm::plugin_files
