#include "api/watch.hpp"

#include <charconv>
#include <random>

namespace sandbox {
namespace {

constexpr std::chrono::seconds kBookmarkEvery{60};
// The time between the last bookmark and the end of the watch.
constexpr std::chrono::seconds kLastBookmark{2};

const char* event_name(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    default:
      return "DELETED";
  }
}

std::chrono::milliseconds random_timeout() {
  static std::mt19937& engine = *new std::mt19937(std::random_device{}());
  return std::chrono::seconds(std::uniform_int_distribution<int>(1800, 3600)(engine));
}

std::chrono::milliseconds parse_timeout(const http::Request& request) {
  const std::string& text = request.query.get("timeoutSeconds");
  if (text.empty()) return random_timeout();
  long long seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw bad_request("strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
  }
  return seconds <= 0 ? random_timeout() : std::chrono::seconds(seconds);
}

void check_options(const http::Request& request) {
  const std::string& match = request.query.get("resourceVersionMatch");
  bool streaming = !request.query.get("sendInitialEvents").empty();
  std::vector<Cause> causes;
  if (streaming && match != "NotOlderThan") {
    causes.push_back(
        forbidden_value("resourceVersionMatch",
                        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (!match.empty() && !streaming) {
    causes.push_back(forbidden_value(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (!match.empty() && match != "NotOlderThan") {
    causes.push_back(not_supported("resourceVersionMatch", match, {"NotOlderThan"}));
  }
  if (causes.empty()) return;
  Resource options;
  options.group = "meta.k8s.io";
  options.kind = "ListOptions";
  throw invalid(options, "", std::move(causes));
}

}  // namespace

WatchStream::WatchStream(Store& store, Options options)
    : store_(store),
      collection_(store.collection(options.resource->index)),
      options_(std::move(options)),
      deadline_(Clock::now() + options_.timeout),
      next_bookmark_(Clock::now() + kBookmarkEvery) {
  start_ = options_.after.value_or(store_.revision());
  if (options_.initial_events) {
    start_ = store_.revision();
    initial_done_ = false;
    for (const auto& item : collection_.objects()) {
      if (options_.selector.matches(*options_.resource, *item.second)) {
        initial_.push_back(item.second);
      }
    }
  } else if (start_ < collection_.compacted()) {
    error_ = expired("too old resource version: " + std::to_string(start_) + " (" +
                     std::to_string(collection_.compacted() + 1) + ")");
  } else {
    for (const Event& event : collection_.history()) {
      if (event.revision > start_) offer(event);
    }
  }
  collection_.watch(this);
}

WatchStream::~WatchStream() { collection_.unwatch(this); }

// The meaning of an event for this selection: an object that enters it is added, one that leaves it
// is deleted, in its last shape inside.
void WatchStream::offer(const Event& event) {
  const Resource& resource = *options_.resource;
  const Selector& selector = options_.selector;
  bool was = event.previous && selector.matches(resource, *event.previous);
  bool is = event.type != EventType::kDeleted && selector.matches(resource, *event.object);
  if (event.type == EventType::kDeleted) {
    if (was) queue_.push_back(Item{EventType::kDeleted, event.object});
  } else if (is) {
    queue_.push_back(Item{was ? EventType::kModified : EventType::kAdded, event.object});
  } else if (was) {
    queue_.push_back(Item{EventType::kDeleted,
                          make_object(event.object->key, event.previous->value, event.revision)});
  }
}

void WatchStream::on_event(const Event& event) {
  if (event.revision <= start_ || state_ != State::kMore) return;
  offer(event);
  if (queue_.size() > options_.backlog) {
    queue_.clear();
    state_ = State::kEnded;  // too slow: it has to list or watch again
  }
  if (wake_ && (!queue_.empty() || state_ != State::kMore)) wake_();
}

void WatchStream::on_drop(bool cut) {
  state_ = cut ? State::kCut : State::kEnded;
  if (wake_) wake_();
}

void WatchStream::pull_initial(std::string& out, std::size_t limit) {
  while (initial_sent_ < initial_.size() && out.size() < limit) {
    append_event(out, *options_.resource, "ADDED", *initial_[initial_sent_++], options_.view);
  }
  if (initial_sent_ < initial_.size()) return;
  if (options_.mark_initial_end) {
    append_bookmark(out, *options_.resource, start_, true, options_.view);
  }
  initial_.clear();
  initial_sent_ = 0;
  initial_done_ = true;
}

void WatchStream::pull_bookmark(std::string& out) {
  auto now = Clock::now();
  bool last = !last_bookmark_sent_ && now >= deadline_ - kLastBookmark;
  if (!options_.bookmarks || (now < next_bookmark_ && !last)) return;
  append_bookmark(out, *options_.resource, std::max(store_.revision(), start_), false,
                  options_.view);
  next_bookmark_ = now + kBookmarkEvery;
  last_bookmark_sent_ = last_bookmark_sent_ || last;
}

http::BodyStream::State WatchStream::pull(std::string& out, std::size_t limit) {
  if (error_) {
    append_error(out, *error_, options_.view);
    return State::kEnded;
  }
  if (state_ == State::kCut) {
    // The connection sends only half of this.
    std::string text(200, 'x');
    append_error(out, ApiError{500, "InternalError", text}, options_.view);
    return state_;
  }
  if (state_ == State::kEnded) return state_;
  if (!initial_done_) pull_initial(out, limit);
  while (initial_done_ && !queue_.empty() && out.size() < limit) {
    const Item& item = queue_.front();
    append_event(out, *options_.resource, event_name(item.type), *item.object, options_.view);
    queue_.pop_front();
  }
  if (!initial_done_ || !queue_.empty()) return State::kMore;
  pull_bookmark(out);
  return Clock::now() >= deadline_ ? State::kEnded : State::kMore;
}

std::chrono::steady_clock::time_point WatchStream::next_deadline() const {
  auto next = deadline_;
  if (!options_.bookmarks) return next;
  if (!last_bookmark_sent_) next = std::min(next, deadline_ - kLastBookmark);
  return std::min(next, next_bookmark_);
}

std::unique_ptr<http::BodyStream> open_watch(Store& store, const RequestInfo& info,
                                             const http::Request& request) {
  WatchStream::Options options;
  options.resource = info.resource;
  options.view = parse_accept(request.accept, *info.resource);
  check_options(request);
  options.selector = parse_selector(info, request);
  options.timeout = parse_timeout(request);
  options.bookmarks = request.query.flag("allowWatchBookmarks");
  auto revision = parse_revision(request, false);
  const std::string& initial = request.query.get("sendInitialEvents");
  bool streaming = request.query.flag("sendInitialEvents");
  if (streaming && revision && must_wait(store, request, *revision)) return nullptr;
  options.initial_events = streaming || (initial.empty() && (!revision || *revision == 0));
  options.mark_initial_end = streaming && options.bookmarks;
  if (revision && *revision != 0) options.after = revision;
  return std::make_unique<WatchStream>(store, std::move(options));
}

}  // namespace sandbox
