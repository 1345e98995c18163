// Whether an object of the cloud still serves something in the cluster. Pure.
#pragma once

#include <ccm/owned.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

// "items" of the complete lists.
struct ClusterObjects {
  nlohmann::json services = nlohmann::json::array();
  nlohmann::json nodes = nlohmann::json::array();
};

// All that either of two looks shows: a Service that is made between the first and the list of the
// cloud's objects needs its load balancer.
ClusterObjects of_two_looks(ClusterObjects before, const ClusterObjects& after);

// Whether a Service or Node needs it, or the cluster as a whole. In doubt it does.
bool is_needed(const OwnedObject& object, const ClusterObjects& cluster);

// "default/web", for a Service that is gone with its UID as far as its mark tells them
// ("..." = its end is not known); the Node and range of a route. Printable.
std::string subject_of(const OwnedObject& object, const ClusterObjects& cluster);

// The namespace of its Services as its mark names them; empty = it does not.
std::string namespace_of(const OwnedObject& object);

// Load balancers of which several bear the mark of one Service: the keys of these Services, each
// with its load balancers' ids.
struct DoubledBalancer {
  std::string service;
  std::vector<std::string> ids;
};
std::vector<DoubledBalancer> doubled_balancers(const std::vector<OwnedObject>& objects,
                                               const ClusterObjects& cluster);

}  // namespace ccm::ctl
