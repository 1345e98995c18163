// A provider in C by the helpers of ccm/c/provider.h, and the helpers themselves.
#include <ccm/c/provider.h>
#include <ccm/testing/fake_component.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

extern "C" const ccm_plugin* ccm_plugin_v1(void);

namespace ccm {
namespace {

using testing::FakeComponent;
using testing::FakeHost;

TEST(CProvider, ListsWhatItsFileSays) {
  FakeHost host;
  host.config.set_cloud_config(
      "# serial host address power\nA1 n1 10.0.0.1 on\n\nA2 n2 10.0.0.2 off");
  FakeComponent provider(host, ccm_plugin_v1(), "rack");
  ASSERT_TRUE(provider.created().ok()) << provider.created().message();
  ASSERT_TRUE(provider.initialize().ok());
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 2U);
  EXPECT_EQ(list->instances[0].provider_id, "rack://A1");
  EXPECT_EQ(list->instances[0].addresses[0].address, "10.0.0.1");
  EXPECT_EQ(list->instances[1].state, InstanceState::shutdown);
  EXPECT_FALSE(provider.interface<ccm_cloud_routes>(CCM_CLOUD_ROUTES));
  EXPECT_TRUE(host.faults().empty());
}

TEST(CProvider, FailsWithAClassAndAMessage) {
  FakeHost host;
  FakeComponent provider(host, ccm_plugin_v1(), "rack");
  EXPECT_EQ(provider.initialize().code(), Code::invalid_argument);
  host.config.set_cloud_config("A1 n1");
  EXPECT_EQ(provider.list().status().error_class(), ErrorClass::unavailable);
  host.hide(CCM_HOST_CONFIG);
  FakeComponent bare(host, ccm_plugin_v1(), "rack");
  EXPECT_NE(bare.created().message().find(CCM_HOST_CONFIG), std::string::npos);
}

TEST(CProvider, R_6_RefusesWhatItDoesNotKnow) {
  FakeHost host;
  FakeComponent provider(host, ccm_plugin_v1(), "rack");
  const auto table = provider.interface<ccm_provider>(CCM_PROVIDER);
  auto request = sized<ccm_initialize_request>();
  request.flags = 1;
  Status seen;
  const auto keep = [](void* owner, uint64_t, const ccm_status* status, const void*) {
    *static_cast<Status*>(owner) = Status::from_c(status);
  };
  table.get (&ccm_provider::initialize)(table.self(), ccm_ctx{0}, &request, {keep, &seen, 1});
  EXPECT_EQ(seen.code(), Code::unimplemented);
  EXPECT_EQ(seen.reason(), CCM_REASON_UNKNOWN_REQUEST);
}

TEST(CHelpers, TextsAreComparedAndCopied) {
  EXPECT_TRUE(ccm_is(ccm_text("abc"), "abc"));
  EXPECT_FALSE(ccm_is(ccm_text("abc"), "ab"));
  EXPECT_TRUE(ccm_is(ccm_text(nullptr), ""));
  EXPECT_TRUE(ccm_is(ccm_str{nullptr, 5}, ""));
  std::array<char, 4> buffer{};
  EXPECT_TRUE(ccm_copy_text(buffer.data(), buffer.size(), ccm_text("abc")));
  EXPECT_STREQ(buffer.data(), "abc");
  EXPECT_FALSE(ccm_copy_text(buffer.data(), buffer.size(), ccm_text("abcd")));
  EXPECT_STREQ(buffer.data(), "");
  EXPECT_TRUE(ccm_copy_text(buffer.data(), buffer.size(), ccm_str{nullptr, 9}));
  EXPECT_FALSE(ccm_copy_text(nullptr, 0, ccm_text("")));
}

TEST(CHelpers, CompletionsCarryClassAndDelay) {
  Status seen;
  const ccm_completion done{[](void* owner, uint64_t, const ccm_status* status, const void*) {
                              *static_cast<Status*>(owner) = Status::from_c(status);
                            },
                            &seen, 1};
  ccm_waiting(done, 2'000, "it is being made");
  EXPECT_EQ(seen.error_class(), ErrorClass::waiting);
  EXPECT_EQ(seen.retry_after(), std::chrono::seconds(2));
  ccm_not_found(done, "gone");
  EXPECT_EQ(seen.error_class(), ErrorClass::not_found);
  ccm_end(done, CCM_CODE_RESOURCE_EXHAUSTED, CCM_CLASS_QUOTA, 5, "Full", "no more", nullptr);
  EXPECT_EQ(seen.reason() + seen.message(), "Fullno more");
  ccm_ok(done, nullptr);
  EXPECT_TRUE(seen.ok());
}

}  // namespace
}  // namespace ccm
