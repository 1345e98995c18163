#include "kube/event_correlator.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <list>
#include <random>
#include <utility>

namespace ccm::kube {
namespace {

TEST(LruMap, ForgetsTheLeastRecentlyUsed) {
  LruMap<int> map(2);
  map[1] = 1;
  map[2] = 2;
  EXPECT_EQ(map[1], 1);
  map[3] = 3;
  EXPECT_EQ(map.size(), 2u);
  EXPECT_EQ(map[1], 1);
  EXPECT_EQ(map[2], 0);
}

TEST(LruMap, OneEntryIsTheLeast) {
  LruMap<int> map(0);
  map[1] = 1;
  EXPECT_EQ(map[1], 1);
  map[2] = 2;
  EXPECT_EQ(map[1], 0);
  EXPECT_EQ(map.size(), 1u);
}

// Against the plainest list that does the same; many keys share a bucket.
TEST(LruMap, DoesWhatAListDoes) {
  constexpr std::size_t kLimit = 100;
  LruMap<int> map(kLimit);
  std::list<std::pair<uint64_t, int>> list;  // the youngest first
  std::minstd_rand random(7);
  for (int step = 1; step <= 20'000; ++step) {
    const uint64_t key = (random() % 10) << 32 | random() % 17;
    auto known = list.begin();
    while (known != list.end() && known->first != key) ++known;
    if (known == list.end()) {
      list.emplace_front(key, 0);
      if (list.size() > kLimit) list.pop_back();
    } else {
      list.splice(list.begin(), list, known);
    }
    int& value = map[key];
    ASSERT_EQ(value, list.front().second) << "step " << step;
    value = list.front().second = step;
    ASSERT_EQ(map.size(), list.size());
  }
}

}  // namespace
}  // namespace ccm::kube
