#include "kube/events.hpp"

#include "base/log.hpp"
#include "kube/event_correlator.hpp"
#include "kube/task_group.hpp"
#include "net/coroutines.hpp"
#include "net/http_client.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <random>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {
constexpr std::chrono::seconds kSendLimit{60};  // for one Event, its retries included
constexpr std::chrono::minutes kLogInterval{10};
constexpr int kRepeatedVerbosity = 4;
}  // namespace

struct EventRecorder::Impl : std::enable_shared_from_this<EventRecorder::Impl> {
  Impl(const Client& client_, EventOptions options_)
      : client(client_),
        options(std::move(options_)),
        correlator(options),
        wake(client.executor()),
        logged(options.cache_entries) {
    if (!options.now) options.now = [] { return std::chrono::system_clock::now(); };
    if (!options.steady_now) options.steady_now = [] { return std::chrono::steady_clock::now(); };
  }

  asio::awaitable<void> run() {
    const auto self = shared_from_this();
    while (!stopped) {
      std::optional<RawEvent> event = take();
      if (event) {
        busy = true;
        RawEvent next = std::move(*event);
        co_await deliver(std::move(next));
        busy = false;
        continue;
      }
      co_await wake.wait();
    }
  }

  asio::awaitable<void> deliver(RawEvent event) {
    const auto verdict = correlator.judge(event, options.steady_now());
    if (!verdict) co_return;
    const std::chrono::nanoseconds name_time =
        verdict->stored_name_time ? *verdict->stored_name_time : unique_time(event.time);
    const std::string name = event_name(event.about.name, name_time);
    Status status;
    for (int attempt = 1; attempt <= options.delivery_attempts; ++attempt) {
      status = co_await send(event, *verdict, name);
      // An attempt before was carried out, and its answer got lost.
      if (attempt > 1 && status.code() == Code::already_exists) status = Status();
      if (status.ok()) break;
      // An answer of the server is final; only a lost connection is retried.
      const bool transport = status.reason().empty() || status.reason() == net::kConnectFailed;
      if (!transport || attempt == options.delivery_attempts) break;
      co_await net::pause(client.executor(), pause_before(attempt));
    }
    if (status.ok()) {
      correlator.written(*verdict, name_time);
    } else {
      log_failure(event, status);
    }
  }

  asio::awaitable<Status> send(RawEvent event, EventCorrelator::Verdict verdict, std::string name) {
    ObjectRequest request{.verb = ObjectRequest::Verb::patch,
                          .resource = resources::events(),
                          .namespace_name = event_namespace(event.about),
                          .name = name,
                          .patch_type = PatchType::strategic_merge};
    // The others in the queue wait for this one.
    request.call.deadline = std::chrono::steady_clock::now() + kSendLimit;
    if (verdict.stored_name_time) {
      request.body = event_patch(event, verdict);
      const auto patched = co_await client.send(request);
      if (patched.status().code() != Code::not_found) co_return patched.status();
    }
    request.verb = ObjectRequest::Verb::create;
    request.body = event_body(event, verdict, options.component, name);
    const auto created = co_await client.send(std::move(request));
    co_return created.status();
  }

  std::optional<RawEvent> take() {
    const std::lock_guard lock(mutex);
    if (queue.size() == 0) return std::nullopt;
    return queue.pop();
  }

  bool enqueue(const RawEvent& event) {
    const std::lock_guard lock(mutex);
    if (queue.size() >= options.queue_limit) return false;
    queue.push(event);
    return true;
  }

  // Event names are made of it: two Events of one object never share a nanosecond.
  std::chrono::nanoseconds unique_time(std::chrono::system_clock::time_point time) {
    last_time = std::max(last_time + std::chrono::nanoseconds(1),
                         std::chrono::nanoseconds(time.time_since_epoch()));
    return last_time;
  }

  // The first delay is random, so that many components do not retry at once (API-116).
  std::chrono::milliseconds pause_before(int attempt) {
    if (attempt > 1) return options.delivery_interval;
    std::uniform_int_distribution<int64_t> spread(0, options.delivery_interval.count());
    return std::chrono::milliseconds(spread(random));
  }

  void log_event(const RawEvent& event) {
    const ObjectReference& about = event.about;
    if (const auto v = log::v(logged_lately(event) ? kRepeatedVerbosity : 0)) {
      v.info("Event occurred", {{"object", about.key()},
                                {"kind", about.kind},
                                {"apiVersion", about.api_version},
                                {"type", type_text(event.type)},
                                {"reason", event.reason},
                                {"message", event.message}});
    }
  }

  // Objects that fail again and again have an Event for each attempt, which would fill the log.
  bool logged_lately(const RawEvent& event) {
    const std::string key = event.about.kind + "/" + event.about.namespace_name + "/" +
                            event.about.name + "/" + event.about.uid + "/" + event.reason;
    const auto now = options.steady_now();
    const std::lock_guard lock(mutex);
    auto& last = logged[text_hash(key)];
    if (last && now - *last < kLogInterval) return true;
    last = now;
    return false;
  }

  void log_failure(const RawEvent& event, const Status& status) const {
    log::warning("An Event was not delivered",
                 {{"object", event.about.name}, {"reason", event.reason}, {"err", status}});
  }

  Client client;
  EventOptions options;
  EventCorrelator correlator;
  Signal wake;
  TaskGroup tasks;
  bool started = false;
  bool stopped = false;
  bool busy = false;
  std::chrono::nanoseconds last_time{0};
  std::minstd_rand random{std::random_device{}()};

  std::mutex mutex;  // for what follows
  EventQueue queue;
  LruMap<std::optional<std::chrono::steady_clock::time_point>> logged;
};

ObjectReference ObjectReference::of(const Object& object) {
  ObjectReference reference;
  reference.api_version = object.text_at("/apiVersion");
  reference.kind = object.text_at("/kind");
  reference.namespace_name = object.namespace_name();
  reference.name = object.name();
  reference.uid = object.uid();
  reference.resource_version = object.resource_version();
  return reference;
}

EventRecorder::EventRecorder(const Client& client, EventOptions options)
    : impl_(std::make_shared<Impl>(client, std::move(options))) {}

EventRecorder::~EventRecorder() {
  impl_->stopped = true;
  impl_->tasks.cancel();
}

void EventRecorder::record(ObjectReference about, EventType type, std::string reason,
                           std::string message) {
  RawEvent event{std::move(about), type, std::move(reason), std::move(message),
                 impl_->options.now()};
  impl_->log_event(event);
  if (!impl_->enqueue(event)) return;
  asio::post(impl_->client.executor(), [weak = std::weak_ptr<Impl>(impl_)] {
    if (const auto impl = weak.lock()) impl->wake.notify();
  });
}

void EventRecorder::start() {
  if (impl_->started || impl_->stopped) return;
  impl_->started = true;
  impl_->tasks.spawn(impl_->client.executor(), "the Event recorder of " + impl_->options.component,
                     impl_->run());
}

asio::awaitable<void> EventRecorder::drain(std::chrono::milliseconds limit) {
  const std::shared_ptr<Impl> impl = impl_;
  const auto end = std::chrono::steady_clock::now() + limit;
  const auto empty = [&impl] {
    const std::lock_guard lock(impl->mutex);
    return impl->queue.size() == 0 && !impl->busy;
  };
  while (!empty() && std::chrono::steady_clock::now() < end) {
    co_await net::pause(impl->client.executor(), std::chrono::milliseconds(5));
  }
}

}  // namespace ccm::kube
