// Compares a load balancer's addresses with .status.loadBalancer (SVC-42, SVC-45). Any thread.
#pragma once

#include <ccm/json_writer.hpp>
#include <ccm/load_balancer.hpp>

#include <vector>

namespace ccm::service {

// In the API server's form: VIP where an address has no mode (TRAP-13), no mode without one.
std::vector<Ingress> as_stored(std::vector<Ingress> ingress);

// Whether the stored one equals the load balancer's answer.
bool same_ingress(const std::vector<Ingress>& stored, const std::vector<Ingress>& answered);

void write_ingress(JsonWriter& json, const std::vector<Ingress>& ingress);

}  // namespace ccm::service
