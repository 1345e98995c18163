// Faults of the cloud by chance: 5xx, 429, cut connections, lost answers, slow answers.
#pragma once

#include "digitalocean_api/api.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

namespace ccm::soak {

// Used within the fake's lock only.
class Faults {
 public:
  Faults(double percent, uint32_t seed) : share_(percent / 100), random_(seed) {}

  std::optional<digitalocean_api::ApiFault> choose();
  void stop() { share_ = 0; }
  // How often each kind struck.
  [[nodiscard]] const std::map<std::string, int64_t>& count() const { return count_; }

 private:
  double share_;
  std::mt19937 random_;
  std::map<std::string, int64_t> count_;
};

}  // namespace ccm::soak
