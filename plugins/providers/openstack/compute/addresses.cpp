#include "addresses.hpp"

#include <ccm/cidr.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr const char* kInternal = "InternalIP";
constexpr const char* kExternal = "ExternalIP";

bool is_v6(const std::string& address) { return address.find(':') != std::string::npos; }

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// An address as a range of one; nothing when it is none.
std::optional<Cidr> single(const std::string& address) {
  return parse_cidr(address + (is_v6(address) ? "/128" : "/32"));
}

class AddressList {
 public:
  explicit AddressList(const NetworkingSettings& settings) : settings_(settings) {}

  void add(const char* type, const std::string& address) {
    if (address.empty() || (settings_.ipv6_support_disabled && is_v6(address))) return;
    add_any(type, address);
  }
  // Without a look at the family: a hostname.
  void add_any(const char* type, const std::string& address) {
    NodeAddress entry{type, address};
    if (std::find(list_.begin(), list_.end(), entry) == list_.end()) {
      list_.push_back(std::move(entry));
    }
  }
  // OS-169
  void add_of_network(const ServerAddress& entry) {
    if (settings_.ipv6_support_disabled && entry.v6) return;
    if (entry.floating) return add(kExternal, entry.address);
    if (has_name(settings_.public_network_name, entry.network)) {
      remove(entry.address);
      return add(kExternal, entry.address);
    }
    const auto& internal = settings_.internal_network_name;
    if (internal.empty() || has_name(internal, entry.network)) {
      return add(kInternal, entry.address);
    }
    remove(entry.address);
  }
  // OS-172
  std::vector<NodeAddress> sorted() && {
    const std::vector<Cidr> order = sort_order();
    if (order.empty()) return std::move(list_);
    const auto before = [&](const NodeAddress& a, const NodeAddress& b) {
      const size_t rank_a = rank(order, a);
      const size_t rank_b = rank(order, b);
      if (rank_a != rank_b || rank_a == order.size()) return rank_a < rank_b;
      return bytes(a) < bytes(b);
    };
    std::stable_sort(list_.begin(), list_.end(), before);
    return std::move(list_);
  }

 private:
  void remove(const std::string& address) {
    std::erase_if(list_, [&](const NodeAddress& entry) { return entry.address == address; });
  }

  [[nodiscard]] std::vector<Cidr> sort_order() const {
    std::vector<Cidr> order;
    std::string_view text = settings_.address_sort_order;
    while (!text.empty()) {
      const std::string_view item = text.substr(0, text.find_first_of(", \t"));
      text.remove_prefix(std::min(item.size() + 1, text.size()));
      if (const auto range = parse_cidr(item)) order.push_back(*range);
    }
    return order;
  }

  // The place of the first range that has it; the number of ranges when none has.
  static size_t rank(const std::vector<Cidr>& order, const NodeAddress& entry) {
    const auto address = single(entry.address);
    if (!address || entry.type == "Hostname") return order.size();
    const auto place = std::find_if(order.begin(), order.end(),
                                    [&](const Cidr& range) { return range.contains(*address); });
    return static_cast<size_t>(place - order.begin());
  }

  static AddressBytes bytes(const NodeAddress& entry) { return single(entry.address)->network; }

  const NetworkingSettings& settings_;
  std::vector<NodeAddress> list_;
};

// OS-168: those of subports stand under the names of their networks.
std::vector<ServerAddress> with_subports(const Server& server, const ServerPorts& ports) {
  std::vector<ServerAddress> all = server.addresses;
  for (const Port* port : ports.of(server.id)) {
    for (const std::string& id : port->subports) {
      const Port* subport = ports.find(id);
      if (subport == nullptr) continue;
      for (const std::string& address : subport->addresses) {
        all.push_back({ports.network_name(subport->network_id), address, is_v6(address), false});
      }
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const ServerAddress& a, const ServerAddress& b) {
    return a.network < b.network;
  });
  return all;
}

}  // namespace

std::vector<NodeAddress> node_addresses(const Server& server, const ServerPorts& ports,
                                        const NetworkingSettings& settings) {
  AddressList list(settings);
  for (const Port* port : ports.of(server.id)) {
    if (!port->active) continue;
    for (const std::string& address : port->addresses) list.add(kInternal, address);
  }
  list.add(kExternal, server.access_ipv4);
  list.add(kExternal, server.access_ipv6);
  if (!server.hostname.empty()) list.add_any("Hostname", server.hostname);
  for (const ServerAddress& entry : with_subports(server, ports)) list.add_of_network(entry);
  return std::move(list).sorted();
}

}  // namespace ccm::openstack
