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

// The knowledge about one instance. `status` not ok: nothing, for that reason. Else `snapshot`
// holds it at `index`, or is null: the instance is absent.
struct InstanceAnswer {
  Status status;
  InstanceSnapshot::Ptr snapshot;
  std::size_t index = 0;

  // CCM_INSTANCE_*
  [[nodiscard]] int32_t state() const;
};

class KnownInstances {
 public:
  // `keep`: how long answers about single instances are kept. `doubt`: how long a listing that
  // shrank by half is doubted.
  KnownInstances(std::chrono::milliseconds keep, std::chrono::milliseconds doubt)
      : keep_(keep), doubt_(doubt) {}

  void listed(InstanceSnapshot::Ptr listing, runtime::TimePoint began);
  // Only existing instances: absence is never remembered (DO-319).
  void answered(const InstanceQuery& query, InstanceSnapshot::Ptr answer, std::size_t index,
                runtime::TimePoint began);

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
  // Instances missing from the listing prove nothing: it is incomplete, or empty, or holds less
  // than half of the instances of the one before.
  [[nodiscard]] bool doubtful() const { return doubtful_; }

 private:
  struct Single {
    InstanceSnapshot::Ptr snapshot;
    std::size_t index;
    runtime::TimePoint began;
  };

  [[nodiscard]] std::optional<InstanceAnswer> find_listed(const InstanceQuery& query) const;

  const std::chrono::milliseconds keep_;
  const std::chrono::milliseconds doubt_;
  InstanceSnapshot::Ptr listing_;
  runtime::TimePoint began_;
  bool doubtful_ = false;
  std::size_t trusted_size_ = 0;
  std::optional<runtime::TimePoint> doubted_since_;
  std::unordered_map<std::string, Single> singles_;
  std::size_t prune_at_ = 64;
};

}  // namespace ccm::plugin
