#include "cloud_fixture.hpp"

namespace sandbox::cloud::testing {
namespace {

class CloudMachines : public CloudFixture {};

TEST_F(CloudMachines, DefaultsAreFilledIn) {
  Json machine = send("PUT", "/control/machines/m-1", Json::object()).body;
  EXPECT_EQ(machine.at("id"), "m-1");
  EXPECT_EQ(machine.at("name"), "m-1");
  EXPECT_EQ(machine.at("status"), "running");
  EXPECT_EQ(machine.at("addresses").size(), 2u);
  EXPECT_EQ(machine.at("generation"), 1);
  EXPECT_EQ(send("GET", "/v1/machines/m-1").body, machine);
}

TEST_F(CloudMachines, PutAgainKeepsTheAddressAndCountsGenerations) {
  Json first = send("PUT", "/control/machines/m-1", Json::object()).body;
  Json second = send("PUT", "/control/machines/m-1", {{"type", "large"}}).body;
  EXPECT_EQ(second.at("addresses"), first.at("addresses"));
  EXPECT_EQ(second.at("type"), "large");
  EXPECT_EQ(second.at("generation"), 2);
}

TEST_F(CloudMachines, PagesAreOrderedById) {
  generate(450);
  Json first = send("GET", "/v1/machines?per_page=200").body;
  EXPECT_EQ(first.at("meta").at("total"), 450);
  EXPECT_EQ(first.at("meta").at("next_page"), 2);
  EXPECT_EQ(first.at("machines")[10].at("id"), "node-10");
  Json last = send("GET", "/v1/machines?per_page=200&page=3").body;
  EXPECT_EQ(last.at("machines").size(), 50u);
  EXPECT_TRUE(last.at("meta").at("next_page").is_null());
  EXPECT_EQ(send("GET", "/v1/machines?per_page=201").status, 400);
  EXPECT_EQ(send("GET", "/v1/machines?page=0").status, 400);
}

TEST_F(CloudMachines, IdsOrderByTheirNumbers) {
  IdLess less;
  EXPECT_TRUE(less("m-2", "m-10"));
  EXPECT_FALSE(less("m-10", "m-2"));
  EXPECT_TRUE(less("a", "b"));
  EXPECT_TRUE(less("m", "m-1"));
  EXPECT_NE(less("m-1", "m-01"), less("m-01", "m-1"));
}

TEST_F(CloudMachines, ByName) {
  generate(3);
  EXPECT_EQ(send("GET", "/v1/machines?name=node-1").body.at("machines").size(), 1u);
  EXPECT_EQ(send("GET", "/v1/machines?name=other").body.at("machines").size(), 0u);
}

TEST_F(CloudMachines, StopStartTerminateDelete) {
  generate(1);
  EXPECT_EQ(send("POST", "/control/machines/node-0/stop").body.at("status"), "stopped");
  EXPECT_EQ(send("POST", "/control/machines/node-0/start").body.at("status"), "running");
  EXPECT_EQ(send("POST", "/control/machines/node-0/terminate").body.at("status"), "terminated");
  EXPECT_EQ(send("POST", "/control/machines/node-0/explode").status, 404);
  EXPECT_EQ(send("DELETE", "/control/machines/node-0").status, 200);
  EXPECT_EQ(send("GET", "/v1/machines/node-0").code(), "not_found");
  generate(2);
  EXPECT_EQ(send("DELETE", "/control/machines").status, 200);
  EXPECT_EQ(list().body.at("meta").at("total"), 0);
}

TEST_F(CloudMachines, WrongMachinesAreRefused) {
  for (const char* text : {R"({"status":"asleep"})", R"({"colour":"red"})", R"({"labels":[]})",
                           R"({"addresses":[{"type":"InternalIP"}]})", R"({"name":5})", "[]"}) {
    EXPECT_EQ(send("PUT", "/control/machines/m-1", Json::parse(text)).status, 400) << text;
  }
  EXPECT_EQ(send("GET", "/v1/machines/m-1").status, 404);
}

TEST_F(CloudMachines, TokenIsNeededAndRotates) {
  EXPECT_EQ(send("GET", "/v1/machines", nullptr, "wrong").code(), "unauthorized");
  EXPECT_EQ(send("PUT", "/control/token", {{"token", "next"}}).status, 200);
  EXPECT_EQ(list().status, 401);
  EXPECT_EQ(send("GET", "/v1/machines", nullptr, "next").status, 200);
}

}  // namespace
}  // namespace sandbox::cloud::testing
