// The cloud's last statements about its instances: the last listing, and the answers to later calls
// for single instances. Each answer has the time at which its call began, and proves nothing about
// later changes. Loop thread.
#pragma once

#include "cloud/broker/instance_snapshot.hpp"
#include "kube/object.hpp"
#include "plugin/origin.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace ccm::cloud {

// The instance in question (CLOUD-13), and how young the answer has to be.
struct InstanceQuery {
  std::string name;
  std::string provider_id;  // empty when the Node has none
  kube::ObjectPtr node;     // may be null
  // Earlier answers do not count: they may be about the instance of a former Node.
  runtime::TimePoint not_before{};
  // The answer must not be older either, unless that would cost too many calls; 0 = the broker's
  // choice.
  std::chrono::milliseconds max_age{0};
  std::shared_ptr<plugin::Origin> origin{};  // who asks; may be null
};

// The knowledge about one instance. `status` not ok: nothing, for that reason. Else `snapshot`
// holds it at `index`, or is null: the instance is absent.
struct InstanceAnswer {
  Status status;
  InstanceSnapshot::Ptr snapshot;
  std::size_t index = 0;

  // CCM_INSTANCE_*
  [[nodiscard]] int32_t state() const {
    if (!status.ok()) return CCM_INSTANCE_UNKNOWN;
    return snapshot ? snapshot->state(index) : CCM_INSTANCE_ABSENT;
  }
};

class KnownInstances {
 public:
  void listed(InstanceSnapshot::Ptr listing, runtime::TimePoint began);
  // An instance that exists, or does not (`answer` has no snapshot).
  void answered(const InstanceQuery& query, const InstanceAnswer& answer, runtime::TimePoint began);

  // Earlier knowledge of that instance does not count from `now` on; either may be empty.
  void outdated(const std::string& name, const std::string& provider_id, runtime::TimePoint now);
  // Earlier answers are too old for that question, or outdated; older ones than `max_age` are.
  [[nodiscard]] runtime::TimePoint earliest(const InstanceQuery& query, runtime::TimePoint now,
                                            std::chrono::milliseconds max_age) const;

  // The answer of a call that began then or later; nothing: there is none, or only a suspect
  // listing that lacks the instance. The absence that a look-up found is remembered for those who
  // poll; others have it asked for again (DO-319).
  [[nodiscard]] std::optional<InstanceAnswer> find(const InstanceQuery& query,
                                                   runtime::TimePoint not_before) const;
  // The cloud's listings leave that instance out, though look-ups find it: Nova's do so with softly
  // deleted servers. That absence says nothing about the instance.
  [[nodiscard]] bool unlisted(const InstanceQuery& query) const;

  // The instance's own provider ID, if the last listing holds it; else the given one.
  [[nodiscard]] std::string own_id(const std::string& provider_id) const;
  // The provider ID under which an instance that a look-up found is known already: by the listing,
  // or where there is none by an earlier look-up. Else the one that it has in this answer.
  [[nodiscard]] std::string known_id(const InstanceAnswer& answer) const;

  // The last listing and when it began; null before the first one.
  [[nodiscard]] const InstanceSnapshot::Ptr& listing() const { return listing_; }
  [[nodiscard]] runtime::TimePoint began() const { return began_; }
  // The beginning of the first one of the listings in a row that are incomplete or too short;
  // nothing: the last one is not.
  [[nodiscard]] const std::optional<runtime::TimePoint>& suspect_since() const {
    return suspect_since_;
  }
  // There is a listing that began then or later.
  [[nodiscard]] bool listed_since(runtime::TimePoint when) const {
    return listing_ != nullptr && began_ >= when;
  }

 private:
  struct Single {
    InstanceAnswer answer;
    runtime::TimePoint began;
  };

  void judge(InstanceSnapshot::Ptr listing, runtime::TimePoint began);
  void index_singles();
  [[nodiscard]] std::optional<InstanceAnswer> find_listed(const InstanceQuery& query) const;

  InstanceSnapshot::Ptr listing_;
  runtime::TimePoint began_;
  // Instances missing from the listing prove nothing: it is incomplete, or empty, or holds less
  // than half of the instances of the one before.
  bool suspect_ = false;
  std::optional<runtime::TimePoint> suspect_since_;
  std::size_t trusted_size_ = 0;
  std::optional<runtime::TimePoint> shrank_since_;
  std::unordered_map<std::string, Single> singles_;
  // Their keys by the name of the instance that was found. A key may be another instance's by now.
  std::unordered_multimap<std::string, std::string> single_keys_;
  std::size_t prune_at_ = 64;
  std::unordered_map<std::string, runtime::TimePoint> unlisted_;  // last found then
  std::unordered_map<std::string, runtime::TimePoint> hints_;     // by name or provider ID
};

}  // namespace ccm::cloud
