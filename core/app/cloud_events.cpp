#include "app/cloud_events.hpp"

#include "base/duration.hpp"
#include "base/log.hpp"

#include <ccm/taints.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::app {

using cloud::CloudFault;
using cloud::CloudTrouble;
using std::chrono::milliseconds;

namespace {

// A cloud that fails now and then is told of once in this time.
constexpr std::chrono::minutes kQuiet{10};
// Between two looks for Nodes that wait, each one twice the last.
constexpr milliseconds kFirstPause{5'000};
constexpr milliseconds kLongestPause{300'000};

// One failure may be an accident, a refused credential is none.
bool certain(const CloudTrouble& trouble) {
  return trouble.fault == CloudFault::credential_refused || trouble.failures > 1;
}

constexpr int64_t kPage = 250;

bool waits(const nlohmann::json& node) {
  const auto spec = node.find("spec");
  if (spec == node.end() || !spec->is_object()) return false;
  const auto taints = spec->find("taints");
  if (taints == spec->end() || !taints->is_array()) return false;
  return std::ranges::any_of(*taints, [](const nlohmann::json& taint) {
    return taint.is_object() && taint.value("key", "") == kUninitializedTaint;
  });
}

}  // namespace

void CloudEvents::look() {
  if (stopped_ || !deps_.leading()) return;
  const auto troubles = deps_.health.troubles();
  if (troubles.empty()) return tell_end();
  const auto worst = std::ranges::find_if(troubles, certain);
  if (worst == troubles.end()) return;
  tell(*worst);
  if (pause_ == milliseconds(0)) ask_for_nodes();
}

void CloudEvents::tell(const CloudTrouble& trouble) {
  const auto now = deps_.timers.now();
  reason_ = event_reason(trouble.fault);
  message_ = trouble.text;
  if (!outage_) began_ = now - trouble.age;
  const auto last = told_.find(trouble.fault);
  const bool again = last != told_.end() && (outage_ || now - last->second < kQuiet);
  const bool another = !std::exchange(outage_, true);
  if (again) return;
  if (another) nodes_.clear();
  outage_told_ = true;
  told_[trouble.fault] = now;
  const bool slow = trouble.fault == CloudFault::slow;
  log::warning(slow ? "The cloud is slow" : "The cloud fails", {{"fault", to_string(trouble.fault)},
                                                                {"reason", trouble.text},
                                                                {"lastFailure", trouble.message}});
  std::string message = trouble.text;
  if (!trouble.message.empty()) message += ": " + trouble.message;
  deps_.record(deps_.lease(), kube::EventType::warning, reason_, std::move(message));
}

void CloudEvents::tell_end() {
  if (!std::exchange(outage_, false)) return;
  const auto length = deps_.timers.now() - began_;
  deps_.timers.cancel(std::exchange(timer_, 0));
  pause_ = milliseconds(0);
  if (!std::exchange(outage_told_, false)) return;
  deps_.record(deps_.lease(), kube::EventType::normal, "CloudWorksAgain",
               "the cloud works again, after " + short_duration(length));
}

void CloudEvents::ask_for_nodes() {
  if (std::exchange(asking_, true)) return;
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  deps_.waiting_nodes([this](const Nodes& nodes) {
    asking_ = false;
    if (stopped_ || !outage_) return;
    tell_nodes(nodes);
    look_later();
  });
}

void CloudEvents::tell_nodes(const Nodes& nodes) {
  for (const kube::ObjectReference& node : nodes) {
    if (nodes_.size() >= kMostNodes) return;
    if (!nodes_.insert(node.name).second) continue;
    deps_.record(node, kube::EventType::warning, reason_,
                 "The Node waits to be initialised: " + message_);
  }
}

// For Nodes that join later.
void CloudEvents::look_later() {
  if (nodes_.size() >= kMostNodes || timer_ != 0) return;
  timer_ = deps_.timers.after(pause_, [this] {
    timer_ = 0;
    if (outage_) ask_for_nodes();
  });
}

void CloudEvents::stop() {
  stopped_ = true;
  if (timer_ != 0) deps_.timers.cancel(std::exchange(timer_, 0));
}

std::string add_waiting_nodes(const std::string& page, std::size_t most,
                              std::vector<kube::ObjectReference>& nodes) {
  const auto list = nlohmann::json::parse(page, nullptr, false);
  if (!list.is_object() || !list.contains("items") || !list["items"].is_array()) return {};
  for (const nlohmann::json& node : list["items"]) {
    if (nodes.size() >= most) return {};
    if (!node.is_object() || !node.contains("metadata") || !waits(node)) continue;
    kube::ObjectReference reference;
    reference.api_version = "v1";
    reference.kind = "Node";
    reference.name = node["metadata"].value("name", "");
    reference.uid = node["metadata"].value("uid", "");
    nodes.push_back(std::move(reference));
  }
  const auto metadata = list.find("metadata");
  return metadata == list.end() ? std::string() : metadata->value("continue", "");
}

boost::asio::awaitable<std::vector<kube::ObjectReference>> list_waiting_nodes(kube::Client client,
                                                                              std::size_t most) {
  std::vector<kube::ObjectReference> nodes;
  kube::ObjectRequest list{.verb = kube::ObjectRequest::Verb::list,
                           .resource = kube::resources::nodes()};
  list.page.limit = kPage;
  do {
    const auto answer = co_await client.send(list);
    if (!answer.ok()) break;
    list.page.continue_token = add_waiting_nodes(*answer, most, nodes);
  } while (!list.page.continue_token.empty());
  co_return nodes;
}

}  // namespace ccm::app
