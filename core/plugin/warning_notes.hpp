// The last Warning Events of objects, for status pages: the API server drops Events after an hour,
// and some are recorded only once. Loop thread.
#pragma once

#include "kube/events.hpp"
#include "plugin/recent_map.hpp"
#include "runtime/timers.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

struct WarningReport {
  std::string kind;  // of the object: "Service"
  std::string reason;
  std::string message;
  std::chrono::nanoseconds since{0};  // it was recorded
};

class WarningNotes {
 public:
  static constexpr std::size_t kMostObjects = 4'096;  // then the oldest is dropped
  static constexpr std::size_t kMostReasons = 4;      // of an object; the last message of each

  explicit WarningNotes(const runtime::Timers& timers) : timers_(timers) {}

  void note(const kube::ObjectReference& about, const std::string& reason,
            const std::string& message);

  // `key`: "name" or "namespace/name". The newest first.
  [[nodiscard]] std::vector<WarningReport> find(std::string_view key) const;

 private:
  struct Warning {
    std::string reason;
    std::string message;
    runtime::TimePoint at;
  };
  struct Note {
    std::string kind;
    std::string uid;
    std::vector<Warning> warnings;  // the newest first
  };

  const runtime::Timers& timers_;
  RecentMap<Note> notes_{kMostObjects};
};

}  // namespace ccm::plugin
