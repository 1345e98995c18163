#include "table.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <utility>

namespace ccm::ctl {

std::optional<ProviderAnnotations> read_annotation_table(const std::string& manifest) {
  const auto id = nlohmann::json::parse(manifest).at("id").get<std::string>();
  plugin_files::AnnotationTableReport report = plugin_files::parse_service_annotations(manifest);
  if (!report.faults.empty()) {
    throw std::runtime_error("the manifest of " + id + ": " + report.faults.front());
  }
  if (!report.table) return std::nullopt;
  return ProviderAnnotations{id, *std::move(report.table)};
}

}  // namespace ccm::ctl
