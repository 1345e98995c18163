#include "address_pairs.hpp"

#include "openstack/json_answer.hpp"
#include "router.hpp"

#include <ccm/cidr.hpp>
#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

constexpr int kPairTries = 5;
// An address of IPv6 takes 65 characters of the URL, which many servers cut at 8,192.
constexpr std::size_t kAtOnce = 50;

PairPort read_pair_port(const json& entry) {
  PairPort port;
  port.id = text_of(entry, "id");
  port.server = text_of(entry, "device_id");
  for (const json& fixed : part_of(entry, "fixed_ips")) {
    port.addresses.push_back(normal_form({{}, text_of(fixed, "ip_address")}).next_hop);
  }
  for (const json& pair : part_of(entry, "allowed_address_pairs")) {
    port.pairs.push_back({text_of(pair, "ip_address"), text_of(pair, "mac_address")});
  }
  port.secured = entry.value("port_security_enabled", true);
  port.revision = integer_or(entry, "revision_number", -1);
  return port;
}

Result<PairPortPage> read_pair_ports(const json& document) {
  PairPortPage page;
  for (const json& entry : document.at("ports")) {
    page.ports.push_back(read_pair_port(entry));
    if (page.ports.back().id.empty()) return bad_answer("has a port without an ID");
  }
  for (const json& link : part_of(document, "ports_links")) {
    page.more = page.more || text_of(link, "rel") == "next";
  }
  return page;
}

Result<PairPort> read_one_port(const json& document) { return read_pair_port(document.at("port")); }

std::string pairs_body(const std::vector<AddressPair>& pairs) {
  json list = json::array();
  for (const AddressPair& pair : pairs) {
    json& entry = list.emplace_back(json{{"ip_address", pair.ip_address}});
    if (!pair.mac_address.empty()) entry["mac_address"] = pair.mac_address;
  }
  return json{{"port", {{"allowed_address_pairs", std::move(list)}}}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

std::string range_text(const std::string& text) {
  const auto range = parse_cidr(text);
  return range ? range->text() : text;
}

}  // namespace

Result<PairPortPage> parse_pair_ports(std::string_view json_text) {
  return read_answer(json_text, &read_pair_ports);
}

std::set<std::string> PairPort::ranges() const {
  std::set<std::string> all;
  for (const AddressPair& pair : pairs) all.insert(range_text(pair.ip_address));
  return all;
}

std::vector<AddressPair> PairChange::of(const PairPort& port) const {
  std::vector<AddressPair> pairs;
  std::set<std::string> missing = add;
  for (const AddressPair& pair : port.pairs) {
    const std::string range = range_text(pair.ip_address);
    missing.erase(range);
    if (remove.contains(range) && !add.contains(range)) continue;
    pairs.push_back(pair);
  }
  for (const std::string& range : missing) pairs.push_back({range, {}});
  return pairs;
}

Task<Status> AddressPairs::find_by(Ctx ctx, std::string filter, std::vector<std::string> texts,
                                   const std::vector<std::string>& networks,
                                   std::map<std::string, PairPort>& found) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  for (std::size_t at = 0; at < texts.size(); at += kAtOnce) {
    std::string path =
        "ports?fields=id&fields=device_id&fields=fixed_ips&fields=allowed_address_pairs"
        "&fields=port_security_enabled&fields=revision_number";
    for (const std::string& network : networks) path += "&network_id=" + percent_encode(network);
    for (std::size_t i = at; i < std::min(texts.size(), at + kAtOnce); ++i) {
      path += "&" + filter + percent_encode(texts[i]);
    }
    std::vector<PairPort> ports;
    PageReader reader = [&ports](const std::string& body, bool first) -> Result<PageInfo> {
      auto page = parse_pair_ports(body);
      if (!page.ok()) return page.status();
      if (first) ports.clear();
      PageInfo info{page->ports.size(), page->ports.empty() ? "" : page->ports.back().id,
                    page->more};
      std::move(page->ports.begin(), page->ports.end(), std::back_inserter(ports));
      return info;
    };
    Collection collection{"network", std::move(path), "ListPortsOfNodes", {}};
    Status status = co_await api_.list(ctx, std::move(collection), reader);
    if (!status.ok()) co_return status;
    for (const PairPort& port : ports) {
      for (const std::string& address : port.addresses) found.emplace(address, port);
    }
  }
  co_return Status();
}

Task<Result<std::map<std::string, PairPort>>> AddressPairs::find(Ctx ctx,
                                                                 std::vector<std::string> networks,
                                                                 std::vector<std::string> addresses,
                                                                 std::vector<std::string> servers) {
  std::map<std::string, PairPort> found;
  if (networks.empty()) co_return found;
  std::string by_server = "device_id=";
  Status status = co_await find_by(ctx, std::move(by_server), std::move(servers), networks, found);
  if (!status.ok()) co_return status;
  std::erase_if(addresses, [&](const std::string& address) { return found.contains(address); });
  std::string by_address = "fixed_ips=ip_address%3D";
  status = co_await find_by(ctx, std::move(by_address), std::move(addresses), networks, found);
  if (!status.ok()) co_return status;
  co_return found;
}

Task<Result<PairPort>> AddressPairs::read(Ctx ctx, const std::string& id) {
  Call question;
  question.service = "network";
  question.path = "ports/" + percent_encode(id);
  question.operation = "GetPort";
  auto body = co_await api_.call(ctx, std::move(question));
  if (!body.ok()) co_return body.status();
  co_return read_answer(*body, &read_one_port);
}

Task<Status> AddressPairs::change(Ctx ctx, PairPort port, PairChange change, bool if_match) {
  for (int left = kPairTries;; --left) {
    const auto pairs = change.of(port);
    const bool same = std::equal(pairs.begin(), pairs.end(), port.pairs.begin(), port.pairs.end(),
                                 [](const AddressPair& one, const AddressPair& other) {
                                   return one.ip_address == other.ip_address;
                                 });
    if (same || !port.secured) co_return Status();
    Call call;
    call.method = "PUT";
    call.service = "network";
    call.path = "ports/" + percent_encode(port.id);
    call.operation = "SetAddressPairs";
    call.body = pairs_body(pairs);
    call.idempotent = true;
    if (if_match && port.revision >= 0) {
      call.if_match = "revision_number=" + std::to_string(port.revision);
    }
    const auto written = co_await api_.call(ctx, std::move(call));
    if (written.ok()) co_return Status();
    if (written.status().error_class() != ErrorClass::conflict || left == 1) {
      co_return written.status();
    }
    auto fresh = co_await read(ctx, port.id);
    if (!fresh.ok()) co_return fresh.status();
    port = *std::move(fresh);
  }
}

}  // namespace ccm::openstack
