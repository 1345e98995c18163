#include "controller.hpp"

#include "aws/api/error.hpp"
#include "aws/nodes/instance_view.hpp"
#include "aws/nodes/provider_id.hpp"

#include <ccm/json_writer.hpp>
#include <ccm/timestamp.hpp>
#include <ccm/watch.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kTaggedNodes = "v1/nodes";
constexpr std::string_view kTagsLabel = "k8s.io/cloud-provider-aws";
constexpr std::string_view kTagsLabelPath = "/metadata/labels/k8s.io~1cloud-provider-aws";
constexpr milliseconds kTagsTimeout{60'000};
// How long a Node counts as young, for which EC2 may not know its instance yet (AWS-128).
constexpr milliseconds kYoung{300'000};
constexpr milliseconds kYoungRetry{10'000};
constexpr milliseconds kForeignRetry{600'000};

// Empty for a Fargate task, and for what names no instance.
std::string tagged_instance(const Object& node) {
  const auto id = parse_provider_id(node.text("/spec/providerID"));
  return id.ok() && is_instance_id(id->instance) ? id->instance : std::string();
}

std::string label_patch(const Object& node, std::string_view digest) {
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] {
      json.member("uid").text(node.uid());
      json.member("labels").object([&] { json.member(kTagsLabel).text(digest); });
    });
  });
  return std::move(json).str();
}

}  // namespace

TaggingController::TaggingController(Host& host, Session& session)
    : host_(host), session_(session), tags_(host, session) {}

Status TaggingController::setup(Setup& setup) {
  if (session_.client == nullptr) {
    return Status(Code::unimplemented, ErrorClass::unsupported, "the provider aws is not there");
  }
  auto settings = read_tagging_settings(host_.config);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);
  digest_ = digest_of(settings_.tags);
  tags_.configure(settings_.tags);
  QueueOptions options;
  options.name = "tagging-controller";
  options.workers = settings_.workers;
  options.reconcile_timeout = kTagsTimeout;
  setup.queue(options);
  watch(setup, kTaggedNodes,
        {std::string(kTagsLabelPath), "/spec/providerID", "/metadata/creationTimestamp"},
        std::bind_front(&TaggingController::on_event, this));
  return {};
}

bool TaggingController::lacks_tags(const Object& node) const {
  return node.text(kTagsLabelPath) != digest_ && !tagged_instance(node).empty();
}

void TaggingController::on_event(EventKind kind, const Object&, const Object& now,
                                 const Queue& queue) {
  note_instance(std::string(now.name()),
                kind == EventKind::deleted ? std::string() : tagged_instance(now));
  if (kind == EventKind::deleted) {
    // The label is our record of the tags; a provider ID is a kubelet's word. A standby would keep
    // them for ever; the leader takes care.
    const std::string instance = tagged_instance(now);
    const bool ours = !now.text(kTagsLabelPath).empty();
    if (!ours || instance.empty() || !host_.leader.leading()) return;
    left_[std::string(now.name())].insert(instance);
  } else if (!lacks_tags(now)) {
    return;
  }
  queue.add(now.name(), Priority::changed, reserve(std::string(now.name())));
}

milliseconds TaggingController::reserve(const std::string& name) {
  if (settings_.rate <= 0 || settings_.burst <= 0) return milliseconds(0);
  const auto now = static_cast<double>(host_.timer.now().count());
  const auto [place, is_new] = reserved_ms_.try_emplace(name);
  if (is_new) {
    const double interval = 1e3 / settings_.rate;
    place->second = std::max(next_free_ms_, now - interval * (settings_.burst - 1));
    next_free_ms_ = place->second + interval;
  }
  return milliseconds(static_cast<int64_t>(std::max(place->second - now, 0.0)));
}

void TaggingController::note_instance(const std::string& name, std::string instance) {
  const auto known = instances_.find(name);
  if (known != instances_.end()) {
    if (known->second == instance) return;
    const auto of = nodes_.find(known->second);
    of->second.erase(name);
    if (of->second.empty()) nodes_.erase(of);
    instances_.erase(known);
  }
  if (instance.empty()) return;
  nodes_[instance].insert(name);
  instances_.emplace(name, std::move(instance));
}

Task<Result<ReconcileResult>> TaggingController::reconcile(Ctx ctx, Request request) {
  reserved_ms_.erase(request.key);
  Status status = co_await untag(ctx, request.key);
  const Object node = host_.kube.cached(kTaggedNodes, request.key);
  if (status.ok() && node && lacks_tags(node)) {
    status = co_await tag(ctx, node, request.attempt == 0);
  }
  if (!status.ok()) co_return status;
  co_return ReconcileResult();
}

Task<Status> TaggingController::tag(Ctx ctx, Object node, bool first_try) {
  Status status = co_await tags_.change(ctx, TagChange::add, tagged_instance(node));
  if (status.ok()) {
    status = co_await label(ctx, node);
    co_return status;
  }
  if (status.reason() == kNotOfCluster) {
    if (first_try) host_.events.warning(node, kNotOfCluster, "No tags: " + status.message());
    co_return std::move(status).with_retry_after(kForeignRetry);
  }
  if (!is_not_found(status)) co_return status;
  const auto created = parse_timestamp(node.text("/metadata/creationTimestamp"));
  if (created && host_.timer.wall_clock() - *created < kYoung) {
    co_return Status(Code::unavailable, ErrorClass::waiting, status.message())
        .with_retry_after(kYoungRetry);
  }
  // The Node goes, too, or names an instance that there never was.
  host_.log.v(2, "A node's instance gets no tags", {{"node", node.name()}, {"err", status}});
  co_return Status();
}

Task<Status> TaggingController::label(Ctx ctx, Object node) {
  KubePatch patch;
  patch.reference.resource = kTaggedNodes;
  patch.reference.name = node.name();
  patch.type = PatchType::merge;
  patch.body = label_patch(node, digest_);
  patch.answer = PatchAnswer::none;
  const auto written = co_await host_.kube.patch(ctx, std::move(patch));
  Status status = written.status();
  if (is_not_found(status)) {
    // It went before it had the label, so its deletion told nothing of the tags.
    left_[std::string(node.name())].insert(tagged_instance(node));
    status = co_await untag(ctx, std::string(node.name()));
  }
  co_return status;
}

bool TaggingController::in_use(const std::string& instance_id) const {
  return nodes_.contains(instance_id);
}

Task<Status> TaggingController::untag(Ctx ctx, std::string name) {
  const auto left = left_.find(name);
  if (left == left_.end()) co_return Status();
  const std::set<std::string> instances = left->second;  // more may come meanwhile
  for (const std::string& id : instances) {
    const auto over = [](const Status& status) {
      return status.ok() || is_not_found(status) || status.reason() == kNotOfCluster;
    };
    // Another Node may have named it, and this one may be back.
    if (!in_use(id)) {
      Status status = co_await tags_.change(ctx, TagChange::remove, id);
      if (!over(status)) co_return status;
    }
    // A Node that came with it meanwhile has a label that says that it has the tags; so has one
    // that came while this failed before.
    if (in_use(id)) {
      Status status = co_await tags_.change(ctx, TagChange::add, id);
      if (!over(status)) co_return status;
    }
    left_[name].erase(id);
  }
  if (left_[name].empty()) left_.erase(name);
  co_return Status();
}

}  // namespace ccm::aws
