// The requests of leader election for one object of an API server. Home thread: the client's.
#pragma once

#include "election/object_event.hpp"
#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ccm::election {

// The next step after an event: true = go on, false = the watch has ended as it was meant to.
using EventText = std::function<Result<bool>(std::string_view event)>;

// Watches the object of that name from `resource_version` on. Ok after an orderly end, of which
// `on_event` is one; otherwise why it broke, or the failure of `on_event`.
boost::asio::awaitable<Status> watch_object(kube::Client client, kube::Resource resource,
                                            std::string namespace_name, std::string name,
                                            std::string resource_version, EventText on_event);

// One request each, without retries; it never waits for a rate limit, since a late renewal costs
// the leadership.
template <typename T>
class ObjectRequests {
 public:
  using Parse = Result<T> (*)(std::string_view text);

  // `timeout` bounds each request but the watch.
  ObjectRequests(kube::Client client, kube::Resource resource, std::string namespace_name,
                 std::string name, std::chrono::milliseconds timeout, Parse parse)
      : client_(std::move(client)),
        resource_(std::move(resource)),
        namespace_(std::move(namespace_name)),
        name_(std::move(name)),
        parse_(parse) {
    once_.timeout = timeout;
    once_.max_retries = 0;
    once_.rate_limited = false;
  }

  void set_resource(kube::Resource resource) { resource_ = std::move(resource); }
  [[nodiscard]] const kube::Resource& resource() const { return resource_; }

  boost::asio::awaitable<Result<T>> get() {
    const auto answer = co_await client_.get(resource_, namespace_, name_, std::string(), once_);
    co_return parsed(answer);
  }

  boost::asio::awaitable<Result<T>> create(std::string body) {
    const kube::WriteOptions write;
    const auto answer =
        co_await client_.create(resource_, namespace_, std::move(body), write, once_);
    co_return parsed(answer);
  }

  boost::asio::awaitable<Result<T>> update(std::string body) {
    const kube::WriteOptions write;
    const auto answer =
        co_await client_.update(resource_, namespace_, name_, std::move(body), write, once_);
    co_return parsed(answer);
  }

  boost::asio::awaitable<Status> remove() {
    const kube::DeleteOptions unconditional;
    const auto answer = co_await client_.remove(resource_, namespace_, name_, unconditional, once_);
    co_return answer.status();
  }

  boost::asio::awaitable<Result<std::string>> read(std::string path) {
    co_return co_await client_.raw("GET", std::move(path), std::string(), once_);
  }

  // `changed` gets nullopt when the object was deleted; false ends the watch.
  boost::asio::awaitable<Status> watch(std::string resource_version,
                                       std::function<bool(std::optional<T>)> changed) {
    EventText on_event = [kind = resource_.kind, parse = parse_,
                          changed = std::move(changed)](std::string_view text) -> Result<bool> {
      auto event = parse_event(text, kind, parse);
      if (!event.ok()) return event.status();
      if (!event->failure.empty()) return kube::status_of_object(event->failure);
      return changed(std::move(event->object));
    };
    return watch_object(client_, resource_, namespace_, name_, std::move(resource_version),
                        std::move(on_event));
  }

 private:
  Result<T> parsed(const Result<std::string>& answer) const {
    return answer.ok() ? parse_(*answer) : Result<T>(answer.status());
  }

  kube::Client client_;
  kube::Resource resource_;
  std::string namespace_;
  std::string name_;
  kube::CallOptions once_;
  Parse parse_;
};

}  // namespace ccm::election
