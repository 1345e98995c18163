#include "provider.hpp"

#include "listing.hpp"
#include "machine.hpp"

#include <ccm/gather.hpp>
#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace sandbox {
namespace {

using ccm::Backend;
using ccm::Backends;
using ccm::Code;
using ccm::Ctx;
using ccm::ErrorClass;
using ccm::Instance;
using ccm::LoadBalancer;
using ccm::LoadBalancerService;
using ccm::Result;
using ccm::Route;
using ccm::Status;
using ccm::Task;

// Pages that are read at once: enough to hide the cloud's latency, few enough for their memory.
constexpr std::size_t kPagesAtOnce = 4;

std::string page_path(int64_t page, int64_t per_page) {
  return "/v1/machines?page=" + std::to_string(page) + "&per_page=" + std::to_string(per_page);
}

// Blocking; on a worker thread.
Result<std::vector<Instance>> read_machines_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  "the machines file " + path + " cannot be read");
  }
  auto machines = parse_machines_file(text);
  if (!machines.ok()) return machines.status().with_context("machines file " + path);
  Status unique = check_unique(*machines);
  if (!unique.ok()) return unique.with_context("machines file " + path);
  return machines;
}

Status absent(const std::string& what) {
  return Status(Code::not_found, ErrorClass::not_found, "there is no machine " + what)
      .with_reason("InstanceNotFound");
}

Result<Instance> only_one(std::vector<Instance> machines, const std::string& name) {
  std::optional<Instance> found;
  for (Instance& machine : machines) {
    if (machine.name != name) continue;
    if (found) {
      return Status(Code::failed_precondition, "several machines are named " + name)
          .with_reason("AmbiguousInstanceName");
    }
    found = std::move(machine);
  }
  if (!found) return absent("named " + name);
  return *std::move(found);
}

}  // namespace

Provider::Provider(ccm::Host& host)
    : host_(host), cloud_(host), load_balancers_(cloud_), routes_(cloud_), owned_(cloud_, routes_) {
  host_.config.on_change([this] { configuration_changed(); });
}

Status Provider::configure() {
  auto config = parse_cloud_config(host_.config.cloud_config().value_or(""));
  if (config.ok()) {
    cloud_.configure(*std::move(config));
    return {};
  }
  const std::string file(host_.config.flag("cloud-config").value_or(""));
  return file.empty() ? config.status() : config.status().with_context(file);
}

// A half-written or wrong file must not stop a running manager.
void Provider::configuration_changed() {
  const Status status = configure();
  if (status.ok()) {
    host_.log.info("Read the changed cloud configuration");
  } else {
    host_.log.error("Kept the old cloud configuration, the new one is wrong", {{"err", status}});
  }
}

Task<Status> Provider::initialize(Ctx ctx) {
  Status configured = configure();
  if (!configured.ok()) co_return configured;
  Status healthy = co_await check_credential(ctx);
  co_return healthy;
}

Task<Status> Provider::check_credential(Ctx ctx) {
  if (cloud_.is_file()) {
    auto machines = co_await list_file();
    co_return machines.status();
  }
  auto answer = co_await cloud_.get(ctx, page_path(1, 1), "CheckCredential");
  co_return answer.status();
}

Task<Result<ccm::InstanceList>> Provider::list(Ctx ctx) {
  if (!cloud_.is_file()) {
    auto read = [this, ctx] { return list_pages(ctx); };
    auto listed = co_await ccm::list_steadily(read);
    co_return listed;
  }
  auto machines = co_await list_file();
  if (!machines.ok()) co_return machines.status();
  ccm::InstanceList list;
  list.instances = *std::move(machines);
  co_return list;
}

Task<Result<Instance>> Provider::get(Ctx ctx, ccm::NodeIdentity node) {
  if (!cloud_.is_file()) {
    if (node.provider_id.empty()) {
      auto machine = co_await get_by_name(ctx, node.name);
      co_return machine;
    }
    const auto id = machine_id(node.provider_id);
    if (id) {
      auto machine = co_await get_by_id(ctx, *id);
      co_return machine;
    }
  }
  if (!node.provider_id.empty() && !machine_id(node.provider_id)) {
    co_return Status(Code::implemented_elsewhere,
                     node.provider_id + " belongs to another cloud provider");
  }
  auto machines = co_await list_file();
  if (!machines.ok()) co_return machines.status();
  if (node.provider_id.empty()) co_return only_one(*std::move(machines), node.name);
  for (Instance& machine : *machines) {
    if (machine.provider_id == node.provider_id) co_return std::move(machine);
  }
  co_return absent(node.provider_id);
}

Task<Result<ccm::InstancePages>> Provider::list_pages(Ctx ctx) {
  Listing listing;
  while (const auto next = listing.next_page()) {
    std::vector<MachinePage> pages(listing.pages_ahead(kPagesAtOnce));
    auto read = [&](std::size_t i) {
      return read_page(ctx, *next + static_cast<int64_t>(i), pages[i]);
    };
    std::function<Task<Status>(std::size_t)> work = read;
    Status all_read = co_await ccm::gather(host_.post, pages.size(), kPagesAtOnce, work);
    if (!all_read.ok()) co_return all_read;
    for (MachinePage& page : pages) {
      Status added = listing.add(std::move(page));
      if (!added.ok()) co_return added.with_context("ListMachines");
      if (!listing.next_page()) break;
    }
  }
  co_return listing.take();
}

Task<Status> Provider::read_page(Ctx ctx, int64_t number, MachinePage& page) {
  auto answer = co_await cloud_.get(ctx, page_path(number, kPageSize), "ListMachines");
  if (!answer.ok()) co_return answer.status();
  auto read = parse_page(*answer);
  if (!read.ok()) co_return read.status().with_context("ListMachines");
  page = *std::move(read);
  co_return Status();
}

Task<Result<std::vector<Instance>>> Provider::list_file() {
  auto read = [path = cloud_.config().machines_file] { return read_machines_file(path); };
  auto machines = co_await host_.worker.run(std::move(read));
  co_return machines;
}

Task<Result<Instance>> Provider::get_by_id(Ctx ctx, std::string id) {
  auto answer = co_await cloud_.get(ctx, "/v1/machines/" + ccm::percent_encode(id), "GetMachine");
  if (!answer.ok()) co_return answer.status();
  auto machine = parse_machine(*answer);
  if (!machine.ok()) co_return machine.status().with_context("GetMachine");
  if (machine_id(machine->provider_id) != id) {
    co_return Status(Code::data_loss, ErrorClass::unavailable,
                     "GetMachine: the cloud answered with another machine")
        .with_reason("BadAnswer");
  }
  co_return machine;
}

Task<Result<Instance>> Provider::get_by_name(Ctx ctx, std::string name) {
  const std::string path = page_path(1, kPageSize) + "&name=" + ccm::percent_encode(name);
  auto answer = co_await cloud_.get(ctx, path, "FindMachine");
  if (!answer.ok()) co_return answer.status();
  auto page = parse_page(*answer);
  if (!page.ok()) co_return page.status().with_context("FindMachine");
  Listing listing;
  Status whole = listing.add(*std::move(page));
  if (!whole.ok()) co_return whole.with_context("FindMachine");
  if (listing.next_page()) {
    co_return Status(Code::failed_precondition, "FindMachine: several machines are named " + name);
  }
  ccm::InstancePages pages = listing.take();
  if (pages.count() < pages.total()) {
    co_return Status(Code::data_loss, ErrorClass::unavailable,
                     "FindMachine: the cloud's list is shorter than it says")
        .with_reason("BadMachineList");
  }
  co_return only_one(pages.take(), name);
}

Status Provider::needs_cloud() const {
  if (!cloud_.is_file()) return {};
  return Status(Code::unimplemented, ErrorClass::unsupported,
                "a machines file has no load balancers and no routes");
}

Task<Result<std::string>> Provider::machine_of(Ctx ctx, std::string name, std::string provider_id) {
  if (!provider_id.empty()) co_return machine_id(provider_id).value_or("");
  auto machine = co_await get_by_name(ctx, std::move(name));
  if (machine.status().code() == Code::not_found) co_return std::string();
  if (!machine.ok()) co_return machine.status();
  co_return machine_id(machine->provider_id).value_or("");
}

Task<Result<MachineIds>> Provider::machines_of(Ctx ctx, Backends backends) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  if (const auto last = last_machines_.lock(); last && last->backends.same(backends)) {
    co_return MachineIds(last, &last->ids);
  }
  const auto machines = std::make_shared<Machines>();
  bool asked = false;
  for (const Backend& backend : backends) {
    asked = asked || backend.provider_id.empty();
    auto id = co_await machine_of(ctx, backend.name, backend.provider_id);
    if (!id.ok()) co_return id.status();
    if (!id->empty()) machines->ids.push_back(*std::move(id));
  }
  std::sort(machines->ids.begin(), machines->ids.end());
  machines->backends = std::move(backends);
  if (!asked) last_machines_ = machines;
  co_return MachineIds(machines, &machines->ids);
}

Task<Result<LoadBalancer>> Provider::with_machines(Ctx ctx, LoadBalancerService service,
                                                   Backends backends, LoadBalancers::Work work) {
  auto machines = co_await machines_of(ctx, std::move(backends));
  if (!machines.ok()) co_return machines.status();
  auto answer = co_await (load_balancers_.*work)(ctx, std::move(service), *std::move(machines));
  co_return answer;
}

Task<Result<LoadBalancer>> Provider::observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                           Backends backends) {
  return with_machines(std::move(ctx), std::move(service), std::move(backends),
                       &LoadBalancers::observe);
}

Task<Result<LoadBalancer>> Provider::ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  return with_machines(std::move(ctx), std::move(service), std::move(backends),
                       &LoadBalancers::ensure);
}

Task<Result<LoadBalancer>> Provider::update_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends backends) {
  return with_machines(std::move(ctx), std::move(service), std::move(backends),
                       &LoadBalancers::update);
}

Task<Status> Provider::delete_load_balancer(Ctx ctx, LoadBalancerService service) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  Status deleted = co_await load_balancers_.remove(ctx, std::move(service));
  co_return deleted;
}

Task<Result<ccm::LoadBalancerLimits>> Provider::load_balancer_limits(Ctx ctx) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto limits = co_await load_balancers_.limits(ctx);
  co_return limits;
}

Task<Result<std::vector<Route>>> Provider::list_routes(Ctx ctx, std::string cluster_name) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto routes = co_await routes_.list(ctx, std::move(cluster_name));
  co_return routes;
}

Task<Result<std::vector<Status>>> Provider::apply_routes(Ctx ctx, std::string cluster_name,
                                                         std::vector<Route> removals,
                                                         std::vector<Route> additions) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  std::vector<std::string> machines;
  for (const Route& route : additions) {
    auto id = co_await machine_of(ctx, route.target_node, route.target_provider_id);
    if (!id.ok()) co_return id.status();
    machines.push_back(*std::move(id));
  }
  auto outcome = co_await routes_.apply(ctx, std::move(cluster_name), std::move(removals),
                                        std::move(additions), std::move(machines));
  co_return outcome;
}

Task<Result<ccm::RouteLimits>> Provider::route_limits(Ctx ctx) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto limits = co_await routes_.limits(ctx);
  co_return limits;
}

Task<Result<std::vector<ccm::OwnedObject>>> Provider::list_owned(Ctx ctx,
                                                                 ccm::ClusterNames cluster) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  auto objects = co_await owned_.list(ctx, std::move(cluster));
  co_return objects;
}

Task<Status> Provider::remove_owned(Ctx ctx, ccm::ClusterNames cluster, ccm::OwnedObject object) {
  Status possible = needs_cloud();
  if (!possible.ok()) co_return possible;
  Status removed = co_await owned_.remove(ctx, std::move(cluster), std::move(object));
  co_return removed;
}

}  // namespace sandbox
