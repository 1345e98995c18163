#include "topology.hpp"

#include "aws/config/cloud_config.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr size_t kIdsOfACall = 100;               // the API's maximum
constexpr milliseconds kNoneFor{3'600'000};       // of types and regions without it
constexpr milliseconds kNoneOfInstance{600'000};  // of one that should have it
constexpr milliseconds kLongestLabelWait{60'000};
constexpr size_t kMostKept = 100'000;
// AWS-22.
constexpr std::string_view kRequired = R"(^(hpc|trn|p)[0-9]+[a-z]*(-[a-z0-9]+)?(\.[0-9a-z]*)$)";

// AWS answers that this region, or this role, does not know topologies.
bool is_final(const Status& status) {
  return status.permanent() || status.code() == Code::permission_denied;
}

}  // namespace

void Topology::configure(const std::string& pattern) {
  auto required = topology_pattern(pattern.empty() ? kRequired : std::string_view(pattern));
  if (required.ok()) required_ = *std::move(required);
}

bool Topology::unknown(const std::string& id, const std::string& type) const {
  const milliseconds now = host_.timer.now();
  const auto holds = [&](const std::string& key) {
    const auto until = none_until_.find(key);
    return until != none_until_.end() && now < until->second;
  };
  return !layers_.contains(id) && !holds(id) && !holds(type);
}

Task<Status> Topology::learn(Ctx ctx, std::vector<TypedInstance> instances) {
  if (layers_.size() > kMostKept) layers_.clear();
  std::vector<const TypedInstance*> asked;
  std::set<std::string> sampled;
  for (const TypedInstance& each : instances) {
    const bool known = types_with_.contains(each.type) || !unknown(each.id, each.type);
    if (!known && sampled.insert(each.type).second) asked.push_back(&each);
  }
  Status status = co_await ask_for(ctx, asked);
  if (!status.ok()) co_return Status();
  asked.clear();
  for (const TypedInstance& each : instances) {
    if (types_with_.contains(each.type) && unknown(each.id, each.type)) asked.push_back(&each);
  }
  status = co_await ask_for(ctx, asked);
  co_return Status();
}

Task<Status> Topology::ask_for(Ctx ctx, const std::vector<const TypedInstance*>& asked) {
  for (size_t begin = 0; begin < asked.size(); begin += kIdsOfACall) {
    if (host_.timer.now() < silent_until_) co_return Status(Code::unavailable, "not asked");
    const size_t end = std::min(begin + kIdsOfACall, asked.size());
    Ids ids;
    for (size_t i = begin; i < end; ++i) ids.push_back(asked[i]->id);
    Status status = co_await ask(ctx, std::move(ids));
    if (is_final(status)) {
      silent_until_ = host_.timer.now() + kNoneFor;
      host_.log.info("No topology labels: AWS gives none here", {{"err", status}});
    } else if (!status.ok()) {
      host_.log.warning("The network topology of instances cannot be read", {{"err", status}});
    }
    if (!status.ok()) co_return status;
    for (size_t i = begin; i < end; ++i) {
      if (layers_.contains(asked[i]->id)) {
        types_with_.insert(asked[i]->type);
      } else {
        give_up(*asked[i]);
      }
    }
  }
  co_return Status();
}

// AWS has none for it: nor for others of its type, unless they should have it.
void Topology::give_up(const TypedInstance& instance) {
  const bool required = required_.fits(instance.type) || types_with_.contains(instance.type);
  const milliseconds now = host_.timer.now();
  if (none_until_.size() > kMostKept) none_until_.clear();
  none_until_[required ? instance.id : instance.type] =
      now + (required ? kNoneOfInstance : kNoneFor);
}

Task<Status> Topology::ask(Ctx ctx, Ids ids) {
  Call call{Api::ec2, "DescribeInstanceTopology"};
  call.params.add_all("InstanceId", ids);
  PageReader reader = [this](XmlElement page) {
    for (const XmlElement item : page.list("instanceSet")) {
      std::vector<std::string> layers;
      for (const XmlElement node : item.list("networkNodeSet")) {
        layers.emplace_back(node.text());
      }
      if (!layers.empty()) layers_[item.text("instanceId")] = std::move(layers);
    }
    return Status();
  };
  Status status = co_await client_.pages(ctx, std::move(call), reader);
  co_return status;
}

std::vector<std::string> Topology::layers_of(const Ec2Instance& instance) const {
  const auto found = layers_.find(instance.id);
  return found == layers_.end() ? std::vector<std::string>() : found->second;
}

bool Topology::must_wait(const Ec2Instance& instance) {
  const milliseconds now = host_.timer.now();
  if (!lacks(instance) || now < silent_until_ || !required_.fits(instance.type)) {
    waiting_since_.erase(instance.id);
    return false;
  }
  if (waiting_since_.size() > kMostKept) waiting_since_.clear();
  const milliseconds since = waiting_since_.emplace(instance.id, now).first->second;
  return now - since < kLongestLabelWait;
}

}  // namespace ccm::aws
