// The provider: which machines there are, and a load balancer for each Service that wants one. The
// manifest says "nonblocking": true, so the methods are coroutines on the host's loop.
#include "api.hpp"
#include "ccm_plugin_manifest.h"

#include <ccm/json_writer.hpp>
#include <ccm/plugin.hpp>

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

  // Every machine, or a failure: never a part, which would look like vanished machines.
  ccm::Task<ccm::Result<Machines>> list(ccm::Ctx ctx) {
    auto answer = co_await api_.call(ctx, "ListMachines", "GET", "/machines");
    if (!answer.ok()) co_return answer.status();
    if (answer->at("/machines").kind() != ccm::ValueKind::array) {
      co_return ccm::Status(ccm::Code::data_loss, ccm::ErrorClass::unavailable,
                            "ListMachines: the answer has no list of machines");
    }
    Machines machines;
    answer->at("/machines").each([&](std::string_view, const ccm::Value& machine) {
      machines.push_back(read_machine(machine));
    });
    co_return machines;
  }

  // Compares before it writes: a second call writes nothing.
  ccm::Task<ccm::Result<ccm::LoadBalancer>> ensure_load_balancer(ccm::Ctx ctx,
                                                                 ccm::LoadBalancerService service,
                                                                 ccm::Backends backends) {
    const std::string path = path_of(service);
    const ccm::Object wanted = host_.parse(json_of(service, backends));
    auto found = co_await api_.call(ctx, "GetLoadBalancer", "GET", path);
    std::string difference = "created";
    if (found.ok()) {
      if (found->at("/spec").equals(wanted.at(""))) co_return balancer_of(*found, service, "");
      difference = "ports or backends";
    } else if (found.status().code() != ccm::Code::not_found) {
      co_return found.status();
    }
    auto made = co_await api_.call(ctx, "PutLoadBalancer", "PUT", path, std::string(wanted.json()));
    if (!made.ok()) co_return made.status();
    co_return balancer_of(*made, service, std::move(difference));
  }

  // Nothing is written for a load balancer that is not there.
  ccm::Task<ccm::Status> delete_load_balancer(ccm::Ctx ctx, ccm::LoadBalancerService service) {
    auto found = co_await api_.call(ctx, "GetLoadBalancer", "GET", path_of(service));
    if (found.status().code() == ccm::Code::not_found) co_return ccm::Status();
    if (!found.ok()) co_return found.status();
    auto gone = co_await api_.call(ctx, "DeleteLoadBalancer", "DELETE", path_of(service));
    if (gone.status().code() == ccm::Code::not_found) co_return ccm::Status();
    co_return gone.status();
  }

 private:
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

  // The name has the Service's UID, so the load balancer can be nobody else's.
  static std::string path_of(const ccm::LoadBalancerService& service) {
    return "/load-balancers/" + service.cluster_name + "-" + service.uid;
  }

  static std::string json_of(const ccm::LoadBalancerService& service,
                             const ccm::Backends& backends) {
    ccm::JsonWriter json;
    json.object([&] {
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
    });
    return std::move(json).str();
  }

  static ccm::LoadBalancer balancer_of(const ccm::Object& answer,
                                       const ccm::LoadBalancerService& service,
                                       std::string difference) {
    ccm::LoadBalancer balancer;
    balancer.id = service.cluster_name + "-" + service.uid;
    balancer.difference = std::move(difference);
    const std::string address(answer.text("/address"));
    // Without an address the cloud still works on it; the host asks again.
    balancer.state = address.empty() ? ccm::LoadBalancerState::pending
                                     : ccm::LoadBalancerState::active;
    if (!address.empty()) balancer.ingress.emplace_back().ip = address;
    return balancer;
  }

  ccm::Host& host_;
  Api api_;
};

}  // namespace @IDENTIFIER@

CCM_PLUGIN(ccm::component<@IDENTIFIER@::Provider>("@NAME@"));
