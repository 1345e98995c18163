// A shared informer: the API server's objects of one kind, kept up to date in a local store, with
// handlers that are called for changes. Lists as a stream where the server can (API-38), else in
// pages, in protobuf where it can; watches with bookmarks; recovers from any failure without ever
// clearing the store (API-131). Home thread: the client's. The store may be read from any thread.
#pragma once

#include "kube/client.hpp"
#include "kube/object.hpp"
#include "kube/resource.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::kube {

struct InformerSpec {
  Resource resource;
  std::string namespace_name;  // empty = all namespaces
  std::string label_selector;
  std::string field_selector;
  bool operator==(const InformerSpec&) const = default;
};

// Called on the home thread, in the order of the events; must not throw. Empty functions are
// skipped.
struct InformerHandler {
  // `initial`: part of the first complete list.
  std::function<void(const ObjectPtr& object, bool initial)> on_add;
  // `changed` is false when nothing that the cache keeps differs but the resourceVersion
  // (heartbeats, API-42) and for resyncs, where `before` == `now` (HOST-137).
  std::function<void(const ObjectPtr& before, const ObjectPtr& now, bool changed)> on_update;
  // `final_state_unknown`: the object was missing from a new list, `last` is the last cached copy
  // (API-41).
  std::function<void(const ObjectPtr& last, bool final_state_unknown)> on_delete;
  std::function<void()> on_synced;      // once, after the initial adds
  std::chrono::milliseconds resync{0};  // 0 = never
};

// Times of the informer; tests shorten them.
struct InformerTiming {
  std::chrono::milliseconds backoff_initial{800};  // API-35
  std::chrono::milliseconds backoff_limit{30'000};
  // The limit while there is no connection, since that costs the server nothing: after an outage of
  // a minute, client-go's 30 s and jitter would delay the recovery by as much again.
  std::chrono::milliseconds connect_limit{5'000};
  std::chrono::milliseconds backoff_reset{120'000};
  double backoff_jitter = 1.0;
  std::chrono::milliseconds short_watch{1'000};  // API-34
  std::chrono::milliseconds watch_idle{
      660'000};  // without a byte: the peer is dead (above API-31's timeout)
  std::chrono::milliseconds list_idle{60'000};  // without a byte during a list
  // A streamed list that has no end by then is read in pages, whatever has come.
  std::chrono::milliseconds streamed_limit{45'000};
  std::chrono::milliseconds list_limit{600'000};  // for all pages together
  std::size_t max_object_bytes = 8u << 20;
  // The limit of all objects of a list, as they are kept: 4,000 Services of the largest size.
  std::size_t max_list_bytes = 1u << 30;
  int64_t page_size = 500;  // API-21
  // Before a watch goes on, the version from which it does is compared with the server's newest.
  bool verify_versions = true;
  bool streamed_lists = true;
  // Where the protobuf form of the objects is known and shows all fields that are declared.
  bool protobuf = true;
};

// Shared by the informers of one API server. Home thread.
struct ServerFindings {
  bool endless_streams = false;  // a streamed list (API-38) had no end
  // The server's storage was restored to an earlier state (API-141): what informers hold may never
  // have happened. Empty: each lists again when it notices, and what is missing then was deleted.
  std::function<void(const std::string& reason)> restored{};
};

struct InformerStatistics {
  uint64_t lists = 0;  // complete ones, streamed or paged
  uint64_t events = 0;
  uint64_t failures = 0;         // that led to a back-off
  uint64_t skipped_objects = 0;  // malformed or too large
  std::size_t objects = 0;
  std::size_t object_bytes = 0;
};

class Informer {
 public:
  Informer(Client client, InformerSpec spec, InformerTiming timing = {},
           std::shared_ptr<ServerFindings> findings = std::make_shared<ServerFindings>());
  ~Informer();  // stops
  Informer& operator=(Informer&&) = delete;

  // Declares the fields that a reader needs, before start(), later only when they are kept already,
  // else failed_precondition; and adds a handler. A handler added after the first sync gets the
  // store's content as initial adds, posted.
  Status subscribe(const FieldSet& fields, InformerHandler handler);

  // Begins to list and watch. Once.
  void start();
  // Ends all activity; handlers are not called any more. The store stays readable.
  void stop();

  [[nodiscard]] const InformerSpec& spec() const;

  // The first complete list is in the store and was handed to the handlers. Any thread.
  [[nodiscard]] bool synced() const;
  // Ends with ok at that moment, cancelled when stopped before. Home thread.
  boost::asio::awaitable<Status> wait_synced();

  // Store, any thread. get: null when absent; `namespace_name` empty for cluster scoped objects.
  [[nodiscard]] ObjectPtr get(std::string_view namespace_name, std::string_view name) const;
  [[nodiscard]] std::vector<ObjectPtr> list() const;  // in no order
  // The resourceVersion up to which the store is known to be complete.
  [[nodiscard]] std::string resource_version() const;
  [[nodiscard]] InformerStatistics statistics() const;
  // The latest failure, or ok once requests succeed again; for health pages.
  [[nodiscard]] Status last_failure() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// One informer per spec, shared by all that ask (HOST-89). Home thread.
class InformerSet {
 public:
  // `restored`: as in ServerFindings.
  explicit InformerSet(Client client, InformerTiming timing = {},
                       std::function<void(const std::string& reason)> restored = {})
      : client_(std::move(client)), timing_(timing) {
    findings_->restored = std::move(restored);
  }
  ~InformerSet() { stop(); }

  // The informer for `spec`, made on demand; starts in the loop's next step if start() was called
  // already.
  std::shared_ptr<Informer> informer(const InformerSpec& spec);
  void start() {
    started_ = true;
    for (const auto& informer : informers_) informer->start();
  }
  void stop() {
    for (const auto& informer : informers_) informer->stop();
  }
  [[nodiscard]] const std::vector<std::shared_ptr<Informer>>& informers() const {
    return informers_;
  }

 private:
  Client client_;
  InformerTiming timing_;
  std::shared_ptr<ServerFindings> findings_ = std::make_shared<ServerFindings>();
  std::vector<std::shared_ptr<Informer>> informers_;
  bool started_ = false;
};

}  // namespace ccm::kube
