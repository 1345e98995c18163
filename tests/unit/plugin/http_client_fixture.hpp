// A component that opens HTTP clients of its own, against real servers.
#pragma once

#include "../net/test_http_server.hpp"
#include "../net/test_proxy.hpp"
#include "base/log.hpp"
#include "host_services_fixture.hpp"
#include "net/write_gate.hpp"
#include "plugin/host_services/http_service.hpp"

#include <cstdlib>

namespace ccm::plugin {

namespace fs = std::filesystem;
using test::Certificate;
using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;

// The outcome of a request.
struct Answer {
  Status status{Code::unknown, "no answer"};
  unsigned http_status = 0;
  std::string body;
};

inline ServerReply hello(const ServerRequest& request) {
  ServerReply reply;
  reply.body = "hello " + request.client_subject;
  return reply;
}

class HttpClientServiceTest : public HostServicesTest {
 protected:
  HttpClientServiceTest() {
    std::string name = (fs::temp_directory_path() / "ccm-pem-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    log::redirect([this](std::string_view line) { log_.append(line) += '\n'; });
  }
  ~HttpClientServiceTest() override {
    if (component_) {
      std::optional<Status> ended;
      component_->destroy(1s, [&](Status status) { ended = status; });
      poll_until([&] { return ended.has_value(); });
    }
    host_.reset();
    log::redirect({});
    fs::remove_all(folder_);
  }
  void SetUp() override {
    ASSERT_TRUE(create(true).ok());
    service_ = plugin_.service(CCM_HOST_HTTP_CLIENT, &clients_);
  }
  void add_services(ComponentHost& host) override {
    HostServicesTest::add_services(host);
    HttpServiceOptions shared;
    shared.budgets = &budgets_;
    shared.gate = gate_;
    const auto make =
        make_http_clients(loop_.executor(), [](SendHttp send) { return SendHttp(send); });
    host.add(std::make_unique<HttpClientService>(component_, make, shared, files_));
  }

  test::ServerOptions with_certificate() {
    test::ServerOptions options;
    options.certificate = test::issue_for_loopback(authority_);
    return options;
  }
  std::string file(const char* name, const std::string& content) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path + ".new") << content;
    fs::rename(path + ".new", path);
    return path;
  }

  static ccm_http_client_options options(const char* name = "keystone") {
    auto made = sized<ccm_http_client_options>();
    made.name = c_str(name);
    return made;
  }
  Status open(const ccm_http_client_options& wanted, ccm_http_client* client) {
    Caught caught;
    caught.on_result = [&](const void* result) {
      *client = known(static_cast<const ccm_http_client*>(result));
    };
    clients_->open(service_.self, {}, &wanted, caught.completion());
    poll_until([&] { return caught.status.has_value(); });
    return caught.status.value_or(Status(Code::unknown, "open did not end"));
  }
  ccm_http_client opened(const ccm_http_client_options& wanted) {
    ccm_http_client client{};
    const Status status = open(wanted, &client);
    EXPECT_TRUE(status.ok()) << status.message();
    return client;
  }
  static void send(const ccm_http_client& client, const std::string& url, Caught& caught,
                   Answer& answer, const char* method = "GET", const char* secret = nullptr) {
    caught.on_result = [&answer](const void* result) {
      const auto& response = *static_cast<const ccm_http_response*>(result);
      answer.http_status = response.status_code;
      answer.body = view(response.body);
    };
    auto request = sized<ccm_http_request>();
    request.method = c_str(method);
    request.url = c_str(url);
    request.max_tries = 1;
    const ccm_str secrets[] = {c_str(secret == nullptr ? "" : secret)};
    request.secrets = secrets;
    request.secret_count = secret == nullptr ? 0 : 1;
    const auto* http = static_cast<const ccm_host_http*>(client.http.table);
    http->send(client.http.self, {}, &request, caught.completion());
  }
  Answer ask(const ccm_http_client& client, const std::string& url, const char* method = "GET",
             const char* secret = nullptr) {
    Caught caught;
    Answer answer;
    send(client, url, caught, answer, method, secret);
    poll_until([&] { return caught.status.has_value(); });
    if (caught.status) answer.status = *caught.status;
    return answer;
  }
  void expect_refused(const ccm_http_client_options& wanted, Code code) {
    ccm_http_client client{};
    const Status status = open(wanted, &client);
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_FALSE(status.message().empty());
    EXPECT_EQ(client.number, 0u);
  }
  std::size_t logged(std::string_view text) const {
    std::size_t count = 0;
    for (auto at = log_.find(text); at != std::string::npos; at = log_.find(text, at + 1)) ++count;
    return count;
  }

  const Certificate authority_ = test::make_authority("private authority");
  fs::path folder_;
  std::string log_;
  const std::shared_ptr<net::WriteGate> gate_ =
      std::make_shared<net::WriteGate>([this] { return leader_.lead; });
  CallBudgets budgets_{timers_};
  WatchedFiles files_{loop_, timers_, 1s};
  const ccm_host_http_client* clients_ = nullptr;
  ccm_interface service_{};
};

}  // namespace ccm::plugin
