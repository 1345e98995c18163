#pragma once

#include "api/reader.hpp"

#include <deque>
#include <optional>

namespace sandbox {

// The watch that `request` asks for (API-23 to API-40). Nothing if the request has to wait for its
// revision; throws ApiError for requests that the server refuses before the stream begins.
std::unique_ptr<http::BodyStream> open_watch(Store& store, const RequestInfo& info,
                                             const http::Request& request);

// Events that a watcher may fall behind before it is dropped.
inline constexpr std::size_t kWatchBacklog = 20000;

class WatchStream : public http::BodyStream, private Watcher {
 public:
  struct Options {
    const Resource* resource = nullptr;
    Selector selector;
    View view = View::kObject;
    std::optional<Revision> after;  // events after this revision; nothing: after the current one
    bool initial_events = false;    // existing objects first
    bool mark_initial_end = false;  // and a bookmark after them
    bool bookmarks = false;
    std::chrono::milliseconds timeout{0};
    std::size_t backlog = kWatchBacklog;
  };
  WatchStream(Store& store, Options options);
  ~WatchStream() override;

  State pull(std::string& out, std::size_t limit) override;
  std::chrono::steady_clock::time_point next_deadline() const override;
  void on_ready(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Item {
    EventType type;
    ObjectPtr object;
  };
  void on_event(const Event& event) override;
  void on_drop(bool cut) override;
  void offer(const Event& event);
  void pull_initial(std::string& out, std::size_t limit);
  void pull_bookmark(std::string& out);

  Store& store_;
  Collection& collection_;
  Options options_;
  Revision start_ = 0;
  std::vector<ObjectPtr> initial_;
  std::size_t initial_sent_ = 0;
  bool initial_done_ = true;
  std::deque<Item> queue_;
  std::optional<ApiError> error_;
  State state_ = State::kMore;
  Clock::time_point deadline_;
  Clock::time_point next_bookmark_;
  bool last_bookmark_sent_ = false;
  std::function<void()> wake_;
};

}  // namespace sandbox
