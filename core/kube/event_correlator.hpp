// Processes an Event before it is sent: drops spam, joins similar Events, and counts repeats
// (API-113..115). No network; one thread. Private to core/kube.
#pragma once

#include "kube/events.hpp"
#include "kube/lru_map.hpp"

#include <boost/container/small_vector.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::kube {

// The hash of a text, by which the caches of Events know it: the texts themselves would take more
// memory than all Nodes of a cluster. It has a secret of the process, so that nobody can choose
// texts with one hash; of a few thousand texts two have the same one by chance in 10^12 processes.
uint64_t text_hash(std::string_view text);

struct RawEvent {
  ObjectReference about;
  EventType type = EventType::normal;
  std::string reason;
  std::string message;
  std::chrono::system_clock::time_point time;
};

class EventCorrelator {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit EventCorrelator(const EventOptions& options);

  struct Verdict {
    uint64_t key = 0;     // the key to pass to written()
    std::string message;  // maybe with the prefix of combined events
    int count = 1;
    // In the name of the stored Event to be patched; nothing when a new one is to be created.
    std::optional<std::chrono::nanoseconds> stored_name_time;
    std::chrono::system_clock::time_point first_time;
  };
  // Nothing when the event is dropped as spam.
  std::optional<Verdict> judge(const RawEvent& event, TimePoint now);
  // The Event was created or patched on the server, under the object's name with this time
  // (event_name).
  void written(const Verdict& verdict, std::chrono::nanoseconds name_time);

 private:
  // Thousands of each are kept: they are as small as can be, and hold no text.
  struct Bucket {
    double tokens = kUnused;
    TimePoint updated;
  };
  struct Similar {
    boost::container::small_vector<uint64_t, 1> messages;  // hashes of different ones
    TimePoint last;
  };
  struct Stored {
    int count = 0;
    std::chrono::nanoseconds name_time{0};
    std::chrono::system_clock::time_point first_time;
  };
  static constexpr double kUnused = -1;

  bool admit(uint64_t source, TimePoint now);

  std::string component_;
  std::size_t aggregate_after_;
  std::chrono::seconds aggregate_interval_;
  double spam_burst_;
  std::chrono::seconds spam_refill_;
  LruMap<Bucket> buckets_;
  LruMap<Similar> similar_;
  LruMap<Stored> stored_;
};

}  // namespace ccm::kube
