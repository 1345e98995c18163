#include "cloud/broker/annotation_warnings.hpp"

#include "plugin/host_services/kube_service.hpp"

#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace ccm::cloud {

namespace {

constexpr const char* kReason = "LoadBalancerConfigWarning";

using Annotations = std::map<std::string, std::string, std::less<>>;

Annotations annotations_of(const kube::Object& service) {
  Annotations found;
  service.each(service.find("/metadata/annotations"), [&](std::string_view name, auto value) {
    found.emplace(name, service.text(value));
  });
  return found;
}

}  // namespace

AnnotationWarnings::AnnotationWarnings(plugin_files::AnnotationTable table,
                                       plugin_files::EnvironmentValue environment,
                                       plugin::RecordEvent record, std::string source)
    : table_(std::move(table)),
      environment_(std::move(environment)),
      record_(std::move(record)),
      source_(std::move(source)) {}

void AnnotationWarnings::served(const LoadBalancerService& service) {
  const kube::Object* object = plugin::object_of(service.object.get());
  if (object == nullptr || !record_) return;
  Found found = look_at(*object);
  const std::size_t now = found.names.empty() ? 0 : std::hash<std::string>()(found.names);
  const std::size_t* last = told_.find(service.uid);
  if (now == (last != nullptr ? *last : 0)) return;
  told_.write(service.uid) = now;
  if (now == 0) return;
  record_(source_, kube::ObjectReference::of(*object), kube::EventType::warning, kReason,
          std::move(found.text));
}

AnnotationWarnings::Found AnnotationWarnings::look_at(const kube::Object& service) const {
  const Annotations annotations = annotations_of(service);
  const auto others = [&](std::string_view name) -> const std::string* {
    const auto place = annotations.find(name);
    return place == annotations.end() ? nullptr : &place->second;
  };
  Found found;
  for (const auto& [name, value] : annotations) {
    const plugin_files::KnownAnnotation* known = table_.find(name);
    if (known == nullptr) continue;
    const auto reasons = plugin_files::why_without_effect(*known, value, others, environment_);
    if (!reasons.empty()) found.names += name + " ";
    for (const std::string& why : reasons) {
      found.text += (found.text.empty() ? "" : "; ") + ("annotation " + name + " " + why);
    }
  }
  return found;
}

}  // namespace ccm::cloud
