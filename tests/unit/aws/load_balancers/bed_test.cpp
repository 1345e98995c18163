// The load balancers against an endpoint of AWS's APIs that others wrote: CCM_AWS_BED is its
// address (http://127.0.0.1:25000), CCM_AWS_WORLD the file that names what is there. Without them
// nothing is run. The endpoint holds each request against Amazon's own description.
#include "fixture.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace ccm::aws {
namespace {

using nlohmann::json;

// One exchange over a connection of its own.
std::string round_trip(uint16_t port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    for (std::size_t sent = 0; sent < request.size();) {
      const ssize_t count = ::send(socket, request.data() + sent, request.size() - sent, 0);
      if (count <= 0) break;
      sent += static_cast<std::size_t>(count);
    }
    std::string buffer(65'536, '\0');
    for (ssize_t count = 0; (count = ::recv(socket, buffer.data(), buffer.size(), 0)) > 0;) {
      answer.append(buffer, 0, static_cast<std::size_t>(count));
    }
  }
  ::close(socket);
  return answer;
}

class AwsBedTest : public AwsLoadBalancersTest {
 protected:
  void SetUp() override {
    const char* url = std::getenv("CCM_AWS_BED");
    const char* world_file = std::getenv("CCM_AWS_WORLD");
    if (url == nullptr || world_file == nullptr) GTEST_SKIP() << "CCM_AWS_BED is not set";
    const std::string text = url;
    port_ = static_cast<uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
    std::ifstream file(world_file);
    world = json::parse(file);
    chosen().cluster.vpc_id = world.at("vpc");
    host.http.handle([this](const HttpRequest& request) { return forward(request); });
    start();
    ask("DELETE", "/_bed/journal", {}, "");
  }
  void TearDown() override {
    if (port_ == 0) return;
    const std::string violations = body_of(ask("GET", "/_bed/violations", {}, ""));
    for (const json& one : json::parse(violations)) {
      const std::string shown = one.dump();
      if (shown.find("Ipv6CidrBlockState.State") == std::string::npos) ADD_FAILURE() << shown;
    }
  }

  std::string ask(const std::string& method, const std::string& path,
                  const std::vector<HttpHeader>& headers, const std::string& body) const {
    std::string request = method + " " + path + " HTTP/1.1\r\nConnection: close\r\n";
    bool has_host = false;
    for (const HttpHeader& header : headers) {
      request += header.name + ": " + header.value + "\r\n";
      has_host = has_host || header.name == "host" || header.name == "Host";
    }
    if (!has_host) request += "Host: fake\r\n";
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    return round_trip(port_, request);
  }
  static std::string body_of(const std::string& answer) {
    const std::size_t end = answer.find("\r\n\r\n");
    return end == std::string::npos ? "" : answer.substr(end + 4);
  }
  ccm::testing::FakeHttp::Answer forward(const HttpRequest& request) {
    const std::string answer = ask("POST", "/", request.headers, request.body);
    ccm::testing::FakeHttp::Answer out;
    ++sent;
    if (request.body.find("Action=Describe") == std::string::npos) {
      ++written;
      const std::size_t action = request.body.find("Action=") + 7;
      writes += request.body.substr(action, request.body.find('&', action) - action) + " ";
    }
    if (answer.size() < 12) {
      out.outcome = Status(Code::unavailable, "the bed did not answer");
      return out;
    }
    out.outcome =
        HttpResponse{static_cast<uint32_t>(std::stoi(answer.substr(9, 3))), {}, body_of(answer)};
    return out;
  }
  std::vector<Backend> machines(const std::vector<std::string>& names) {
    std::vector<Backend> list;
    for (const std::string& name : names) {
      list.push_back({name, "aws:///us-east-1a/" + world.at(name).get<std::string>(), {}, {}});
    }
    return list;
  }
  LoadBalancer made(const LoadBalancerService& service) {
    auto out = ensure(service, machines({"n1", "n2", "n5"}));
    EXPECT_TRUE(out.ok()) << out.status().message();
    return out.ok() ? *out : LoadBalancer();
  }
  // Nothing differs, also for another process.
  void expect_settled(const LoadBalancerService& service) {
    start();
    writes.clear();
    written = 0;
    sent = 0;
    auto seen = call(&ccm_cloud_loadbalancers::observe, service, machines({"n1", "n2", "n5"}));
    ASSERT_TRUE(seen.ok()) << seen.status().message();
    EXPECT_EQ(seen->difference, "");
    EXPECT_EQ(made(service).difference, "");
    EXPECT_EQ(written, 0) << writes;
  }
  void expect_removed(const LoadBalancerService& service) {
    for (int i = 0; i < 10; ++i) {
      if (remove(service).ok()) break;
      advance(seconds(5));
    }
    EXPECT_TRUE(remove(service).ok());
    const auto left = list_owned({{"c1"}, true, false});
    ASSERT_TRUE(left.ok()) << left.status().message();
    for (const OwnedObject& object : *left) {
      for (const Label& user : object.services) EXPECT_NE(user.key, "default/web") << object.name;
    }
  }

  json world;
  int sent = 0;
  int written = 0;
  std::string writes;

 private:
  uint16_t port_ = 0;
};

TEST_F(AwsBedTest, ANetworkLoadBalancerComesStaysAndGoes) {
  const auto out = made(nlb({80, 443}));
  EXPECT_NE(out.ingress.at(0).hostname, "");
  expect_settled(nlb({80, 443}));
  made(nlb({80, 8080}, {{"cross-zone-load-balancing-enabled", "true"}}));
  expect_settled(nlb({80, 8080}, {{"cross-zone-load-balancing-enabled", "true"}}));
  expect_removed(nlb());
}

TEST_F(AwsBedTest, AWS_106_TlsComesAndGoesInPlace) {
  const std::string certificate = world.at("cert-1");
  const std::string both = certificate + "," + world.at("cert-2").get<std::string>();
  made(nlb({443}));
  made(nlb({443}, {{"ssl-cert", certificate}}));
  expect_settled(nlb({443}, {{"ssl-cert", certificate}}));
  made(nlb({443}, {{"ssl-cert", both}}));
  expect_settled(nlb({443}, {{"ssl-cert", both}}));
  made(nlb({443}));
  expect_settled(nlb({443}));
  expect_removed(nlb());
}

TEST_F(AwsBedTest, AWS_145_TcpAndUdpOnOnePort) {
  auto service = nlb({53});
  service.ports.push_back({"udp", "UDP", "", 53, 30'053});
  made(service);
  expect_settled(service);
  expect_removed(service);
}

TEST_F(AwsBedTest, AWS_101_102_147_ChecksAttributesAndRanges) {
  auto service = nlb({80}, {{"healthcheck-protocol", "http"},
                            {"healthcheck-path", "/ok"},
                            {"target-group-attributes", "preserve_client_ip.enabled=false"},
                            {"additional-resource-tags", "a=b=c"}});
  service.source_ranges = {"192.0.2.0/24", "2001:db8::/32"};
  made(service);
  expect_settled(service);
  service.local_traffic = true;
  service.health_check_node_port = 32'000;
  made(service);
  expect_settled(service);
  expect_removed(service);
}

TEST_F(AwsBedTest, AWS_112_AManagedGroup) {
  chosen().settings.nlb_security_group_mode = "Managed";
  start();
  made(nlb({80, 81}));
  expect_settled(nlb({80, 81}));
  made(nlb({80}, {{"security-groups", world.at("sg-byo-1")}}));
  expect_settled(nlb({80}, {{"security-groups", world.at("sg-byo-1")}}));
  expect_removed(nlb());
}

TEST_F(AwsBedTest, AClassicOneComesStaysAndGoes) {
  const auto out = made(with(web({80, 81}), {}));
  EXPECT_NE(out.ingress.at(0).hostname, "");
  expect_settled(with(web({80, 81}), {}));
  const Annotated more{{"ssl-cert", world.at("cert-1")},
                       {"ssl-ports", "443"},
                       {"ssl-negotiation-policy", "ELBSecurityPolicy-TLS-1-2-2017-01"},
                       {"proxy-protocol", "*"},
                       {"connection-idle-timeout", "120"},
                       {"connection-draining-enabled", "true"},
                       {"cross-zone-load-balancing-enabled", "true"}};
  made(with(web({80, 443}), more));
  expect_settled(with(web({80, 443}), more));
  made(with(web({80}), {}));
  expect_settled(with(web({80}), {}));
  made(with(web({80}), {{"security-groups", world.at("sg-byo-1")}}));
  expect_settled(with(web({80}), {{"security-groups", world.at("sg-byo-1")}}));
  expect_removed(with(web({80}), {}));
}

TEST_F(AwsBedTest, AWS_81_SubnetsOfAClassicOneMayAllChange) {
  made(with(web({80}), {{"subnets", "pub-a"}}));
  made(with(web({80}), {{"subnets", "pub-b"}}));
  expect_settled(with(web({80}), {{"subnets", "pub-b"}}));
  expect_removed(with(web({80}), {}));
}

}  // namespace
}  // namespace ccm::aws
