// Semaphore: a bounded number of coroutines pass at once.
#include <ccm/host.hpp>
#include <ccm/scope.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>
#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm {
namespace {

class SemaphoreTest : public ::testing::Test {
 protected:
  // Keeps its permit in `held`.
  Task<Status> take(Semaphore* semaphore, std::string name, std::string namespace_name) {
    auto permit = co_await semaphore->acquire(std::move(namespace_name));
    held.emplace_back(std::move(name), std::move(permit));
    co_return Status();
  }
  void start(Scope& in, Semaphore& semaphore, std::string name, std::string namespace_name = {}) {
    in.start(take(&semaphore, std::move(name), std::move(namespace_name)), [](const Status&) {});
  }
  [[nodiscard]] std::vector<std::string> holders() const {
    std::vector<std::string> names;
    for (const auto& each : held) names.push_back(each.first);
    return names;
  }

  testing::FakeHost host;
  Host host_view{host.abi()};
  std::unique_ptr<Semaphore> semaphore = std::make_unique<Semaphore>(host_view.post, 1);
  std::vector<std::pair<std::string, Semaphore::Permit>> held;
  Scope scope;
};

TEST_F(SemaphoreTest, TheFirstThatCameIsTheFirstServed) {
  for (const char* name : {"first", "second", "third"}) start(scope, *semaphore, name);
  EXPECT_EQ(holders(), std::vector<std::string>{"first"});
  held.clear();
  start(scope, *semaphore, "late");  // does not overtake
  EXPECT_TRUE(held.empty());         // not inside the destructor of the permit
  host.loop.run();
  EXPECT_EQ(holders(), std::vector<std::string>{"second"});
}

TEST_F(SemaphoreTest, Issue37_TheNamespacesThatWaitTakeTurns) {
  start(scope, *semaphore, "first", "greedy");
  for (int i = 0; i < 1'000; ++i) start(scope, *semaphore, "greedy", "greedy");
  for (const char* name : {"honest-1", "honest-2"}) start(scope, *semaphore, name, "honest");
  std::vector<std::string> order;
  while (!held.empty()) {
    order.push_back(holders().front());
    held.clear();
    host.loop.run();
  }
  ASSERT_EQ(order.size(), 1'003U);
  order.resize(6);
  EXPECT_EQ(order, (std::vector<std::string>{"first", "greedy", "honest-1", "greedy", "honest-2",
                                             "greedy"}));
}

TEST_F(SemaphoreTest, Issue37_ANamespaceWhoseWaitersAreGoneIsNoTurn) {
  start(scope, *semaphore, "first", "a");
  std::optional<Scope> short_lived(std::in_place);
  for (int i = 0; i < 3; ++i) start(*short_lived, *semaphore, "destroyed", "b");
  start(scope, *semaphore, "last", "c");
  short_lived.reset();
  held.clear();
  host.loop.run();
  EXPECT_EQ(holders(), std::vector<std::string>{"last"});
}

TEST_F(SemaphoreTest, ADestroyedOneIsPassedOver) {
  start(scope, *semaphore, "first");
  std::optional<Scope> short_lived(std::in_place);
  start(*short_lived, *semaphore, "destroyed");
  start(scope, *semaphore, "patient");
  held.clear();  // the next one is posted
  short_lived.reset();
  host.loop.run();
  EXPECT_EQ(holders(), std::vector<std::string>{"patient"});
}

TEST_F(SemaphoreTest, APermitForADestroyedOneIsFreeAgain) {
  start(scope, *semaphore, "first");
  std::optional<Scope> short_lived(std::in_place);
  start(*short_lived, *semaphore, "destroyed");
  held.clear();
  short_lived.reset();
  host.loop.run();
  start(scope, *semaphore, "next");
  EXPECT_EQ(holders(), std::vector<std::string>{"next"});
}

TEST_F(SemaphoreTest, APermitThatIsHandedOverMayBeTheLastOfItsSemaphore) {
  start(scope, *semaphore, "first");
  std::optional<Scope> short_lived(std::in_place);
  start(*short_lived, *semaphore, "destroyed");
  held.clear();
  short_lived.reset();
  semaphore.reset();
  host.loop.run();
  EXPECT_TRUE(held.empty());
}

}  // namespace
}  // namespace ccm
