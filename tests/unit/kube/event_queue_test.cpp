#include "kube/event_correlator.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>
#include <string>

namespace ccm::kube {
namespace {

RawEvent event(const std::string& name, const std::string& message) {
  RawEvent made;
  made.about = {"v1", "Service", "team", name, "uid-" + name, "7"};
  made.type = EventType::warning;
  made.reason = "SyncFailed";
  made.message = message;
  made.time = std::chrono::system_clock::time_point(std::chrono::microseconds(1'767'323'045'123));
  return made;
}

void expect_same(const RawEvent& one, const RawEvent& other) {
  EXPECT_EQ(one.about.api_version, other.about.api_version);
  EXPECT_EQ(one.about.kind, other.about.kind);
  EXPECT_EQ(one.about.namespace_name, other.about.namespace_name);
  EXPECT_EQ(one.about.name, other.about.name);
  EXPECT_EQ(one.about.uid, other.about.uid);
  EXPECT_EQ(one.about.resource_version, other.about.resource_version);
  EXPECT_EQ(one.type, other.type);
  EXPECT_EQ(one.reason, other.reason);
  EXPECT_EQ(one.message, other.message);
  EXPECT_EQ(one.time, other.time);
}

TEST(EventQueue, GivesBackWhatItTook) {
  EventQueue queue;
  const RawEvent first = event("web", std::string("a NUL \0, a line\n, and \xff", 23));
  const RawEvent longest = event("large", std::string(100'000, 'x'));
  RawEvent least;
  for (const RawEvent& each : {first, longest, least, first}) queue.push(each);
  EXPECT_EQ(queue.size(), 4u);
  for (const RawEvent& each : {first, longest, least, first}) expect_same(queue.pop(), each);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(EventQueue, KeepsTheOrderOverManyBlocks) {
  EventQueue queue;
  std::deque<RawEvent> expected;
  std::minstd_rand random(3);
  for (int step = 0; step < 5'000; ++step) {
    // Grows for a while, then shrinks, again and again.
    if (step / 500 % 2 == 0 ? random() % 4 != 0 : expected.empty()) {
      expected.push_back(event(std::to_string(step), std::string(random() % 900, 'm')));
      queue.push(expected.back());
    } else if (!expected.empty()) {
      expect_same(queue.pop(), expected.front());
      expected.pop_front();
    }
    ASSERT_EQ(queue.size(), expected.size());
  }
}

}  // namespace
}  // namespace ccm::kube
