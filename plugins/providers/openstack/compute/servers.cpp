#include "servers.hpp"

#include "addresses.hpp"
#include "label_value.hpp"
#include "openstack/answer.hpp"
#include "openstack/json_answer.hpp"
#include "provider_id.hpp"

#include <ccm/percent_encode.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ccm::openstack {
namespace {

using nlohmann::json;

// From this one on a server has the name of its flavor with it (OS-156, OS-157).
constexpr const char* kEmbeddedFlavors = "compute 2.47";
constexpr std::size_t kMostFlavors = 1'000;  // that are remembered

// As a regular expression of the database, which Nova's filter is (OS-148).
std::string quoted_pattern(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return "^" + pattern + "$";
}

Result<std::string> read_flavor_name(const json& document) {
  std::string name = text_or_empty(part_of(document, "flavor"), "name");
  if (name.empty()) return bad_answer("has a flavor without a name");
  return name;
}

Status no_such_server(const std::string& what) {
  return Status(Code::not_found, ErrorClass::not_found, "no server " + what)
      .with_reason("ServerNotFound");
}

Status proxy_says_not_found(const std::string& operation) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                operation +
                    ": the answer 404 is not Nova's; look at the URL of the service compute "
                    "in Keystone's catalog")
      .with_reason("UnexpectedCloudAnswer");
}

}  // namespace

void Servers::configure(std::string region, NetworkingSettings networking, bool regional) {
  region_ = std::move(region);
  networking_ = std::move(networking);
  regional_ = regional;
  old_nova_ = false;
  flavors_.clear();
}

void Servers::tell_old_nova() {
  if (!std::exchange(old_nova_, true)) {
    host_.log.info("Nova does not know microversion 2.47: names of flavors are looked up");
  }
}

// A Nova that does not know the microversion says 406 (OS-349), and is asked without.
Task<Result<HttpResponse>> Servers::ask_nova(Ctx ctx, std::string path, std::string operation) {
  for (;;) {
    Call question;
    question.service = "compute";
    question.path = path;
    question.operation = operation;
    if (!old_nova_) question.microversion = kEmbeddedFlavors;
    const bool plain = question.microversion.empty();
    auto answer = co_await api_.exchange(ctx, std::move(question));
    if (!answer.ok() || answer->status_code != 406 || plain) co_return answer;
    tell_old_nova();
  }
}

Task<Result<std::vector<Server>>> Servers::read_all(Ctx ctx, std::string query) {
  for (;;) {
    Collection collection{"compute", "servers/detail" + query, "ListServers", {}};
    const bool plain = old_nova_;
    if (!plain) collection.microversion = kEmbeddedFlavors;
    std::vector<Server> all;
    PageReader reader = [&all](const std::string& body, bool first) -> Result<PageInfo> {
      auto page = parse_servers(body);
      if (!page.ok()) return page.status();
      if (first) all.clear();
      const bool empty = page->servers.empty();
      PageInfo info{page->servers.size(), empty ? "" : page->servers.back().id, page->more};
      std::move(page->servers.begin(), page->servers.end(), std::back_inserter(all));
      return info;
    };
    Status status = co_await api_.list(ctx, std::move(collection), reader);
    if (status.ok()) co_return all;
    if (plain || status.message().find("OpenStack answered 406") == std::string::npos) {
      co_return status;
    }
    tell_old_nova();
  }
}

Task<Result<InstanceList>> Servers::list(Ctx ctx) {
  auto servers = co_await read_all(ctx, "");
  if (!servers.ok()) co_return servers.status();
  auto ports = co_await list_ports(api_, ctx, "");
  if (!ports.ok()) co_return ports.status();
  Status status = co_await learn_flavors(ctx, *servers);
  if (!status.ok()) co_return status;
  InstanceList list;
  list.instances.reserve(servers->size());
  for (const Server& server : *servers) list.instances.push_back(instance_of(server, *ports));
  co_return list;
}

Task<Result<Server>> Servers::by_id(Ctx ctx, std::string id) {
  const std::string operation = "GetServer";
  auto answer = co_await ask_nova(ctx, "servers/" + percent_encode(id), operation);
  if (!answer.ok()) co_return answer.status();
  if (answer->status_code == 404) {
    if (!says_not_found(*answer)) co_return proxy_says_not_found(operation);
    co_return no_such_server("has the ID " + id);
  }
  Status status = status_of(operation, *answer);
  if (!status.ok()) co_return status;
  auto server = parse_server(answer->body);
  if (!server.ok()) co_return server.status().with_context(operation);
  if (server->id != id) {
    co_return bad_answer("is another server than the one asked for").with_context(operation);
  }
  co_return server;
}

// The case of letters may not count in the cloud's database (OS-150), but it does here.
Task<Result<Server>> Servers::by_name(Ctx ctx, std::string name) {
  auto found = co_await read_all(ctx, "?name=" + percent_encode(quoted_pattern(name)));
  if (!found.ok()) co_return found.status();
  std::erase_if(*found, [&](const Server& server) { return server.name != name; });
  if (found->empty()) co_return no_such_server("is called " + name);
  if (found->size() > 1) {
    co_return Status(Code::failed_precondition,
                     std::to_string(found->size()) + " servers are called " + name +
                         "; let the kubelet set --provider-id, or rename all but one")
        .with_reason("AmbiguousServerName");
  }
  co_return std::move(found->front());
}

Task<Result<Instance>> Servers::complete(Ctx ctx, Server server) {
  auto ports = co_await list_ports(api_, ctx, server.id);
  if (!ports.ok()) co_return ports.status();
  const std::vector<Server> one{server};
  Status status = co_await learn_flavors(ctx, one);
  if (!status.ok()) co_return status;
  co_return instance_of(server, *ports);
}

Task<Result<Instance>> Servers::get(Ctx ctx, NodeIdentity node) {
  if (node.provider_id.empty()) {
    auto server = co_await by_name(ctx, node.name);
    if (!server.ok()) co_return server.status();
    co_return co_await complete(ctx, *std::move(server));
  }
  const auto id = parse_provider_id(node.provider_id);
  if (!id.ok()) co_return id.status();
  if (!id->region.empty() && id->region != region_) {
    co_return Status(Code::implemented_elsewhere,
                     "provider ID \"" + node.provider_id + "\" is of region " + id->region +
                         ", and this manager works for region " +
                         (region_.empty() ? "\"\"" : region_) + " ([Global] region)");
  }
  auto server = co_await by_id(ctx, id->server);
  if (!server.ok()) co_return server.status();
  auto instance = co_await complete(ctx, *std::move(server));
  co_return instance;
}

Task<Status> Servers::check(Ctx ctx) {
  auto answer = co_await ask_nova(ctx, "servers?limit=1", "CheckCredential");
  if (!answer.ok()) co_return answer.status();
  co_return status_of("CheckCredential", *answer);
}

// A flavor that was deleted, or that the user may not see, goes by its ID: no Node fails because of
// it.
Task<Status> Servers::learn_flavors(Ctx ctx, const std::vector<Server>& servers) {
  if (flavors_.size() > kMostFlavors) flavors_.clear();
  for (const Server& server : servers) {
    const std::string id = server.flavor_id;
    if (!server.flavor_name.empty() || id.empty() || flavors_.contains(id)) continue;
    Call question;
    question.service = "compute";
    question.path = "flavors/" + percent_encode(id);
    question.operation = "GetFlavor";
    auto answer = co_await api_.exchange(ctx, std::move(question));
    if (!answer.ok()) co_return answer.status();
    Status status = status_of("GetFlavor", *answer);
    if (status.code() == Code::not_found || status.code() == Code::permission_denied) {
      flavors_[id] = id;
      continue;
    }
    if (!status.ok()) co_return status;
    const auto name = read_answer(answer->body, &read_flavor_name);
    if (!name.ok()) co_return name.status().with_context("GetFlavor");
    flavors_[id] = *name;
  }
  co_return Status();
}

// OS-155; a name that no label can hold is made one (OS-158).
std::string Servers::instance_type(const Server& server) const {
  std::string type = label_value(server.flavor_name);
  if (!type.empty()) return type;
  const auto known = flavors_.find(server.flavor_id);
  if (known != flavors_.end()) type = label_value(known->second);
  return type.empty() ? label_value(server.flavor_id) : type;
}

Instance Servers::instance_of(const Server& server, const ServerPorts& ports) const {
  Instance instance;
  instance.state = state_of(server.status);
  const std::string plain = provider_id("", server.id);
  const std::string regional = provider_id(region_, server.id);
  instance.provider_id = regional_ ? regional : plain;
  if (!region_.empty()) instance.other_ids = {regional_ ? plain : regional};
  instance.name = server.name;
  instance.instance_type = instance_type(server);
  instance.zone = label_value(server.zone);
  instance.region = region_;
  instance.addresses = node_addresses(server, ports, networking_);
  return instance;
}

}  // namespace ccm::openstack
