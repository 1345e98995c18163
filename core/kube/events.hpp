// kube::EventRecorder: core/v1 Events with correlation of repeats, aggregation, a spam filter and a
// bounded queue (API-109..118). Never blocks and never fails a caller. Home thread: the client's;
// record() may be called from any thread.
#pragma once

#include "kube/client.hpp"
#include "kube/object.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ccm::kube {

struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  static ObjectReference of(const Object& object);
  // "namespace/name", or "name" of a cluster-scoped object.
  [[nodiscard]] std::string key() const {
    return namespace_name.empty() ? name : namespace_name + "/" + name;
  }
};

enum class EventType { normal, warning };
inline std::string_view type_text(EventType type) {
  return type == EventType::warning ? "Warning" : "Normal";
}

struct EventOptions {
  std::string component;             // "node-controller"
  std::size_t queue_limit = 10'000;  // API-116 has 1000: fewer than Nodes that may join at once
  std::size_t cache_entries = 4096;  // API-115
  int delivery_attempts = 12;
  std::chrono::milliseconds delivery_interval{10'000};
  std::size_t aggregate_after = 10;  // API-114
  std::chrono::seconds aggregate_interval{600};
  double spam_burst = 25;                 // API-115
  std::chrono::seconds spam_refill{300};  // until one more Event may be sent
  // Wall clock, and the monotonic one for intervals; empty = the real ones.
  std::function<std::chrono::system_clock::time_point()> now;
  std::function<std::chrono::steady_clock::time_point()> steady_now;
};

class EventRecorder {
 public:
  EventRecorder(const Client& client, EventOptions options);
  ~EventRecorder();  // drops what is queued
  EventRecorder& operator=(EventRecorder&&) = delete;

  // Any thread. Queued until start(). Each Event writes a log line (HOST-138): one for an object
  // and a reason in ten minutes, the others need verbosity 4.
  void record(ObjectReference about, EventType type, std::string reason, std::string message);
  // Begins to deliver; until then nothing is written (standbys write no Events).
  void start();
  // Waits until the queue is empty or the time is over.
  boost::asio::awaitable<void> drain(std::chrono::milliseconds limit);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ccm::kube
