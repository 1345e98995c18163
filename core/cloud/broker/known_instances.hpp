// The cloud's last statements about its instances: the last listing, and the answers to later calls
// for single instances. Each answer has the time at which its call began, and proves nothing about
// later changes. Loop thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/instance_source.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace ccm::plugin {

class KnownInstances {
 public:
  // `keep`: how long answers are of use.
  explicit KnownInstances(std::chrono::milliseconds keep) : keep_(keep) {}

  void listed(InstanceSnapshot::Ptr listing, runtime::TimePoint began);
  // Only existing instances: absence is never remembered (DO-319).
  void answered(const InstanceQuery& query, const InstanceAnswer& answer, runtime::TimePoint began);

  // Earlier knowledge of that instance does not count from `now` on; either may be empty.
  void outdated(const std::string& name, const std::string& provider_id, runtime::TimePoint now);
  // Earlier answers are too old for that question, or outdated.
  [[nodiscard]] runtime::TimePoint earliest(const InstanceQuery& query,
                                            runtime::TimePoint now) const;

  // The answer of a call that began then or later; nothing: there is none, or only a doubted
  // listing that lacks the instance.
  [[nodiscard]] std::optional<InstanceAnswer> find(const InstanceQuery& query,
                                                   runtime::TimePoint not_before) const;

  // The last listing and when it began; null before the first one.
  [[nodiscard]] const InstanceSnapshot::Ptr& listing() const { return listing_; }
  [[nodiscard]] runtime::TimePoint began() const { return began_; }
  // There is a listing that began then or later.
  [[nodiscard]] bool listed_since(runtime::TimePoint when) const {
    return listing_ != nullptr && began_ >= when;
  }

 private:
  struct Single {
    InstanceAnswer answer;
    runtime::TimePoint began;
  };

  [[nodiscard]] std::optional<InstanceAnswer> find_listed(const InstanceQuery& query) const;

  const std::chrono::milliseconds keep_;
  InstanceSnapshot::Ptr listing_;
  runtime::TimePoint began_;
  // Instances missing from the listing prove nothing: it is incomplete, or empty, or holds less
  // than half of the instances of the one before.
  bool doubtful_ = false;
  std::size_t trusted_size_ = 0;
  std::optional<runtime::TimePoint> doubted_since_;
  std::unordered_map<std::string, Single> singles_;
  std::size_t prune_at_ = 64;
  std::unordered_map<std::string, runtime::TimePoint> hints_;  // by name or provider ID
};

}  // namespace ccm::plugin
