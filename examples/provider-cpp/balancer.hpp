// A load balancer of the rack: HAProxy, which reads one file for each Service from a folder.
#pragma once

#include <ccm/load_balancer.hpp>
#include <ccm/node_ports.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace rack {

struct Balancer {
  std::filesystem::path folder;
  std::string address;  // where HAProxy listens

  // The Service's UID names the file, so it can be nobody else's.
  [[nodiscard]] std::filesystem::path file_of(const ccm::LoadBalancerService& service) const {
    return folder / (service.cluster_name + "-" + service.uid + ".cfg");
  }

  [[nodiscard]] std::string text_of(const ccm::LoadBalancerService& service,
                                    const ccm::Backends& backends) const {
    std::string text = "# Service " + service.namespace_name + "/" + service.name + "\n";
    for (const ccm::ServicePort& port : service.ports) {
      const std::string number = std::to_string(port.port);
      text += "listen " + service.default_name + "-" + number + "\n  mode tcp\n  bind " + address +
              ":" + number + "\n";
      if (!service.source_ranges.empty()) {
        text += "  tcp-request connection reject unless { src";
        for (const std::string& range : service.source_ranges) text += " " + range;
        text += " }\n";
      }
      for (const ccm::Backend& backend : backends) {
        if (backend.addresses.empty()) continue;
        text += "  server " + backend.name + " " + backend.addresses.front().address + ":" +
                std::to_string(port.node_port) + " check\n";
      }
    }
    return text;
  }

  // Writes only what differs, and never half of it.
  [[nodiscard]] ccm::Result<ccm::LoadBalancer> ensure(const ccm::LoadBalancerService& service,
                                                      const ccm::Backends& backends) const {
    if (ccm::Status status = ccm::need_node_ports(service); !status.ok()) return status;
    for (const ccm::ServicePort& port : service.ports) {
      if (port.protocol == "TCP") continue;
      return ccm::Status(ccm::Code::invalid_argument, ccm::ErrorClass::invalid_spec,
                         "the rack balances TCP ports alone");
    }
    ccm::LoadBalancer balancer;
    balancer.state = ccm::LoadBalancerState::active;
    balancer.id = service.uid;
    balancer.name = service.default_name;
    balancer.ingress.emplace_back().ip = address;
    const std::filesystem::path file = file_of(service);
    const std::string wanted = text_of(service, backends);
    std::ifstream existing(file);
    if (std::string(std::istreambuf_iterator<char>(existing), {}) == wanted) return balancer;
    const std::filesystem::path fresh = file.string() + ".new";
    std::ofstream(fresh) << wanted << std::flush;
    std::filesystem::rename(fresh, file);  // what throws becomes a failure of the operation
    balancer.difference = "its file";
    return balancer;
  }

  [[nodiscard]] ccm::Status remove(const ccm::LoadBalancerService& service) const {
    std::filesystem::remove(file_of(service));
    return {};
  }
};

}  // namespace rack
