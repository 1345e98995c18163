// The brake on mass deletion, as pure logic: of the objects of one kind (Nodes, routes or load
// balancers) that the cloud's answers lack, which may be deleted now? docs/decisions/0007 has the
// reasons. Time is passed in; nothing here waits. One thread.
//
// The owner shows it the cloud's answers (observe), partial ones marked as such, asks for each
// object (judge), and reports the result (deleting, not_deleted). The brake judges the whole
// picture, not the single deletion: when 60 of 100 objects vanish at once, already the first
// deletion is stopped.
//
// An object whose removal was announced before it was first missed does not count: the announcement
// explains its absence. What the cloud calls terminated counts like what it lacks: a faulty one
// says so of all. An announced one still waits while others are held, since the answer that lacks
// it is not believed then, and it counts in an answer that is wrong about something else. A later
// announcement has no effect: a tool may drain objects because they look broken.
//
// Objects of one name count once in a window: whoever makes an object again after its deletion uses
// up no more of the limit.
#pragma once

#include "runtime/timers.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::cloud {

struct BrakeOptions {
  int percent = 25;  // share of all objects of the kind that may vanish in a window
  int minimum = 2;   // number that may always vanish in a window
  std::chrono::milliseconds window{600'000};
  std::chrono::milliseconds hold{1'800'000};  // afterwards, held deletions go at the limit's pace
};

// One answer of the cloud, compared with the objects in the cluster.
struct BrakeObservation {
  std::size_t known = 0;            // objects of this kind
  std::vector<std::string> absent;  // keys of those that the answer lacks, or calls terminated
  bool sighted = false;             // the answer holds something that is known to be there
  // The keys in `absent` of objects whose removal was announced.
  std::unordered_set<std::string> announced{};
  // How many of the other absent ones show signs of life: the answer is wrong about those.
  std::size_t alive = 0;
  // Names of absent objects, by key; without an entry the key itself. No two objects have one name
  // at a time.
  std::unordered_map<std::string, std::string> names{};
  // The keys in `absent` of objects that the answer calls terminated.
  std::unordered_set<std::string> terminated{};
  // It may lack others: what was absent before is so still.
  bool partial = false;
};

enum class BrakeVerdict {
  pass,
  blind,       // no observation yet, or the last one proves nothing, or not about this key
  over_limit,  // too many vanished at once
  too_early,   // too many for a process that has not watched a whole window yet
};

struct BrakeJudgement {
  BrakeVerdict verdict = BrakeVerdict::blind;
  std::chrono::milliseconds retry_after{0};  // when the verdict can change; 0 = at the next one
  bool counts = true;                        // a deletion that passes counts against the limit
};

// For status pages, Events and metrics.
struct BrakeReport {
  bool engaged = false;   // something is held because too many vanished at once
  bool blind = false;     // the last observation proved nothing
  bool observed = false;  // there was an observation; before the first one the rest says nothing
  std::size_t known = 0;
  std::size_t absent = 0;      // in the last sighted observation
  std::size_t announced = 0;   // announced ones among them
  std::size_t terminated = 0;  // terminated ones among them, by the cloud's own word
  bool contradicted = false;   // counted all the same: the answer lacks objects that are alive
  std::size_t held = 0;        // absent ones that are held because they are too many
  std::size_t deleted = 0;     // names of those deleted for absence within the window
  std::size_t limit = 0;       // in force now
  bool first_window = false;   // the limit is the minimum, since this process has just begun
  std::optional<runtime::TimePoint> engaged_since;
};

class Brake {
 public:
  explicit Brake(BrakeOptions options) : options_(options) {}

  // Deletions begin now: this process leads. Deletions in the window before that are unknown, so
  // only the minimum may be deleted until a window has passed.
  void begin(runtime::TimePoint now) { begun_ = now; }

  // An observation that is not sighted changes only that flag: it is no evidence.
  void observe(const BrakeObservation& observation, runtime::TimePoint now);

  // Whether the object may be deleted because it is absent. It must have been in the list of
  // the last observation.
  [[nodiscard]] BrakeJudgement judge(const std::string& key, runtime::TimePoint now) const;

  // The object is being deleted; `counted` says whether against the limit: false for announced ones
  // and for those that the operator released.
  void deleting(const std::string& key, bool counted, runtime::TimePoint now);
  // deleting() was called for it within the window. Asking again needs no further judgement.
  [[nodiscard]] bool is_deleting(const std::string& key) const { return deleted_.contains(key); }
  // It was not deleted after all.
  // The next observation judges it again and counts it.
  void not_deleted(const std::string& key) { deleted_.erase(key); }

  [[nodiscard]] BrakeReport report(runtime::TimePoint now) const;
  [[nodiscard]] const BrakeOptions& options() const { return options_; }

 private:
  struct Absence {
    runtime::TimePoint since;
    std::string name;
    bool suspect = false;    // was absent together with too many others
    bool announced = false;  // when it was first missed
    bool counted = false;    // an object of its name counts as deleted in the window already
    bool terminated = false;
    [[nodiscard]] bool counts() const { return !announced && !counted; }
  };
  struct Deletion {
    runtime::TimePoint at;
    std::string name;
    bool counted = true;
  };

  [[nodiscard]] std::size_t used(runtime::TimePoint now) const;
  Deletion* counted_of(const std::string& name);
  [[nodiscard]] std::size_t minimum() const {
    return static_cast<std::size_t>(std::max(options_.minimum, 0));
  }
  [[nodiscard]] std::size_t limit(runtime::TimePoint now) const;
  [[nodiscard]] std::size_t counting() const;
  [[nodiscard]] std::size_t announced() const;
  [[nodiscard]] bool watched_a_window(runtime::TimePoint now) const {
    return begun_ && now - *begun_ >= options_.window;
  }
  [[nodiscard]] std::size_t suspects() const;

  BrakeOptions options_;
  std::optional<runtime::TimePoint> begun_;
  bool observed_ = false;
  bool sighted_ = false;
  bool contradicted_ = false;  // too many are absent, and one of them is alive
  std::size_t known_ = 0;
  std::unordered_map<std::string, Absence> absent_;
  std::unordered_map<std::string, Deletion> deleted_;  // within the window
  std::optional<runtime::TimePoint> engaged_since_;
};

}  // namespace ccm::cloud
