// Answers that a parser would turn into much more memory than their bytes: each is
// refused before it is parsed.
#include "openstack/answer.hpp"
#include "openstack/compute/server.hpp"
#include "openstack/identity/token.hpp"
#include "openstack/load_balancers/existing.hpp"
#include "openstack/network/floating_ips.hpp"
#include "openstack/network/ports.hpp"
#include "openstack/routes/router.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ccm::openstack {
namespace {

std::string repeat(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  if (text.size() == 1) return std::string(times, text.front());
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// By what is wrong with them.
std::map<std::string, std::string> hostile_bodies() {
  return {{"nests deeper than 64 levels", repeat("[", 10u << 20)},
          {"has more than 500000 values", "{\"servers\":[" + repeat("[],", 600'000) + "0]}"},
          {"has a text of more than 1048576 bytes", "{\"x\":\"" + repeat("y", 2u << 20) + "\"}"},
          {"is larger than 16777216 bytes", "{\"x\":" + repeat(" ", 17u << 20) + "1}"}};
}

TEST(OpenStackHostileAnswersTest, Issue37_AreRefusedUnparsed) {
  for (const auto& [why, body] : hostile_bodies()) {
    HttpResponse login{201, {{"x-subject-token", "t"}}, body};
    for (const Status& status :
         {parse_servers(body).status(), parse_server(body).status(), parse_token(login).status(),
          parse_load_balancer(body).status(), parse_monitor(body).status(),
          parse_floating_ips(body).status(), parse_subnets(body).status(),
          parse_ports(body).status(), parse_router(body).status()}) {
      EXPECT_EQ(status.message(), "OpenStack's answer " + why);
      EXPECT_EQ(status.error_class(), ErrorClass::unavailable) << "retried later";
    }
  }
}

TEST(OpenStackHostileAnswersTest, Issue37_ErrorsAreTextThen) {
  for (const auto& [why, body] : hostile_bodies()) {
    for (const uint32_t code : {400U, 403U, 404U, 409U, 500U, 501U}) {
      const Status status = status_of("ListServers", {code, {}, body});
      EXPECT_LE(status.message().size(), 1'000U) << code << why;
      EXPECT_NE(status.error_class(), ErrorClass::not_found) << code << why;
    }
  }
}

}  // namespace
}  // namespace ccm::openstack
