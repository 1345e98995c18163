#include "support/watch_stream.hpp"

#include "support/http_connection.hpp"

#include <nlohmann/json.hpp>

namespace ccm::support {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

milliseconds left_until(steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
  return std::max(left, milliseconds(0));
}

}  // namespace

WatchStream::WatchStream(const Credentials& credentials, const std::string& target)
    : credentials_(std::make_unique<Credentials>(credentials)),
      connection_(std::make_unique<HttpConnection>(*credentials_, std::chrono::seconds(10))) {
  HttpRequest request;
  request.target = target;
  request.headers = {{"Accept", "application/json"}};
  HttpResponse response = connection_->open(request);
  status_ = response.status;
  content_type_ = response.headers["content-type"];
  chunked_ = response.headers["transfer-encoding"] == "chunked";
}

WatchStream::~WatchStream() = default;
WatchStream::WatchStream(WatchStream&&) noexcept = default;

std::optional<json> WatchStream::next(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  for (;;) {
    if (const auto frame = frames_.next()) return json::parse(*frame);
    if (connection_->finished()) return std::nullopt;
    const milliseconds left = left_until(deadline);
    connection_->read_some(frames_.input(), left);
    if (left.count() == 0 && frames_.input().empty()) return std::nullopt;
    if (left.count() == 0) {
      if (const auto frame = frames_.next()) return json::parse(*frame);
      return std::nullopt;
    }
  }
}

std::optional<json> WatchStream::next_change(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  for (;;) {
    auto event = next(left_until(deadline));
    if (!event || event->at("type") != "BOOKMARK") return event;
  }
}

bool WatchStream::wait_for_end(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (next(left_until(deadline)).has_value()) {
  }
  return connection_->finished();
}

bool WatchStream::finished() const { return connection_->finished(); }

bool WatchStream::cut() const { return !connection_->failure().empty(); }

}  // namespace ccm::support
