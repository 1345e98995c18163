#include "service_writer.hpp"

#include "conditions.hpp"
#include "names.hpp"
#include "rewrites.hpp"
#include "service_state.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace ccm::service {
namespace {

// As metadata.managedFields names this program: by the first word of its User-Agent.
constexpr std::string_view kFieldManager = "cloud-controller-manager";

}  // namespace

// Read live: no cache keeps managedFields, which are longer than the rest of a Service. A list,
// which this controller may, of the one object.
Task<std::string> ServiceWriter::writer(Ctx ctx, SyncPtr sync, bool of_addresses) {
  KubeSelection selection;
  selection.resource = kServices;
  selection.namespace_name = sync->service.namespace_name;
  selection.field_selector = "metadata.name=" + sync->service.name;
  const auto listed = co_await host_.kube.list(ctx, std::move(selection));
  Object service;
  if (listed.ok()) {
    for (const Object& object : *listed) {
      if (object.uid() == sync->service.uid) service = object;
    }
  }
  co_return writer_of(service, of_addresses, kFieldManager);
}

Task<ServicePatch> ServiceWriter::repeated(Ctx ctx, SyncPtr sync, ServicePatch patch) {
  Rewrites& rewrites = sync->record->rewrites;
  if (!rewrites.again(host_.timer.now())) {
    rewrites.leave_out(patch);
    std::erase_if(patch.conditions, [&](const Condition& wanted) {
      return difference(sync->service.condition(wanted.type), wanted) == Difference::none;
    });
    co_return patch;
  }
  const bool addresses = rewrites.repeats_addresses(patch);
  if (!rewrites.worth_reporting(addresses && !sync->service.ingress.empty())) co_return patch;
  const std::string who = co_await writer(ctx, sync, addresses);
  host_.log.warning("Somebody undoes what was written to a service",
                    {{"service", sync->key}, {"writer", who}, {"times", rewrites.times()}});
  if (addresses) {
    events_.warning(sync->object, kStatusOverwritten,
                    "status.loadBalancer is also written by " + who +
                        ": two controllers serve this Service. Its addresses are written again, "
                        "ever less often. Set spec.loadBalancerClass, or switch the other one off");
  } else {
    events_.warning(sync->object, kAnnotationRemoved,
                    "Annotations of the load balancer are taken away again and again, last by " +
                        who +
                        ". They are written again, ever less often. Let the tool that does it "
                        "ignore " +
                        patch.annotations.front().key);
  }
  co_return patch;
}

// The answer is the input of the next step.
Task<Status> ServiceWriter::write(Ctx ctx, SyncPtr sync, ServicePatch patch) {
  if (sync->record->rewrites.repeats(patch)) {
    patch = co_await repeated(ctx, sync, std::move(patch));
    if (patch.empty()) co_return Status();
  }
  KubePatch rendered = patch.render(sync->service);
  auto written = co_await host_.kube.patch(ctx, std::move(rendered));
  if (!written.ok()) co_return written.status();
  sync->record->rewrites.written(patch);
  sync->object = *std::move(written);
  sync->service = read_service(sync->object);
  for (const Label& own : patch.annotations) {
    if (own.value.empty()) {
      sync->requested.annotations.erase(own.key);
    } else {
      sync->requested.annotations.insert_or_assign(own.key, own.value);
    }
  }
  // The watch may have been faster, and the whole object is large.
  const Object shown = cached_service(host_.kube, sync->key);
  const bool behind = shown && shown.version() < sync->service.version;
  sync->record->newest = behind ? sync->object : Object();
  co_return Status();
}

}  // namespace ccm::service
