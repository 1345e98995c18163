#include "plugin/host_services/http_access.hpp"

#include "plugin/host_services/spawn_call.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

// No header may silence a credential for longer.
constexpr std::chrono::seconds kLongestTold{3600};

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

boost::asio::awaitable<Result<net::Response>> exchange(std::shared_ptr<net::HttpClient> client,
                                                       net::Request request) {
  auto response = co_await client->send(std::move(request));
  co_return response;
}

// Seconds until the window opens again; large values are a time since 1970.
std::optional<milliseconds> window_reset(std::string_view text,
                                         std::chrono::system_clock::time_point now) {
  const auto number = parse_number(text);
  if (!number) return std::nullopt;
  constexpr int64_t kEpochForm = 1'000'000'000;
  if (*number < kEpochForm) return std::chrono::seconds(*number);
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  return std::chrono::seconds(std::max<int64_t>(*number - since.count(), 0));
}

}  // namespace

SendHttp make_send_http(boost::asio::any_io_executor executor,
                        std::shared_ptr<net::HttpClient> client) {
  return [executor, client](net::Request request, std::function<void(Result<net::Response>)> done) {
    spawn_call<net::Response>(executor, exchange(client, std::move(request)), std::move(done));
  };
}

milliseconds CallBudgets::delay(const std::string& credential) const {
  const auto closed = closed_until_.find(credential);
  if (closed == closed_until_.end()) return milliseconds(0);
  return std::max(std::chrono::ceil<milliseconds>(closed->second - timers_.now()), milliseconds(0));
}

void CallBudgets::learn(const std::string& credential, const net::Response& response) {
  const auto now = std::chrono::system_clock::now();
  std::optional<milliseconds> pause;
  if (response.status == 429) {
    pause = parse_retry_after(response.header("retry-after"), now);
    if (!pause) pause = window_reset(response.header("ratelimit-reset"), now);
  } else if (response.header("ratelimit-remaining") == "0") {
    pause = window_reset(response.header("ratelimit-reset"), now);
  }
  if (!pause || *pause <= milliseconds(0)) return;
  const auto until = timers_.now() + std::min<milliseconds>(*pause, kLongestTold);
  auto& closed = closed_until_[credential];
  closed = std::max(closed, until);
}

std::optional<milliseconds> parse_retry_after(std::string_view text,
                                              std::chrono::system_clock::time_point now) {
  if (const auto number = parse_number(text)) {
    constexpr int64_t kYear = 365 * 24 * 3600;
    return std::chrono::seconds(std::min(*number, kYear));
  }
  tm date{};
  const std::string owned(text);
  if (::strptime(owned.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) return std::nullopt;
  const auto then = std::chrono::system_clock::from_time_t(::timegm(&date));
  return std::max(std::chrono::duration_cast<milliseconds>(then - now), milliseconds(0));
}

}  // namespace ccm::plugin
