#include "runtime/event_source.hpp"

#include <utility>

namespace ccm::runtime {

Status InformerSource::watch(const WatchSpec& spec, kube::InformerHandler handler) {
  auto resource = kube::Resource::parse(spec.resource);
  if (!resource) return resource.status().with_context("watch");
  auto fields = kube::FieldSet::of(spec.fields);
  if (!fields) return fields.status().with_context("watch " + spec.resource);
  kube::InformerSpec wanted;
  wanted.resource = std::move(*resource);
  wanted.label_selector = spec.label_selector;
  wanted.field_selector = spec.field_selector;
  handler.resync = spec.resync;
  Status subscribed = informers_.informer(wanted)->subscribe(*fields, std::move(handler));
  return subscribed.ok() ? subscribed : subscribed.with_context("watch " + spec.resource);
}

}  // namespace ccm::runtime
