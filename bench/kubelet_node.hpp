// Nodes as kubelets register them: the size of a Node decides what it costs to write, read and
// watch one.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace ccm::bench {

std::string node_name(std::size_t i);

// The Node of a kubelet of v1.36 for a machine with four conditions of its own, three of
// node-problem-detector and one of the CNI, and with `images` container images of two names each
// (a kubelet reports 50 at most). No managedFields: the API server writes these.
nlohmann::json kubelet_node(std::size_t i, std::size_t images);

// How many images make the JSON of such a Node at least `bytes` long; 50 at most.
std::size_t images_for(std::size_t bytes);

// The body with which the CNI (flannel) annotates that Node, a strategic merge patch.
nlohmann::json cni_patch(std::size_t i);

// The body of a heartbeat: a strategic merge patch of the status in which the four conditions have
// a new time. `now` is RFC 3339.
nlohmann::json heartbeat_patch(const std::string& now);

}  // namespace ccm::bench
