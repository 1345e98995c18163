// Scripted HTTP: a test says which requests it expects and what each is answered.
//   host.http.expect("GET", "http://cloud/v1/machines").answer(200, body).after(50ms);
// An expectation answers one request (or `times`) of that method and URL, the oldest first. A
// request that nothing fits goes to the handler, if there is one; else it fails as unavailable and
// is listed in unexpected().
#pragma once

#include <ccm/abi/http.h>
#include <ccm/abi/http_client.h>
#include <ccm/http.hpp>
#include <ccm/status.hpp>
#include <ccm/testing/fake_loop.hpp>
#include <ccm/testing/fake_objects.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::testing {

class FakeHttp {
 public:
  // The reply to one request: an HTTP answer, a failure, or nothing until its time limit.
  struct Answer {
    Result<HttpResponse> outcome = HttpResponse{200, {}, {}};
    std::chrono::milliseconds delay{0};
    bool hangs = false;
  };

  class Expectation {
   public:
    Expectation& answer(uint32_t status_code, std::string body,
                        std::vector<HttpHeader> headers = {});
    Expectation& fail(Status status);
    Expectation& hang();
    Expectation& after(std::chrono::milliseconds delay);
    Expectation& times(int count);  // -1 = any number, which need not happen

   private:
    friend FakeHttp;
    std::string method_;
    std::string url_;
    Answer answer_;
    int left_ = 1;
  };

  FakeHttp(FakeLoop& loop, FakeContexts& contexts);
  FakeHttp(const FakeHttp&) = delete;
  FakeHttp& operator=(const FakeHttp&) = delete;

  // The reference stays valid.
  Expectation& expect(std::string method, std::string url);
  // Answers what no expectation fits, for tests that play a stateful server.
  void handle(std::function<Answer(const HttpRequest&)> handler);
  // As handle(), with the options of the client that sends: those of none for the shared one.
  using Handler = std::function<Answer(const HttpRequest&, const HttpClientOptions&)>;
  void handle_with_client(Handler handler);

  [[nodiscard]] std::vector<HttpRequest> requests() const;  // in the order of their arrival
  // Lines for a failing test: requests that nothing fitted, expectations that nothing met.
  [[nodiscard]] std::vector<std::string> unexpected() const;
  [[nodiscard]] std::vector<std::string> unmet() const;

  // With which options the plugin opened clients of its own, in their order.
  [[nodiscard]] std::vector<HttpClientOptions> clients() const;
  // How many of them are open.
  [[nodiscard]] std::size_t open_clients() const;
  // By which of them a request was sent, its place in clients(); nothing = the shared one.
  [[nodiscard]] std::optional<std::size_t> client_of(std::size_t request) const;
  // The next client cannot be opened.
  void fail_next_client(Status status);

  [[nodiscard]] const ccm_host_http* table() const { return &table_; }
  [[nodiscard]] const ccm_host_http_client* client_table() const { return &client_table_; }
  // `self` of the shared client's table.
  [[nodiscard]] void* shared() { return &clients_.front(); }

 private:
  struct Table;
  // `self` of a table points to one of these; the first is the shared one. It stays after close().
  struct Client {
    FakeHttp* http;
    std::size_t number;  // 0 = the shared one
    HttpClientOptions options;
    bool open = true;
  };
  Answer answer_for(const Client& client, const HttpRequest& request);

  FakeLoop& loop_;
  FakeContexts& contexts_;
  ccm_host_http table_{};
  ccm_host_http_client client_table_{};
  mutable std::mutex mutex_;
  std::deque<Client> clients_;
  std::optional<Status> client_fault_;
  std::deque<Expectation> expectations_;
  Handler handler_;
  std::vector<HttpRequest> requests_;
  std::vector<std::size_t> senders_;  // of the requests: the client's number
  std::vector<std::string> unexpected_;
};

}  // namespace ccm::testing
