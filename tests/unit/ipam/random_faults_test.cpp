// Random faults in random order: no two Nodes share a block, no Node loses one, nothing leaks.
#include "ipam_fixture.hpp"

#include <random>
#include <set>

namespace ccm::ipam {
namespace {

class RandomFaultsTest : public IpamTest {
 protected:
  static constexpr int kBlocks = 16;

  void no_block_twice() {
    std::set<std::string> seen;
    for (const std::string& name : names_) {
      const Texts now = ranges(name);
      for (const std::string& range : now) {
        ASSERT_TRUE(seen.insert(range).second) << range << " again, on " << name;
      }
      Texts& before = known_[name];
      if (!before.empty()) {
        ASSERT_EQ(now, before) << name;
      }
      before = now;
    }
  }

  void join() {
    if (names_.size() >= kBlocks) return;
    const std::string name = "n" + std::to_string(random_() % 30);
    if (!names_.insert(name).second) return;
    Json object = node(name);
    object["metadata"]["uid"] = name + "-" + std::to_string(++uids_);
    put(object);
  }
  void leave() {
    if (names_.empty()) return;
    auto place = names_.begin();
    std::advance(place, static_cast<int64_t>(random_() % names_.size()));
    remove(*place);
    known_.erase(*place);
    names_.erase(place);
  }
  Status any_failure() {
    switch (random_() % 6) {
      case 0:
        return lost();
      case 1:
        return Status(Code::deadline_exceeded, ErrorClass::unavailable, "timeout");
      case 2:
        return Status(Code::aborted, ErrorClass::conflict, "409");
      case 3:
        return Status(Code::unavailable, ErrorClass::throttled, "429");
      case 4:
        return invalid();
      default:
        return Status(Code::internal, "500");
    }
  }
  // Only what leaves open whether the write happened.
  Status any_loss() { return random_() % 2 == 0 ? lost() : Status(Code::cancelled, "cancelled"); }

  void step() {
    switch (random_() % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
        return join();
      case 4:
        return leave();
      case 5:
        return host.kube.fail_next("patch", "v1/nodes", any_failure());
      case 6:
        return host.kube.lose_answer("patch", "v1/nodes", any_loss());
      case 7:
        return host.kube.fail_next("get", "v1/nodes", any_failure());
      case 8:
        return host.kube.before_next("patch", "v1/nodes",
                                     [this] { random_() % 2 ? leave() : join(); });
      case 9:
        host.kube.set_cache_follows(random_() % 3 != 0);
        return host.kube.catch_up();
      case 10:
        return controller->advance(milliseconds(random_() % 2'000));
      default:
        return controller->run();
    }
  }

  void play(const std::string& cluster_cidr, unsigned seed) {
    random_.seed(seed);
    pools(cluster_cidr);
    start();
    for (int i = 0; i < 200; ++i) {
      step();
      ASSERT_NO_FATAL_FAILURE(no_block_twice()) << "seed " << seed << " step " << i;
      if (i % 70 == 69) start();  // a new process
    }
    finish(cluster_cidr, seed);
  }

  // Without faults everybody gets his blocks, and as many are in use as Nodes are there.
  void finish(const std::string& cluster_cidr, unsigned seed) {
    host.kube.set_cache_follows(true);
    for (int i = 0; i < 25; ++i) {  // what was scripted is used up
      host.kube.catch_up();
      controller->advance(milliseconds(400'000));
      join();
    }
    ASSERT_NO_FATAL_FAILURE(no_block_twice()) << "seed " << seed;
    for (const std::string& name : names_) {
      EXPECT_FALSE(ranges(name).empty()) << name << " seed " << seed;
    }
    for (std::size_t begin = 0; begin < cluster_cidr.size();) {
      const std::size_t comma = std::min(cluster_cidr.find(',', begin), cluster_cidr.size());
      const std::string cluster = cluster_cidr.substr(begin, comma - begin);
      EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", cluster) * kBlocks,
                static_cast<double>(names_.size()))
          << cluster << " seed " << seed;
      begin = comma + 1;
    }
    for (const std::string& name : names_) remove(name);
    names_.clear();
    known_.clear();
    controller->run();
  }

  std::mt19937 random_;
  std::set<std::string> names_;
  std::map<std::string, Texts> known_;
  int uids_ = 0;
};

TEST_F(RandomFaultsTest, SingleStack) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    ASSERT_NO_FATAL_FAILURE(play("10.0.0.0/20", seed));
  }
}

TEST_F(RandomFaultsTest, DualStack) {
  for (unsigned seed = 101; seed <= 105; ++seed) {
    ASSERT_NO_FATAL_FAILURE(play("fd00::/60,10.0.0.0/20", seed));
  }
}

}  // namespace
}  // namespace ccm::ipam
