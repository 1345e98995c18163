#include "cloud/load_balancers.hpp"

#include <initializer_list>
#include <iterator>
#include <utility>

namespace sandbox::cloud {
namespace {

using std::chrono::milliseconds;

// Every member that a client may give, with its default.
const Json& defaults() {
  static const Json members = {{"name", ""},
                               {"owner", nullptr},
                               {"ports", Json::array()},
                               {"backends", Json::array()},
                               {"source_ranges", Json::array()},
                               {"ip_families", Json::array({"IPv4"})},
                               {"health_check", nullptr},
                               {"affinity", "none"},
                               {"affinity_timeout_s", 0},
                               {"hostname", ""},
                               {"ip_mode", ""},
                               {"internal", false},
                               {"requested_ip", ""},
                               {"port_errors", Json::array()}};
  return members;
}

CloudError unknown(const std::string& id) { return {404, "not_found", "no load balancer " + id}; }

[[noreturn]] void invalid(const std::string& message) { throw CloudError{422, "invalid", message}; }

void check_type(const std::string& member, const Json& value, const Json& example) {
  const bool optional = example.is_null();
  if (optional ? !(value.is_null() || value.is_object()) : value.type() != example.type()) {
    // Numbers are of several types.
    if (!(example.is_number() && value.is_number_integer())) {
      invalid(member + " has a wrong type");
    }
  }
}

void check_ports(const Json& ports) {
  std::map<std::string, int> seen;
  if (ports.empty()) invalid("a load balancer needs a port");
  for (const Json& port : ports) {
    const bool good = port.is_object() && port.value("port", Json()).is_number_integer() &&
                      port.value("protocol", Json()).is_string();
    if (!good) invalid("each port needs a number and a protocol");
    const std::string protocol = port["protocol"];
    if (protocol != "TCP" && protocol != "UDP") {
      invalid("protocol " + protocol + " is not supported");
    }
    if (++seen[protocol + port["port"].dump()] > 1) invalid("a port stands twice");
  }
}

void check_strings(const Json& list, const std::string& member) {
  for (const Json& item : list) {
    if (!item.is_string()) invalid(member + " has to be a list of strings");
  }
}

// `base` with the given members; checked.
Json complete(Json base, Json given, const Settings& settings) {
  if (!given.is_object()) invalid("a load balancer has to be an object");
  for (auto& [member, value] : given.items()) {
    const auto known = defaults().find(member);
    if (known == defaults().end()) invalid("unknown member " + member);
    check_type(member, value, *known);
    base[member] = std::move(value);
  }
  check_ports(base["ports"]);
  for (const char* member : {"backends", "source_ranges", "ip_families"}) {
    check_strings(base[member], member);
  }
  if (settings.backends > 0 && base["backends"].size() > std::size_t(settings.backends)) {
    throw CloudError{
        403, "quota",
        "a load balancer has at most " + std::to_string(settings.backends) + " backends"};
  }
  return base;
}

std::string address_of(const Json& balancer, const std::string& family) {
  const std::string id = balancer["id"];
  const std::string digits = id.substr(id.find_last_not_of("0123456789") + 1);
  const unsigned long number = digits.empty() ? 0 : std::stoul(digits.substr(0, 6));
  const std::string low = std::to_string(number % 250 + 1);
  const std::string high = std::to_string(number / 250 % 256);
  if (family == "IPv6") {
    return std::string(balancer["internal"] ? "fd00:db8::" : "2001:db8::") + high + ":" + low;
  }
  return (balancer["internal"] ? "10.255." : "198.18.") + high + "." + low;
}

}  // namespace

void LoadBalancers::make_active(Json& balancer) {
  balancer["status"] = "active";
  balancer.erase("ready_in_ms");
  Json addresses = Json::array();
  const std::string hostname = balancer.value("hostname", "");
  const std::string requested = balancer.value("requested_ip", "");
  if (!hostname.empty()) {
    addresses.push_back({{"hostname", hostname}});
  } else if (!requested.empty()) {
    addresses.push_back({{"ip", requested}});
  } else {
    for (const Json& family : balancer["ip_families"]) {
      addresses.push_back({{"ip", address_of(balancer, family)}});
    }
  }
  balancer["addresses"] = addresses;
}

bool LoadBalancers::settle(Entry& entry, Clock::time_point now) {
  Json& balancer = entry.shown;
  if (balancer["status"] == "active") return true;
  if (entry.due > now) {
    if (entry.says_when) {
      balancer["ready_in_ms"] = std::chrono::ceil<milliseconds>(entry.due - now).count();
    }
    return true;
  }
  if (balancer["status"] == "deleting") return false;
  make_active(balancer);
  return true;
}

void LoadBalancers::settle(Clock::time_point now) {
  for (auto item = all_.begin(); item != all_.end();) {
    item = settle(item->second, now) ? std::next(item) : all_.erase(item);
  }
}

LoadBalancers::Entries::iterator LoadBalancers::find(const std::string& id, Clock::time_point now) {
  auto found = all_.find(id);
  if (found != all_.end() && !settle(found->second, now)) {
    all_.erase(found);
    found = all_.end();
  }
  if (found == all_.end()) throw unknown(id);
  return found;
}

Json LoadBalancers::list(Clock::time_point now, const Json& owner) {
  Json result = Json::array();
  for (auto& [id, entry] : all_) {
    const bool wanted = owner.is_null() || entry.shown["owner"] == owner;
    if (wanted && settle(entry, now)) result.push_back(entry.shown);
  }
  return result;
}

const Json& LoadBalancers::get(const std::string& id, Clock::time_point now) {
  return find(id, now)->second.shown;
}

Json LoadBalancers::create(Json given, const Settings& settings, Clock::time_point now,
                           bool store) {
  if (settings.load_balancers > 0) settle(now);
  Json balancer = complete(defaults(), std::move(given), settings);
  if (settings.load_balancers > 0 && all_.size() >= std::size_t(settings.load_balancers)) {
    throw CloudError{
        403, "quota",
        "the account may have " + std::to_string(settings.load_balancers) + " load balancers"};
  }
  const std::string id = "lb-" + std::to_string(next_++);
  balancer["id"] = id;
  balancer["generation"] = 1;
  balancer["status"] = "pending";
  balancer["addresses"] = Json::array();
  if (!store) return balancer;
  Entry& entry = all_[id] = {std::move(balancer), now + milliseconds(settings.active_ms),
                             settings.says_when != 0};
  settle(entry, now);
  return entry.shown;
}

Json LoadBalancers::update(const std::string& id, Json given, const Settings& settings,
                           Clock::time_point now, bool store) {
  Entry& entry = find(id, now)->second;
  if (entry.shown["status"] == "deleting") invalid("load balancer " + id + " is being deleted");
  Json balancer = complete(entry.shown, std::move(given), settings);
  if (balancer == entry.shown || !store) return balancer;
  balancer["generation"] = balancer.value("generation", 0) + 1;
  if (balancer["status"] == "active") entry.due = now + milliseconds(settings.update_ms);
  balancer["status"] = "pending";
  entry.shown = std::move(balancer);
  settle(entry, now);
  return entry.shown;
}

void LoadBalancers::remove(const std::string& id, const Settings& settings, Clock::time_point now) {
  Entry& entry = find(id, now)->second;
  if (entry.shown["status"] == "deleting") return;
  entry.shown["status"] = "deleting";
  entry.due = now + milliseconds(settings.delete_ms);
}

const Json& LoadBalancers::force(const std::string& id, const Json& members) {
  const auto [place, created] = all_.try_emplace(id);
  Json& balancer = place->second.shown;
  if (created) {
    balancer = defaults();
    balancer["generation"] = 0;
  }
  for (const auto& [member, value] : members.items()) balancer[member] = value;
  balancer["id"] = id;
  balancer["generation"] = balancer.value("generation", 0) + 1;
  if (created && !members.contains("status")) make_active(balancer);
  // A waiting state that was set by hand stays until it is activated.
  if (members.contains("status")) place->second.due = Clock::time_point::max();
  return balancer;
}

const Json& LoadBalancers::activate(const std::string& id) {
  const auto found = all_.find(id);
  if (found == all_.end()) throw unknown(id);
  make_active(found->second.shown);
  return found->second.shown;
}

void LoadBalancers::clear() {
  all_.clear();
  next_ = 1;
}

}  // namespace sandbox::cloud
