// The labels that the cloud gives a Node, and the repair of their newer names. Any thread.
#pragma once

#include "node_state.hpp"

#include <ccm/instances.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::node {

// A label of the cloud that does not go onto the Node.
struct RejectedLabel {
  std::string key;
  std::string value;
  std::string why;
  bool invalid = false;  // the API server would refuse it; else this controller skips it
};

struct LabelPlan {
  Labels set;  // only what differs from the Node's
  std::vector<RejectedLabel> rejected;
};

// NODE-15 to NODE-19: type, zone and region overwrite, an empty one changes nothing; additional
// labels only add, and never under a Kubernetes domain. Invalid ones are left out instead of
// letting the whole initialisation fail for ever (TRAP-32).
LabelPlan plan_labels(const Labels& existing, const Instance& instance);

// NODE-40 to NODE-42: the labels to set so that the newer name of each pair has the value of its
// beta name. The beta label is taken for the truth (TRAP-31).
Labels repaired_labels(const Labels& existing);

// For a Node that got type, zone and region from the cloud before: where they differ now. Skips a
// label that the Node has under neither name, empty values and values that the API server would
// refuse.
struct LabelChanges {
  Labels set;        // to be written
  Labels differing;  // zone and region of the cloud that the Node's labels contradict
};
// Zone and region are among `set` only with `topology`: people set them by hand, and volumes are in
// the zone of the old labels.
LabelChanges changed_labels(const Labels& existing, const Instance& instance, bool topology);

// Whether a key belongs to a domain of Kubernetes itself: "(^|\.)(kubernetes|k8s)\.io/".
bool is_kubernetes_key(std::string_view key);

}  // namespace ccm::node
