// The Service annotations of a provider, from its manifest (docs/reference/plugin-manifest.md,
// "serviceAnnotations").
#pragma once

#include "plugin_files/service_annotations.hpp"

#include <optional>
#include <string>

namespace ccm::ctl {

struct ProviderAnnotations {
  std::string provider;  // the plugin's id, for messages
  plugin_files::AnnotationTable table;
};

// Nothing when the manifest has no table. Throws std::runtime_error, one line, for a faulty one.
// `manifest` is the JSON text of a plugin that passed the checks.
std::optional<ProviderAnnotations> read_annotation_table(const std::string& manifest);

}  // namespace ccm::ctl
