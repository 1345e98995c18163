// The results of the health checks, for /metrics/slis (MET-45). Any thread.
#pragma once

#include <prometheus/collectable.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ccm::serving {

class HealthMetrics final : public prometheus::Collectable {
 public:
  void record(const std::string& check, bool healthy);
  void reset();  // HOST-99
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Counts {
    bool healthy = false;
    uint64_t successes = 0;
    uint64_t errors = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Counts> checks_;
};

}  // namespace ccm::serving
