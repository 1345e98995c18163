#include "services.hpp"

#include <nlohmann/json.hpp>

namespace ccm::bench {

using nlohmann::json;

bool has_address(const json& service) {
  return !service.at("status").at("loadBalancer").value("ingress", json::array()).empty();
}

std::size_t services_without_address(const Server& admin) {
  const json list = json::parse(send_one(admin, {"GET", kServices, "", ""}));
  std::size_t found = 0;
  for (const json& service : list.at("items")) {
    if (service.at("spec").value("type", "") != "LoadBalancer") continue;
    found += !has_address(service);
  }
  return found;
}

}  // namespace ccm::bench
