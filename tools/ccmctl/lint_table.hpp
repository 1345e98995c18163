// The Service annotations of a provider, from its manifest (docs/reference/plugin-manifest.md,
// "serviceAnnotations").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::ctl {

enum class AnnotationType { text, boolean, integer, choice, port, ports, items };

// An annotation that is read only where another one has one of these values.
struct OnlyWith {
  std::string annotation;
  std::vector<std::string> values;
  std::string fallback;     // the other one's value when absent
  std::string environment;  // of the provider: a variable that gives another fallback; "" = none
};

struct KnownAnnotation {
  std::string name;
  AnnotationType type = AnnotationType::text;
  std::vector<std::string> allowed;        // of a choice
  std::vector<std::string> item_prefixes;  // with which an item of `items` may begin; empty = any
  std::optional<int64_t> minimum;          // of an integer
  std::optional<int64_t> maximum;
  // By value ("*": any), the annotations that are required too.
  std::map<std::string, std::vector<std::string>> needs;
  std::vector<std::string> excludes;  // forbidden together with it
  std::optional<OnlyWith> only_with;
  std::vector<std::string>
      service_types;  // the types that read it; {"LoadBalancer"} when not given
};

struct AnnotationTable {
  std::string provider;               // the plugin's id, for messages
  std::vector<std::string> prefixes;  // of names that are this provider's
  std::vector<KnownAnnotation> known;

  [[nodiscard]] const KnownAnnotation* find(std::string_view name) const;
  [[nodiscard]] bool owns(std::string_view name) const;
};

// Nothing when the manifest has no table. Throws std::runtime_error, one line, for a faulty one.
// `manifest` is the JSON text of a plugin that passed the checks.
std::optional<AnnotationTable> read_annotation_table(const std::string& manifest);

}  // namespace ccm::ctl
