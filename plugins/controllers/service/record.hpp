// What this process knows of one Service's load balancer. All of it can be found out again: by the
// Service's annotations and by looking at the cloud.
#pragma once

#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ccm::service {

struct Record {
  using Milliseconds = std::chrono::milliseconds;

  std::string uid;
  // By the cloud's last answer.
  std::string id;
  std::vector<Label> annotations;
  std::vector<Ingress> ingress;

  std::string adopting;    // the id of one that is being taken over right now
  bool looked = false;     // the cloud has answered since this process leads
  bool applied = false;    // the cloud is as the two hashes say
  bool elsewhere = false;  // ... because another program sees to it (SVC-24)
  uint64_t intent_hash = 0;
  uint64_t backend_hash = 0;
  Milliseconds audit_due{0};

  bool announced = false;  // the Event that work on it begins was recorded
  bool deleting = false;   // ... that its deletion begins
  bool braked = false;     // ... that the host's brake holds its deletion
  bool scheduled = false;  // a change of Nodes brings it back soon

  // Nothing is tried before that time while the request is the one that failed, or waits.
  Milliseconds not_before{0};
  uint64_t held_hash = 0;
  Status held;  // why

  Milliseconds condition_written{0};
  Object newest;    // the answer to our own last write, until the watch has brought it
  Object vanished;  // the Service of before, gone with its load balancer still there (SVC-16)

  // The cloud may have something for it.
  [[nodiscard]] bool has_balancer() const { return !id.empty() || (applied && !elsewhere); }
};

}  // namespace ccm::service
