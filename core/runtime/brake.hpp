// The brake on mass deletion, as pure logic: of things of one kind (Nodes, later routes and load
// balancers) that the cloud's answers lack, which may be deleted now? docs/decisions/0007 has the
// reasons. Time is passed in; nothing here waits. One thread.
//
// The owner shows it each complete answer of the cloud (look), asks for each thing (judge),
// and says what it did (deleting, not_deleted). What is judged is the whole picture, not the single
// deletion: 60 of 100 things that vanish at once stop the first of them already.
//
// What was announced before it was first missed does not count: that somebody takes it away
// explains that it is gone. It waits, too, while others are held, since the answer that lacks it is
// not believed then, and it counts in an answer that is wrong about something else. An announcement
// that comes later is none: something may have drained what it believed to be broken.
#pragma once

#include "runtime/timers.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ccm::runtime {

struct BrakeOptions {
  int percent = 25;  // of all things of the kind that may vanish in a window
  int minimum = 2;   // so many may always vanish in a window
  std::chrono::milliseconds window{600'000};
  std::chrono::milliseconds hold{1'800'000};  // after which what is held goes at the limit's pace
};

// One complete answer of the cloud, compared with the things that the cluster knows.
struct BrakeLook {
  std::size_t known = 0;            // things of this kind
  std::vector<std::string> absent;  // keys of those that the answer lacks
  bool sighted = false;             // the answer holds something that is known to be there
  // Of the absent ones, those of which somebody said that they are to go.
  std::unordered_set<std::string> announced{};
  // Of the others, how many show signs of life: the answer is wrong about those.
  std::size_t alive = 0;
};

enum class BrakeVerdict {
  pass,
  blind,       // the last look proves nothing
  over_limit,  // too many are gone at once
  too_early,   // too many for a process that has not watched a whole window yet
};

struct BrakeJudgement {
  BrakeVerdict verdict = BrakeVerdict::blind;
  std::chrono::milliseconds retry_after{0};  // when it can be another one; 0 = at the next look
  bool counts = true;                        // a deletion that passes counts against the limit
};

// For status pages, Events and metrics.
struct BrakeReport {
  bool engaged = false;  // something is held because too much is gone at once
  bool blind = false;    // the last look proved nothing
  bool looked = false;   // there was a look; before the first one the rest says nothing
  std::size_t known = 0;
  std::size_t absent = 0;     // in the last sighted look
  std::size_t announced = 0;  // of those, announced
  bool contradicted = false;  // and counted all the same: the answer lacks what is alive
  std::size_t held = 0;       // of the absent ones, held because they are too many
  std::size_t deleted = 0;    // for absence, within the window
  std::size_t limit = 0;      // in force now
  bool first_window = false;  // the limit is the minimum, since this process has only begun
  std::optional<TimePoint> engaged_since;
};

class Brake {
 public:
  explicit Brake(BrakeOptions options) : options_(options) {}

  // Deletions begin now: this process leads. What was deleted in the window before is unknown, so
  // until the window has passed only the minimum may go.
  void begin(TimePoint now);

  // A look that is not sighted changes nothing but that: it is no evidence.
  void look(const BrakeLook& look, TimePoint now);

  // Whether the thing may be deleted because it is absent. It must have been in the last look's
  // list.
  [[nodiscard]] BrakeJudgement judge(const std::string& key, TimePoint now) const;

  // The thing is being deleted; `counted` says whether against the limit: false for what the cloud
  // says it destroyed and for what the operator released.
  void deleting(const std::string& key, bool counted, TimePoint now);
  // That was said within the window. Asking again needs no further judgement.
  [[nodiscard]] bool is_deleting(const std::string& key) const { return deleted_.contains(key); }
  // It was not, after all.
  void not_deleted(const std::string& key);

  [[nodiscard]] BrakeReport report(TimePoint now) const;
  [[nodiscard]] const BrakeOptions& options() const { return options_; }

 private:
  struct Absence {
    TimePoint since;
    bool suspect = false;    // was absent together with too many others
    bool announced = false;  // when it was first missed
  };
  struct Deletion {
    TimePoint at;
    bool counted = true;
  };

  [[nodiscard]] std::size_t used(TimePoint now) const;
  [[nodiscard]] std::size_t minimum() const;
  [[nodiscard]] std::size_t limit(TimePoint now) const;
  [[nodiscard]] std::size_t unannounced() const;
  [[nodiscard]] bool watched_a_window(TimePoint now) const;
  [[nodiscard]] std::size_t suspects() const;

  BrakeOptions options_;
  std::optional<TimePoint> begun_;
  bool looked_ = false;
  bool sighted_ = false;
  bool contradicted_ = false;  // too many are absent, and one of them is alive
  std::size_t known_ = 0;
  std::unordered_map<std::string, Absence> absent_;
  std::unordered_map<std::string, Deletion> deleted_;  // within the window
  std::optional<TimePoint> engaged_since_;
};

}  // namespace ccm::runtime
