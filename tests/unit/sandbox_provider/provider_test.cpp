#include "sandbox/provider.hpp"

#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::InstanceState;
using ccm::Status;
using nlohmann::json;

const std::string kBase = "http://cloud:80";

std::string page_url(int page) {
  return kBase + "/v1/machines?page=" + std::to_string(page) + "&per_page=200";
}

json machine(int number) {
  const std::string id = "m-" + std::to_string(number);
  return {{"id", id}, {"name", "node-" + std::to_string(number)}, {"status", "running"}};
}

std::string page(int first, int count, int total, json next) {
  json machines = json::array();
  for (int i = first; i < first + count; ++i) machines.push_back(machine(i));
  return json{{"machines", machines}, {"meta", {{"total", total}, {"next_page", next}}}}.dump();
}

class ProviderTest : public ::testing::Test {
 protected:
  ProviderTest() {
    host.config.set_cloud_config(R"({"endpoint": "http://cloud:80", "token": "s3cret"})");
  }
  // Checks that nothing unexpected was asked and that the token was not logged.
  ~ProviderTest() override {
    EXPECT_TRUE(host.http.unexpected().empty()) << host.http.unexpected().front();
    EXPECT_TRUE(host.http.unmet().empty()) << host.http.unmet().front();
    EXPECT_FALSE(host.log.contains("s3cret"));
    EXPECT_TRUE(host.faults().empty());
  }
  void log_in() {
    host.http.expect("GET", kBase + "/v1/machines?page=1&per_page=1")
        .answer(200, page(0, 1, 400, 2));
    const Status status = provider.initialize();
    ASSERT_TRUE(status.ok()) << status.message();
  }

  ccm::testing::FakeHost host;
  ccm::testing::FakeComponent provider{
      host, ccm::testing::plugin_of<Provider, ccm::testing::Dispatch::loop>(), "test"};
};

TEST_F(ProviderTest, ABadConfigurationIsOneClearLine) {
  host.config.set_cloud_config(R"({"endpoint": "cloud"})");
  const Status status = provider.initialize();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("--cloud-config: \"endpoint\""), std::string::npos);
}

TEST_F(ProviderTest, InitializeTriesTheCredential) {
  host.http.expect("GET", kBase + "/v1/machines?page=1&per_page=1")
      .answer(401, R"({"error":{"code":"unauthorized","message":"bad token"}})");
  const Status status = provider.initialize();
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  ASSERT_EQ(host.http.requests().size(), 1U);
  EXPECT_EQ(host.http.requests()[0].headers[0].value, "Bearer s3cret");
  EXPECT_EQ(host.http.requests()[0].operation, "CheckCredential");
}

TEST_F(ProviderTest, InitializeFailsWhileTheCloudIsAway) {
  host.http.expect("GET", kBase + "/v1/machines?page=1&per_page=1").answer(503, "");
  EXPECT_EQ(provider.initialize().error_class(), ErrorClass::unavailable);
}

TEST_F(ProviderTest, ListReadsEveryPage) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(0, 200, 450, 2));
  host.http.expect("GET", page_url(2)).answer(200, page(200, 200, 450, 3));
  host.http.expect("GET", page_url(3)).answer(200, page(400, 50, 450, nullptr));
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 450U);
  EXPECT_EQ(list->instances.back().provider_id, "sandbox://m-449");
  EXPECT_EQ(host.http.requests().back().operation, "ListMachines");
}

TEST_F(ProviderTest, ElevenPagesAreOneListInTheirOrder) {
  log_in();
  const int count = 10 * 200 + 1;
  for (int i = 0; i < 11; ++i) {
    const bool last = i == 10;
    host.http.expect("GET", page_url(i + 1))
        .answer(200, page(i * 200, last ? 1 : 200, count, last ? json() : json(i + 2)));
  }
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(list->instances[static_cast<std::size_t>(i)].provider_id,
              "sandbox://m-" + std::to_string(i));
  }
  EXPECT_EQ(host.http.requests().size(), 12U);  // one of them to log in
}

// Neither memory nor calls follow from what a cloud only says.
TEST_F(ProviderTest, AnAbsurdLengthCostsAFewCalls) {
  log_in();
  const int64_t absurd = int64_t{1} << 60;
  const json meta = {{"total", absurd}, {"next_page", 2}};
  host.http.expect("GET", page_url(1))
      .answer(200, json{{"machines", {machine(0)}}, {"meta", meta}}.dump());
  for (int number = 2; number <= 5; ++number) {
    host.http.expect("GET", page_url(number))
        .answer(200, json{{"machines", json::array()},
                          {"meta", {{"total", absurd}, {"next_page", number + 1}}}}
                         .dump());
  }
  EXPECT_EQ(provider.list().status().reason(), "BadMachineList");
  EXPECT_EQ(host.http.requests().size(), 6U);
}

TEST_F(ProviderTest, SmallerPagesThanAskedForAreReadToTheirEnd) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(0, 100, 250, 2));
  host.http.expect("GET", page_url(2)).answer(200, page(100, 100, 250, 3));
  host.http.expect("GET", page_url(3)).answer(200, page(200, 50, 250, nullptr));
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 250U);
}

TEST_F(ProviderTest, AListThatEndsEarlyIsReadAgainAndIncomplete) {
  log_in();
  for (int i = 0; i < 2; ++i) {
    host.http.expect("GET", page_url(1)).answer(200, page(0, 200, 450, 2));
    host.http.expect("GET", page_url(2)).answer(200, page(200, 25, 450, nullptr));
    host.http.expect("GET", page_url(3)).answer(200, page(225, 0, 450, nullptr));
  }
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 225U);
  EXPECT_FALSE(list->complete);
}

TEST_F(ProviderTest, APageThatFailsFailsTheList) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(0, 200, 450, 2));
  host.http.expect("GET", page_url(2))
      .answer(429, R"({"error":{"message":"slow"}})", {{"retry-after", "4"}});
  host.http.expect("GET", page_url(3)).answer(200, page(400, 50, 450, nullptr));
  const Status status = provider.list().status();
  EXPECT_EQ(status.error_class(), ErrorClass::throttled);
  EXPECT_EQ(status.retry_after(), std::chrono::seconds(4));
}

TEST_F(ProviderTest, GarbageFailsTheList) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, "<html>");
  EXPECT_EQ(provider.list().status().reason(), "BadAnswer");
}

TEST_F(ProviderTest, AChangeInBetweenStartsTheListAgain) {
  log_in();
  host.http.expect("GET", page_url(1)).answer(200, page(0, 200, 201, 2));
  host.http.expect("GET", page_url(2)).answer(200, page(200, 2, 202, nullptr));
  host.http.expect("GET", page_url(1)).answer(200, page(0, 200, 202, 2));
  host.http.expect("GET", page_url(2)).answer(200, page(200, 2, 202, nullptr));
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 202U);
}

TEST_F(ProviderTest, ACloudThatNeverHoldsStillIsListedIncompletely) {
  log_in();
  for (int i = 0; i < 2; ++i) {
    host.http.expect("GET", page_url(1)).answer(200, page(0, 200, 201, 2));
    host.http.expect("GET", page_url(2)).answer(200, page(200, 2, 202, nullptr));
  }
  const auto list = provider.list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->instances.size(), 202U);
  EXPECT_FALSE(list->complete);
}

TEST_F(ProviderTest, AHangingCloudEndsWithTheDeadline) {
  log_in();
  host.http.expect("GET", page_url(1)).hang();
  EXPECT_EQ(provider.list().status().code(), Code::deadline_exceeded);
}

TEST_F(ProviderTest, CLOUD_13_GetGoesByIdFirst) {
  log_in();
  host.http.expect("GET", kBase + "/v1/machines/m-1").answer(200, machine(1).dump());
  const auto found = provider.get({"other-name", "sandbox://m-1", {}});
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->name, "node-1");
}

TEST_F(ProviderTest, GetTellsCertainAbsenceApart) {
  log_in();
  host.http.expect("GET", kBase + "/v1/machines/m-9")
      .answer(404, R"({"error":{"code":"not_found","message":"no such machine"}})");
  const Status absent = provider.get({"n", "sandbox://m-9", {}}).status();
  EXPECT_EQ(absent.code(), Code::not_found);
  EXPECT_EQ(absent.error_class(), ErrorClass::not_found);
  host.http.expect("GET", kBase + "/v1/machines/m-9").answer(500, "");
  EXPECT_EQ(provider.get({"n", "sandbox://m-9", {}}).status().error_class(),
            ErrorClass::unavailable);
}

TEST_F(ProviderTest, GetChecksThatItIsTheSameMachine) {
  log_in();
  host.http.expect("GET", kBase + "/v1/machines/m-1").answer(200, machine(2).dump());
  EXPECT_EQ(provider.get({"n", "sandbox://m-1", {}}).status().code(), Code::data_loss);
}

TEST_F(ProviderTest, OddIdsAndNamesAreEscaped) {
  log_in();
  host.http.expect("GET", kBase + "/v1/machines/..%2Fcontrol").answer(404, "");
  EXPECT_EQ(provider.get({"n", "sandbox://../control", {}}).status().code(), Code::not_found);
  host.http.expect("GET", page_url(1) + "&name=a%26b").answer(200, page(0, 0, 0, nullptr));
  EXPECT_EQ(provider.get({"a&b", "", {}}).status().code(), Code::not_found);
}

TEST_F(ProviderTest, TRAP_34_NamesAreExactAndUnique) {
  log_in();
  const std::string url = page_url(1) + "&name=node-1";
  host.http.expect("GET", url).answer(200, page(1, 1, 1, nullptr));
  EXPECT_EQ(provider.get({"node-1", "", {}})->provider_id, "sandbox://m-1");
  host.http.expect("GET", url).answer(200, page(10, 1, 1, nullptr));  // node-10 is another one
  EXPECT_EQ(provider.get({"node-1", "", {}}).status().error_class(), ErrorClass::not_found);
  json twins = json::parse(page(1, 1, 2, nullptr));
  twins["machines"].push_back(machine(2));
  twins["machines"][1]["name"] = "node-1";
  host.http.expect("GET", url).answer(200, twins.dump());
  EXPECT_EQ(provider.get({"node-1", "", {}}).status().code(), Code::failed_precondition);
  json repeated = json::parse(page(1, 1, 1, nullptr));
  repeated["machines"].push_back(machine(1));
  host.http.expect("GET", url).answer(200, repeated.dump());
  EXPECT_EQ(provider.get({"node-1", "", {}})->provider_id, "sandbox://m-1") << "one machine";
  host.http.expect("GET", url).answer(200, page(1, 0, 1, nullptr));
  EXPECT_EQ(provider.get({"node-1", "", {}}).status().reason(), "BadMachineList");
}

TEST_F(ProviderTest, AnotherCloudsIdIsLeftAlone) {
  log_in();
  EXPECT_EQ(provider.get({"n", "digitalocean://5", {}}).status().code(),
            Code::implemented_elsewhere);
}

TEST_F(ProviderTest, AChangedFileIsTakenOverAndAWrongOneIsNot) {
  log_in();
  host.config.change_cloud_config(R"({"endpoint": "http://cloud:80", "token": "fresh"})");
  host.loop.run();
  host.http.expect("GET", kBase + "/v1/machines/m-1").times(2).answer(200, machine(1).dump());
  EXPECT_TRUE(provider.get({"n", "sandbox://m-1", {}}).ok());
  EXPECT_EQ(host.http.requests().back().headers[0].value, "Bearer fresh");
  host.config.change_cloud_config("{\"endpoint\":");
  host.loop.run();
  EXPECT_TRUE(provider.get({"n", "sandbox://m-1", {}}).ok());
  EXPECT_EQ(host.http.requests().back().headers[0].value, "Bearer fresh");
  EXPECT_EQ(host.log.lines(CCM_LOG_ERROR).size(), 1U);
}

class MachinesFileTest : public ProviderTest {
 protected:
  MachinesFileTest()
      : path_(std::filesystem::path(::testing::TempDir()) /
              (std::string("machines-") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json")) {
    host.config.set_cloud_config(json{{"machines_file", path_.string()}}.dump());
  }
  ~MachinesFileTest() override { std::filesystem::remove(path_); }
  void write(const json& machines) { std::ofstream(path_) << json{{"machines", machines}}.dump(); }
  std::filesystem::path path_;
};

TEST_F(MachinesFileTest, IsReadAnewOnEachListing) {
  write(json::array({machine(1)}));
  ASSERT_TRUE(provider.initialize().ok());
  EXPECT_EQ(provider.list()->instances.size(), 1U);
  write(json::array({machine(1), machine(2)}));
  EXPECT_EQ(provider.list()->instances.size(), 2U);
  EXPECT_EQ(provider.get({"node-2", "", {}})->provider_id, "sandbox://m-2");
  EXPECT_EQ(provider.get({"x", "sandbox://m-1", {}})->name, "node-1");
  EXPECT_EQ(provider.get({"x", "sandbox://m-3", {}}).status().error_class(), ErrorClass::not_found);
  EXPECT_EQ(provider.get({"x", "aws://m-1", {}}).status().code(), Code::implemented_elsewhere);
}

TEST_F(MachinesFileTest, AMissingOrBrokenFileIsNamed) {
  Status status = provider.initialize();
  EXPECT_EQ(status.code(), Code::unavailable);
  EXPECT_NE(status.message().find(path_.string()), std::string::npos);
  write(json::array({machine(1), machine(1)}));
  status = provider.initialize();
  EXPECT_EQ(status.code(), Code::data_loss);
  EXPECT_NE(status.message().find(path_.string()), std::string::npos);
}

}  // namespace
}  // namespace sandbox
