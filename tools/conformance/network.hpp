// The network between plugin and cloud: carries HTTP exchanges to the cloud's command, counts them,
// and breaks the one that a case chooses. The plugin's calls come on any thread, one at a time.
#pragma once

#include "cloud.hpp"

#include <ccm/testing/fake_host.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ccm::conformance {

// The fate of an exchange.
struct Break {
  enum class Kind {
    answer,       // the cloud does not hear of it, and this is the answer
    no_answer,    // the cloud does not hear of it, and the connection ends
    lost_answer,  // it is carried out, and the connection ends
    hang,         // the cloud does not hear of it, and nothing comes
    half,         // it is carried out, and half of the body comes
    stale         // what the same request was answered the first time
  } kind = Kind::no_answer;
  uint32_t status = 0;
  std::string body{};
  std::vector<HttpHeader> headers{};
  bool reads_only = false;  // a write is carried out
  // A 404 for a URL that has this text would be the truth about what it names, so it is not made.
  std::string names{};

  static Break with(uint32_t status, std::string body = {}, std::vector<HttpHeader> headers = {}) {
    return {Kind::answer, status, std::move(body), std::move(headers)};
  }
};

class Network {
 public:
  Network(testing::FakeHost& host, Cloud& cloud);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Exchanges go to a real cloud instead of the command. What passed on the loop's clock since the
  // last one passes for that cloud, too.
  void go_live(testing::FakeHttp::Handler send);

  // Counts from here: exchange 0 is the next one. Broken exchanges are whole again.
  void restart();
  void break_at(std::size_t number, Break how);
  void break_all(Break how);
  // Called before exchange `number` is carried out.
  void before(std::size_t number, std::function<void()> act);

  // Since restart().
  [[nodiscard]] std::size_t count() const;
  // Exchanges that may have changed something, and reached the cloud: "POST /v1/machines".
  [[nodiscard]] std::vector<std::string> writes() const;
  // Places of the writes among the exchanges.
  [[nodiscard]] std::vector<std::size_t> write_places() const;
  // An exchange that the cloud's command could not serve; empty = none.
  [[nodiscard]] std::string fault() const;

 private:
  testing::FakeHttp::Answer serve(const HttpRequest& request, const HttpClientOptions& client);
  const Break* break_of(std::size_t number, const HttpRequest& request) const;
  testing::FakeHttp::Answer broken(const Break& how, const HttpRequest& request,
                                   const HttpClientOptions& client);
  testing::FakeHttp::Answer carry_out(const HttpRequest& request, const HttpClientOptions& client);
  testing::FakeHttp::Answer ask_command(const HttpRequest& request);
  testing::FakeHttp::Answer ask_real_cloud(const HttpRequest& request,
                                           const HttpClientOptions& client);

  testing::FakeHost& host_;
  Cloud& cloud_;
  mutable std::recursive_mutex mutex_;
  testing::FakeHttp::Handler send_;  // to a real cloud, or NULL
  std::chrono::milliseconds last_sent_{0};
  std::size_t count_ = 0;
  std::map<std::size_t, Break> breaks_;
  std::optional<Break> all_;
  std::map<std::size_t, std::function<void()>> before_;
  std::map<std::string, HttpResponse> first_;  // answers by method and URL
  std::vector<std::string> writes_;
  std::vector<std::size_t> places_;
  std::string fault_;
};

}  // namespace ccm::conformance
