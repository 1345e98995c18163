// The provider: which machines there are, and a load balancer for each Service that wants one. The
// manifest says "nonblocking": true, so the methods are coroutines on the host's loop.
#include "api.hpp"
#include "ccm_plugin_manifest.h"

#include <ccm/json_writer.hpp>
#include <ccm/percent_encode.hpp>
#include <ccm/plugin.hpp>

#include <optional>
#include <string>
#include <vector>

namespace @IDENTIFIER@ {

class Provider {
 public:
  using Machines = std::vector<ccm::Instance>;

  explicit Provider(ccm::Host& host) : host_(host), api_(host) {}

  // Called once. INVALID_ARGUMENT ends the host with this message; other failures are retried.
  ccm::Task<ccm::Status> initialize(ccm::Ctx ctx) {
    if (host_.config.flag("@NAME@-endpoint").value_or("").empty()) {
      co_return ccm::Status(ccm::Code::invalid_argument, "--@NAME@-endpoint is missing");
    }
    auto machines = co_await list(ctx);
    co_return machines.status();
  }

  // Every machine on all pages, or a failure: never a part, which would look like vanished machines. A
  // cloud whose pages have numbers moves machines from one to another meanwhile: see
  // ccm/instance_pages.hpp.
  ccm::Task<ccm::Result<Machines>> list(ccm::Ctx ctx) {
    Machines machines;
    std::string path = "/machines";
    while (!path.empty()) {
      auto page = co_await read_page(ctx, "ListMachines", path, "/machines");
      if (!page.ok()) co_return page.status();
      page->at("/machines").each([&](std::string_view, const ccm::Value& machine) {
        machines.push_back(read_machine(machine));
      });
      path = next_page("/machines", *page);
    }
    co_return machines;
  }

  // Compares before it writes: a second call writes nothing.
  ccm::Task<ccm::Result<ccm::LoadBalancer>> ensure_load_balancer(ccm::Ctx ctx,
                                                                 ccm::LoadBalancerService service,
                                                                 ccm::Backends backends) {
    const ccm::Object wanted = host_.parse(json_of(service, backends));
    auto search = co_await find(ctx, service, wanted);
    if (!search.ok()) co_return search.status();
    if (search->own && search->own->as_wanted) co_return result_of(*search->own, "");
    std::string method = "POST", path = "/load-balancers", difference = "created";
    if (search->own || !service.adopt_id.empty()) {
      method = "PUT";
      path = path_of(search->own ? search->own->id : service.adopt_id);
      difference = "ports or backends";
    } else if (search->foreign) {
      ccm::LoadBalancer foreign;
      foreign.state = ccm::LoadBalancerState::foreign;
      co_return foreign;
    }
    auto made = co_await api_.call(ctx, "WriteLoadBalancer", method, path, std::string(wanted.json()));
    if (!made.ok()) co_return made.status();
    co_return result_of(read_balancer(made->at(""), wanted), std::move(difference));
  }

  // Nothing is written for a load balancer that is not there, or somebody else's.
  ccm::Task<ccm::Status> delete_load_balancer(ccm::Ctx ctx, ccm::LoadBalancerService service) {
    const ccm::Object wanted = host_.parse(json_of(service, {}));
    auto search = co_await find(ctx, service, wanted);
    if (!search.ok()) co_return search.status();
    if (!search->own && !search->foreign) co_return ccm::Status();
    if (!search->own) {
      co_return ccm::Status(ccm::Code::failed_precondition,
                            "load balancer " + service.id + " is somebody else's")
          .with_reason(CCM_REASON_NOT_OWNED);
    }
    const std::string path = path_of(search->own->id);
    auto gone = co_await api_.call(ctx, "DeleteLoadBalancer", "DELETE", path);
    if (gone.status().code() == ccm::Code::not_found) co_return ccm::Status();
    co_return gone.status();
  }

 private:
  struct Balancer {
    std::string id, mark, address;
    bool as_wanted = false;
  };
  struct Search {
    std::optional<Balancer> own;  // the one with this Service's mark
    bool foreign = false;         // the recorded id leads to one without it
  };

  // By the recorded id, which proves nothing and says where to look, and then by the mark. A list that
  // cannot be read is a failure, and no absence.
  ccm::Task<ccm::Result<Search>> find(ccm::Ctx ctx, ccm::LoadBalancerService service,
                                      ccm::Object wanted) {
    Search search;
    const std::string mark(wanted.text("/mark"));
    if (!service.id.empty()) {
      const std::string path = path_of(service.id);
      auto found = co_await api_.call(ctx, "GetLoadBalancer", "GET", path);
      if (!found.ok() && found.status().code() != ccm::Code::not_found) co_return found.status();
      if (found.ok()) take(search, read_balancer(found->at(""), wanted), mark);
      search.foreign = found.ok() && !search.own;
    }
    std::string path = "/load-balancers";
    while (!search.own && !path.empty()) {
      auto page = co_await read_page(ctx, "ListLoadBalancers", path, "/loadBalancers");
      if (!page.ok()) co_return page.status();
      page->at("/loadBalancers").each([&](std::string_view, const ccm::Value& balancer) {
        take(search, read_balancer(balancer, wanted), mark);
      });
      path = next_page("/load-balancers", *page);
    }
    co_return search;
  }

  static void take(Search& search, Balancer balancer, const std::string& mark) {
    if (balancer.mark == mark) search.own = std::move(balancer);
  }

  ccm::Task<ccm::Result<ccm::Object>> read_page(ccm::Ctx ctx, std::string operation,
                                                std::string path, std::string list) {
    auto page = co_await api_.call(ctx, operation, "GET", path);
    if (page.ok() && page->at(list).kind() == ccm::ValueKind::array) co_return page;
    if (!page.ok() && page.status().code() != ccm::Code::not_found) co_return page;
    co_return ccm::Status(ccm::Code::data_loss, ccm::ErrorClass::unavailable,
                          operation + ": the answer has no list");
  }

  static std::string next_page(const std::string& path, const ccm::Object& page) {
    const std::string_view next = page.text("/next");
    return next.empty() ? "" : path + "?after=" + ccm::percent_encode(next);
  }

  static ccm::Instance read_machine(const ccm::Value& machine) {
    ccm::Instance instance;
    instance.provider_id = "@NAME@://" + std::string(machine.text("/id"));
    instance.name = machine.text("/name");
    instance.instance_type = machine.text("/type");
    instance.zone = machine.text("/zone");
    instance.addresses = {{"InternalIP", std::string(machine.text("/address"))}};
    // A machine that is switched off still exists; only "terminated" would lose its Node.
    instance.state = machine.at("/running").boolean().value_or(true) ? ccm::InstanceState::running
                                                                     : ccm::InstanceState::shutdown;
    return instance;
  }

  static Balancer read_balancer(const ccm::Value& value, const ccm::Object& wanted) {
    Balancer balancer;
    balancer.id = value.text("/id");
    balancer.mark = value.text("/mark");
    balancer.address = value.text("/address");
    balancer.as_wanted = value.at("/spec").equals(wanted.at("/spec"));
    return balancer;
  }

  static std::string path_of(const std::string& id) {
    return "/load-balancers/" + ccm::percent_encode(id);
  }

  static std::string json_of(const ccm::LoadBalancerService& service,
                             const ccm::Backends& backends) {
    ccm::JsonWriter json;
    json.object([&] {
      // Whose it is. It has the Service's UID, so it can be nobody else's.
      json.member("mark").text(service.cluster_name + "/" + service.uid);
      json.member("spec").object([&] {
        json.member("ports").array([&] {
          for (const ccm::ServicePort& port : service.ports) {
            json.object([&] {
              json.member("protocol").text(port.protocol);
              json.member("port").number(port.port);
              json.member("nodePort").number(port.node_port);
            });
          }
        });
        json.member("machines").array([&] {
          for (const ccm::Backend& backend : backends) json.text(backend.provider_id);
        });
        // Who may come in; none: everybody. A cloud that cannot keep others out refuses them.
        json.member("sources").array([&] {
          for (const std::string& range : service.source_ranges) json.text(range);
        });
      });
    });
    return std::move(json).str();
  }

  static ccm::LoadBalancer result_of(const Balancer& found, std::string difference) {
    ccm::LoadBalancer balancer;
    balancer.id = found.id;
    balancer.difference = std::move(difference);
    // Without an address the cloud still works on it; the host asks again.
    balancer.state = found.address.empty() ? ccm::LoadBalancerState::pending
                                           : ccm::LoadBalancerState::active;
    if (!found.address.empty()) balancer.ingress.emplace_back().ip = found.address;
    return balancer;
  }

  ccm::Host& host_;
  Api api_;
};

}  // namespace @IDENTIFIER@

CCM_PLUGIN(ccm::component<@IDENTIFIER@::Provider>("@NAME@"));
