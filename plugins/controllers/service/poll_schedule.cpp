#include "poll_schedule.hpp"

namespace ccm::service {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortest{500};
constexpr milliseconds kLongest{16'000};

milliseconds spacing(milliseconds age) {
  milliseconds pause = kShortest;
  while (pause < kLongest && 2 * pause <= age / 3) pause *= 2;
  return pause;
}

}  // namespace

milliseconds until_next_poll(milliseconds now, milliseconds since) {
  const milliseconds pause = spacing(now - since);
  // Half a spacing at least, for a poll just before a multiple.
  const milliseconds earliest = now + pause / 2;
  const milliseconds due = (earliest + pause - milliseconds(1)) / pause * pause;
  return due - now;
}

}  // namespace ccm::service
