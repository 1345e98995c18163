// Answers of Octavia (plugins/providers/openstack/load_balancers): load balancers, listeners,
// pools, members, monitors, versions. Input: a byte of choices, then the text of an answer.
// Properties: whatever is read can be used: IDs, and lists in their promised order; a load balancer
// that is as wanted needs no write, and what is written is JSON for an object that has an ID; tags
// that make a load balancer a Service's are added once and taken away whole.
#include "fuzz.hpp"
#include "openstack/load_balancers/existing.hpp"
#include "openstack/load_balancers/features.hpp"
#include "openstack/load_balancers/ownership.hpp"
#include "openstack/load_balancers/wanted.hpp"
#include "openstack/load_balancers/writes.hpp"
#include "openstack/pages.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ccm::fuzz {
namespace {

using openstack::Claim;
using openstack::ExistingListener;
using openstack::ExistingLoadBalancer;
using openstack::ExistingPool;

constexpr std::size_t kLongestAnswerMessage = 4096;

void check_bad_answer(const Status& status) {
  require(!status.ok() && !status.message().empty(), "a failure says what is wrong");
  require(status.message().size() <= kLongestAnswerMessage, "in a few words");
}

LoadBalancerService fuzzed_service() {
  LoadBalancerService service;
  service.name = "web";
  service.namespace_name = "default";
  service.uid = "00000000-0000-4000-8000-000000000001";
  service.cluster_name = "kubernetes";
  service.default_name = "a0000000000004000800000000000000";
  return service;
}

bool in_order(const std::vector<std::string>& texts) {
  return std::is_sorted(texts.begin(), texts.end());
}

void check_writes(const openstack::LoadBalancerWrites& writes) {
  const std::set<std::string> methods = {"POST", "PUT", "DELETE"};
  for (const auto& write : writes) {
    require(methods.contains(write.method), "a write's method");
    require(write.method == "POST" || !write.path.ends_with('/'), "and its object");
    require(write.body.empty() || nlohmann::json::parse(write.body, nullptr, false).is_object(),
            "what is sent is JSON");
  }
}

void check_owner(ExistingLoadBalancer balancer) {
  const LoadBalancerService service = fuzzed_service();
  const Claim claim = openstack::claim_of(service, balancer);
  openstack::claim_listeners(service, claim, balancer);
  check_writes(openstack::tagging(service, claim, balancer, "uid"));
  check_writes(openstack::removal_of_listeners(balancer));
  check_writes(openstack::removal_of_parts(balancer));
  check_writes({openstack::removal(balancer, true)});
  balancer.tags = openstack::with_own_tags(service, claim, balancer, "uid");
  require(in_order(balancer.tags), "tags in their order");
  require(openstack::claim_of(service, balancer) == Claim::owner, "a mark makes an owner");
  require(openstack::with_own_tags(service, Claim::owner, balancer, "uid").size() <=
              balancer.tags.size(),
          "once");
  for (const std::string& tag : openstack::without_own_tags(service, balancer.tags)) {
    require(tag != openstack::service_mark(service), "a mark goes");
    require(tag != openstack::load_balancer_name(service), "and the name with it");
  }
  require(openstack::other_users(service, balancer) <= balancer.tags.size() + 1,
          "a user has a tag, or the name");
}

// The listener with its pool as a wanted port.
openstack::WantedPort same_as(const ExistingListener& listener, const ExistingPool& pool) {
  openstack::WantedPort port;
  port.protocol = listener.protocol;
  port.port = listener.port;
  port.connection_limit = listener.connection_limit;
  port.timeouts = listener.timeouts;
  port.allowed_cidrs = listener.allowed_cidrs;
  port.tls_container_ref = listener.tls_container_ref;
  port.x_forwarded_for = !listener.insert_headers.empty();
  port.pool_protocol = pool.protocol;
  port.method = pool.method;
  port.source_ip = pool.source_ip;
  port.members = pool.members;
  port.monitor = pool.monitor;
  return port;
}

// Listeners and pools of the same text, as their lists would have them.
void check_children(ExistingLoadBalancer balancer) {
  openstack::WantedLoadBalancer wanted;
  wanted.name = "kube_service_kubernetes_default_web";
  wanted.mark = "ccm-service:1";
  std::set<std::pair<std::string, int32_t>> ports;
  bool usual = true;
  for (ExistingListener& listener : balancer.listeners) {
    require(!listener.id.empty(), "a listener has an ID");
    require(in_order(listener.tags) && in_order(listener.allowed_cidrs), "lists in their order");
    listener.ours = true;
    listener.tags = openstack::listener_tags(wanted, listener.tags);
    require(listener.tags == openstack::listener_tags(wanted, listener.tags), "tags come once");
    const ExistingPool* pool = balancer.pool(listener.pool_id);
    if (pool == nullptr || !ports.emplace(listener.protocol, listener.port).second) {
      usual = false;
      continue;
    }
    const bool headers = !listener.insert_headers.empty();
    const bool http = listener.protocol == "HTTP" || listener.protocol == "TERMINATED_HTTPS";
    const bool forwarded =
        listener.insert_headers == std::map<std::string, std::string>{{"X-Forwarded-For", "true"}};
    usual = usual && (!headers || !http || forwarded);
    wanted.ports.push_back(same_as(listener, *pool));
  }
  const auto writes = openstack::differences(wanted, balancer);
  check_writes(writes);
  check_writes(openstack::member_differences(wanted, balancer));
  if (usual) {
    const auto is_change = [](const auto& write) { return write.method != "DELETE"; };
    require(std::none_of(writes.begin(), writes.end(), is_change), "as wanted is as wanted");
  }
  (void)openstack::check_collisions(wanted, balancer);
  check_writes({openstack::creation(wanted)});
  wanted.serial = true;
  for (auto& port : wanted.ports) port.members.clear();
  check_writes(openstack::differences(wanted, balancer));
}

// The objects of a page; none of one that is refused.
template <typename T>
std::vector<T> page_of(const char* name, T (*read)(const nlohmann::json&), std::string_view text) {
  std::vector<T> all;
  const auto page = openstack::Pages(name, openstack::into(all, read)).take(text, true);
  if (!page.ok()) {
    check_bad_answer(page.status());
    return {};
  }
  require(page->count == all.size(), "each object of a page once");
  return all;
}

void check_list(std::string_view text) {
  ExistingLoadBalancer balancer;
  balancer.id = "lb";
  balancer.listeners = page_of("listeners", &openstack::read_listener, text);
  openstack::ExistingMembers members;
  if (auto read = page_of("members", &openstack::read_member, text); !read.empty()) {
    members = openstack::members_of(std::move(read));
    require(std::is_sorted(members.members.begin(), members.members.end(), &openstack::before),
            "members in their order");
    for (const auto& member : members.members) {
      require(members.ids.contains(openstack::member_key(member)), "with their IDs");
    }
  }
  balancer.pools = page_of("pools", &openstack::read_pool, text);
  const auto monitor = openstack::parse_monitor(text);
  if (!monitor.ok()) check_bad_answer(monitor.status());
  for (ExistingPool& pool : balancer.pools) {
    require(!pool.id.empty(), "a pool has an ID");
    pool.members = members.members;
    pool.member_ids = members.ids;
    if (monitor.ok()) pool.monitor = monitor->monitor;
  }
  check_children(std::move(balancer));
}

void check_balancer_answers(std::string_view text) {
  const auto one = openstack::parse_load_balancer(text);
  one.ok() ? check_owner(*one) : check_bad_answer(one.status());
  for (const ExistingLoadBalancer& each :
       page_of("loadbalancers", &openstack::read_load_balancer, text)) {
    require(!each.id.empty(), "a load balancer has an ID");
    require(in_order(each.tags), "tags in their order");
    check_owner(each);
  }
}

void check_versions(std::string_view text) {
  const auto minor = openstack::parse_octavia_version(text);
  if (!minor.ok()) return check_bad_answer(minor.status());
  require(*minor >= 0, "a version is a number");
  for (const char* provider : {"amphora", "ovn"}) {
    const auto features = openstack::features_of(*minor, provider);
    require(features.http_monitor || !features.http_monitor_of_udp, "a feature has its base");
  }
}

}  // namespace

void octavia_target(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  const Exact text(bytes.substr(1));
  switch (choice % 3) {
    case 0:
      return check_balancer_answers(text.view());
    case 1:
      return check_list(text.view());
    default:
      return check_versions(text.view());
  }
}

}  // namespace ccm::fuzz
