// The UID of the namespace kube-system, as a provider asks for it.
#include <ccm/cluster_uid.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ccm {
namespace {

struct Asking {
  explicit Asking(Host& host) : uid(host) {}
  Task<Status> initialize(Ctx ctx) {
    const auto got = co_await uid.get(std::move(ctx));
    if (!got.ok()) co_return got.status();
    last = *got;
    co_return Status();
  }
  static inline std::string last;
  ClusterUid uid;
};

class ClusterUidTest : public ::testing::Test {
 protected:
  ClusterUidTest() { Asking::last = "nothing yet"; }
  void put(const std::string& uid) {
    host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":")" + uid + R"("}})");
  }
  testing::FakeHost host;
  testing::FakeComponent component{host, testing::plugin_of<Asking, testing::Dispatch::loop>(),
                                   "test"};
};

TEST_F(ClusterUidTest, IsAskedForOnce) {
  put("c-1");
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_EQ(Asking::last, "c-1");
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_EQ(host.kube.calls("get").size(), 1U);
}

TEST_F(ClusterUidTest, IsEmptyWithoutTheRightOrTheNamespace) {
  host.kube.fail_next("get", "v1/namespaces", Status(Code::permission_denied, "forbidden"));
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_EQ(Asking::last, "");
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_EQ(host.kube.calls("get").size(), 1U);
}

// An API server that is away for a moment does not leave marks without it for ever.
TEST_F(ClusterUidTest, IsAskedForAgainAfterAFailure) {
  put("c-1");
  host.kube.fail_next("get", "v1/namespaces", Status(Code::unavailable, "away"));
  EXPECT_EQ(component.initialize().code(), Code::unavailable);
  EXPECT_TRUE(component.initialize().ok());
  EXPECT_EQ(Asking::last, "c-1");
}

}  // namespace
}  // namespace ccm
