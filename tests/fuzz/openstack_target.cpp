// Answers of OpenStack's services (plugins/providers/openstack): servers, ports, tokens, versions,
// failures, routers.
// Input: a byte of choices, then the text of an answer.
// Properties: whatever is read can be used: provider IDs lead back to the server, labels are
// labels, no address stands twice, a record of routes names what it was made of; a failure has a
// class and a short message without the rest of the answer.
#include "fuzz.hpp"
#include "openstack/answer.hpp"
#include "openstack/compute/addresses.hpp"
#include "openstack/compute/label_value.hpp"
#include "openstack/compute/provider_id.hpp"
#include "openstack/compute/server.hpp"
#include "openstack/identity/endpoints.hpp"
#include "openstack/identity/token.hpp"
#include "openstack/network/ports.hpp"
#include "openstack/routes/address_pairs.hpp"
#include "openstack/routes/marks.hpp"
#include "openstack/routes/router.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::fuzz {
namespace {

constexpr std::size_t kLongestMessage = 4096;

void check_failure(const Status& status) {
  require(!status.ok() && !status.message().empty(), "a failure says what is wrong");
  require(status.message().size() <= kLongestMessage, "in a few words");
}

void check_label(std::string_view text) {
  const std::string value = openstack::label_value(text);
  require(value.size() <= 63, "a label's value is short");
  require_equal(value, openstack::label_value(value), "and stays as it is");
}

void check_server(const openstack::Server& server, const openstack::ServerPorts& ports) {
  require(!server.id.empty(), "a server has an ID");
  if (server.id.find('/') == std::string::npos) {
    const auto id = openstack::parse_provider_id(openstack::provider_id("r", server.id));
    require(id.ok() && id->server == server.id, "a provider ID leads back to its server");
  }
  check_label(server.flavor_name);
  check_label(server.zone);
  openstack::NetworkingSettings settings;
  settings.public_network_name = {"public"};
  settings.address_sort_order = "10.0.0.0/8, fd00::/8";
  const auto addresses = openstack::node_addresses(server, ports, settings);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto rest = addresses.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    require(std::find(rest, addresses.end(), addresses[i]) == addresses.end(),
            "no address stands twice");
  }
}

void check_servers(std::string_view text) {
  openstack::ServerPorts ports;
  if (auto page = openstack::parse_ports(text); page.ok()) {
    for (openstack::Port& port : page->ports) ports.add(std::move(port));
  } else {
    check_failure(page.status());
  }
  const auto page = openstack::parse_servers(text);
  if (page.ok()) {
    for (const auto& server : page->servers) check_server(server, ports);
  } else {
    check_failure(page.status());
  }
  const auto one = openstack::parse_server(text);
  one.ok() ? check_server(*one, ports) : check_failure(one.status());
}

void check_routes(const openstack::Router& router, std::string_view cluster) {
  std::set<openstack::ExtraRoute> routes;
  for (const openstack::ExtraRoute& route : router.routes) {
    routes.insert(openstack::normal_form(route));
    require(openstack::normal_form(route) == openstack::normal_form(openstack::normal_form(route)),
            "a normal form stays as it is");
  }
  const openstack::RouteMarks before(cluster, router.tags);
  const auto change = before.record(routes, 255);
  std::vector<std::string> tags = router.tags;
  for (const std::string& tag : change.remove) {
    require(std::erase(tags, tag) > 0, "only tags that are there are removed");
  }
  tags.insert(tags.end(), change.add.begin(), change.add.end());
  const openstack::RouteMarks after(cluster, tags);
  for (const openstack::ExtraRoute& route : routes) {
    require(after.has(route), "a record names its routes");
  }
  require(after.record(routes, 255).add.empty(), "once");
}

void check_network(std::string_view text) {
  const auto router = openstack::parse_router(text);
  router.ok() ? check_routes(*router, text.substr(0, 8)) : check_failure(router.status());
  const auto ports = openstack::parse_pair_ports(text);
  if (!ports.ok()) return check_failure(ports.status());
  for (const openstack::PairPort& port : ports->ports) {
    const openstack::PairChange change{{"10.244.0.0/24"}, {"10.244.1.0/24"}};
    openstack::PairPort changed = port;
    changed.pairs = change.of(port);
    require(change.of(changed).size() == changed.pairs.size(), "a change is made once");
  }
}

void check_identity(const std::string& text) {
  const auto token = openstack::parse_token(HttpResponse{201, {{"x-subject-token", "t"}}, text});
  if (token.ok()) {
    const auto url = openstack::service_url(*token, "", "", "compute");
    require(!url.ok() || openstack::has_version(*url, true), "a URL has its version");
  } else {
    check_failure(token.status());
  }
  const auto keystone = openstack::identity_url("https://keystone:5000/identity", text);
  if (!keystone.ok()) return check_failure(keystone.status());
  require(keystone->starts_with("https://keystone:5000"), "Keystone stays on its host");
}

}  // namespace

void openstack_target(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto choice = static_cast<unsigned char>(bytes.front());
  const Exact text(bytes.substr(1));
  const std::string body(text.view());
  check_servers(text.view());
  check_network(text.view());
  check_identity(body);
  check_label(text.view());
  const uint32_t code = 400 + choice % 200;
  const Status status = openstack::status_of("Op", HttpResponse{code, {}, body});
  check_failure(status);
  require(status.error_class() != ErrorClass::none, "a failure has a class");
  (void)openstack::says_not_found(HttpResponse{404, {}, body});
}

}  // namespace ccm::fuzz
