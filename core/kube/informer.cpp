#include "kube/informer.hpp"

#include "base/log.hpp"
#include "kube/informer_impl.hpp"
#include "kube/resource_version.hpp"
#include "net/http_client.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace ccm::kube {
namespace asio = boost::asio;

Informer::Impl::Impl(Client client_, InformerSpec spec_, InformerTiming timing_,
                     std::shared_ptr<ServerFindings> findings_)
    : client(client_),
      spec(std::move(spec_)),
      timing(timing_),
      api_version(spec.resource.api_version()),
      backoff(timing.backoff_initial, timing.backoff_limit, timing.backoff_reset,
              timing.backoff_jitter),
      changed_state(client.executor()),
      findings(std::move(findings_)) {
  decode_options.kind = spec.resource.kind;
  decode_options.api_version = api_version;
}

template <typename Notify>
void Informer::Impl::tell(Notify notify) {
  const std::shared_ptr<const Subscribers> all = subscribers;  // handlers may change the list
  for (const auto& subscriber : *all) {
    if (subscriber->active && !stopped) notify(subscriber->handler);
  }
}

void Informer::Impl::take_put(ObjectPtr object, bool initial) {
  const ObjectPtr before = store.put(object);
  if (before == nullptr) {
    tell([&](const InformerHandler& handler) {
      if (handler.on_add) handler.on_add(object, initial);
    });
    return;
  }
  const bool changed = !before->same_content(*object);
  tell([&](const InformerHandler& handler) {
    if (handler.on_update) handler.on_update(before, object, changed);
  });
}

void Informer::Impl::take_removal(ObjectStore::Key key, const ObjectPtr& last,
                                  bool final_state_unknown) {
  const ObjectPtr before = store.remove(key);
  if (before == nullptr) return;
  tell([&](const InformerHandler& handler) {
    if (handler.on_delete) handler.on_delete(last ? last : before, final_state_unknown);
  });
}

// Replaces the store's content without ever emptying it (API-41, 131).
void Informer::Impl::take_listing(Listing listing) {
  if (older_version(listing.resource_version, version)) note_set_back(listing.resource_version);
  const bool initial = !synced.load();
  std::vector<ObjectPtr> missing;
  if (!initial && listing.skipped > 0) {
    log::warning("Kept cached objects, since a list had unreadable ones",
                 {{"resource", spec.resource.id()}});
  } else if (!initial) {
    std::unordered_set<std::string> listed;
    const auto text = [](const ObjectPtr& object) {
      return std::string(object->namespace_name()) + "/" + std::string(object->name());
    };
    for (const ObjectPtr& object : listing.objects) listed.insert(text(object));
    for (ObjectPtr& object : store.list()) {
      if (listed.count(text(object)) == 0) missing.push_back(std::move(object));
    }
  }
  for (ObjectPtr& object : listing.objects) take_put(std::move(object), initial);
  for (const ObjectPtr& object : missing) take_removal(ObjectStore::key_of(*object), nullptr, true);
  set_version(listing.resource_version);
  version_unusable = false;
  version_verified = true;
  {
    const std::lock_guard lock(mutex);
    ++statistics.lists;
  }
  note_failure(Status());
  if (!initial) return;
  synced.store(true);
  tell([](const InformerHandler& handler) {
    if (handler.on_synced) handler.on_synced();
  });
  changed_state.notify();
  for (const auto& subscriber : *subscribers) spawn_resync(subscriber);
}

void Informer::Impl::set_version(std::string_view text) {
  const std::lock_guard lock(mutex);
  version = text;
}

// The server would accept a watch from a version of its future, and tell nothing until it is there.
void Informer::Impl::note_set_back(std::string_view newest) {
  const std::string reason = "the newest resourceVersion of " + spec.resource.id() + " is " +
                             std::string(newest) + " after " + version;
  log::warning("The API server's storage was set back to an earlier state", {{"reason", reason}});
  if (findings->set_back) findings->set_back(reason);
}

void Informer::Impl::note_failure(const Status& status) {
  const std::lock_guard lock(mutex);
  if (!status.ok()) ++statistics.failures;
  failure = status;
}

void Informer::Impl::skipped_object(const Status& why) {
  {
    const std::lock_guard lock(mutex);
    ++statistics.skipped_objects;
  }
  const auto left_out = skipped_lines.pass();
  if (!left_out) return;
  log::warning("Skipped an object",
               {{"resource", spec.resource.id()}, {"err", why}, {"moreBefore", *left_out}});
}

std::chrono::milliseconds Informer::Impl::pause_after(const Status& status) {
  note_failure(status);
  const bool connected = status.reason() != net::kConnectFailed;
  const auto limit = connected ? timing.backoff_limit : timing.connect_limit;
  const auto pause = std::max(backoff.next(Backoff::Clock::now(), limit), status.retry_after());
  log::warning("List or watch failed, retrying",
               {{"resource", spec.resource.id()}, {"err", status}, {"after", pause}});
  return pause;
}

asio::awaitable<void> Informer::Impl::back_off(Status status) {
  const std::chrono::milliseconds pause = pause_after(status);
  asio::steady_timer timer(client.executor(), pause);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<void> Informer::Impl::run() {
  const auto self = shared_from_this();
  choose_format();
  while (!stopped) {
    stream.reset();
    const bool asked_newest = version_unusable || version.empty();
    Status listed = co_await list();
    if (wants_json(listed)) {
      use_json(listed);
      continue;
    }
    if (!listed.ok()) {
      // Expired: retry once at once, from the newest state (API-27).
      const bool at_once = is_expired(listed) && !asked_newest;
      if (!at_once && !stopped) co_await back_off(listed);
      continue;
    }
    for (Next next = Next::watch; next == Next::watch && !stopped;) {
      Outcome outcome = co_await watch();
      next = outcome.next;
      if (wants_json(outcome.failure)) {
        use_json(outcome.failure);
        next = Next::list;
      } else if (!outcome.failure.ok() && !stopped) {
        co_await back_off(outcome.failure);
      }
    }
  }
}

asio::awaitable<void> Informer::Impl::resync(std::shared_ptr<Subscriber> subscriber) {
  const auto self = shared_from_this();
  asio::steady_timer timer(client.executor());
  while (!stopped) {
    timer.expires_after(subscriber->handler.resync);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    for (const ObjectPtr& object : store.list()) {
      if (stopped) break;
      subscriber->handler.on_update(object, object, false);
    }
  }
}

void Informer::Impl::spawn_resync(const std::shared_ptr<Subscriber>& subscriber) {
  const InformerHandler& handler = subscriber->handler;
  if (handler.resync.count() > 0 && handler.on_update && !stopped)
    tasks.spawn(client.executor(), "the resync of " + spec.resource.id(), resync(subscriber));
}

// Brings a handler that came after the first list up to date.
void Informer::Impl::welcome(const std::shared_ptr<Subscriber>& late) {
  if (stopped) return;
  late->active = true;
  for (const ObjectPtr& object : store.list()) {
    if (late->handler.on_add) late->handler.on_add(object, true);
  }
  if (late->handler.on_synced) late->handler.on_synced();
  spawn_resync(late);
}

Informer::Informer(Client client, InformerSpec spec, InformerTiming timing,
                   std::shared_ptr<ServerFindings> findings)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(spec), timing,
                                   std::move(findings))) {}

Informer::~Informer() { stop(); }

Status Informer::declare(const FieldSet& fields) {
  if (!impl_->started) {
    impl_->fields.merge(fields);
    return {};
  }
  if (impl_->fields.covers(fields)) return {};
  return {Code::failed_precondition,
          "the cache of " + impl_->spec.resource.id() +
              " has started without these fields: declare them before the start"};
}

Status Informer::subscribe(const FieldSet& fields, InformerHandler handler) {
  if (Status status = declare(fields); !status.ok()) return status;
  auto subscriber = std::make_shared<Impl::Subscriber>();
  subscriber->handler = std::move(handler);
  auto all = std::make_shared<Impl::Subscribers>(*impl_->subscribers);
  all->push_back(subscriber);
  impl_->subscribers = std::move(all);
  if (impl_->synced.load()) {
    subscriber->active = false;
    asio::post(impl_->client.executor(), [impl = impl_, subscriber] { impl->welcome(subscriber); });
  }
  return {};
}

void Informer::start() {
  if (impl_->started || impl_->stopped) return;
  impl_->started = true;
  impl_->tasks.spawn(impl_->client.executor(), "the informer of " + impl_->spec.resource.id(),
                     impl_->run());
}

void Informer::stop() {
  if (impl_->stopped) return;
  impl_->stopped = true;
  impl_->tasks.cancel();
  impl_->changed_state.notify();
}

const InformerSpec& Informer::spec() const { return impl_->spec; }
bool Informer::synced() const { return impl_->synced.load(); }

asio::awaitable<Status> Informer::wait_synced() {
  const std::shared_ptr<Impl> impl = impl_;
  while (!impl->synced.load() && !impl->stopped) co_await impl->changed_state.wait();
  if (impl->synced.load()) co_return Status();
  co_return Status(Code::cancelled, "the informer of " + impl->spec.resource.id() + " was stopped");
}

ObjectPtr Informer::get(std::string_view namespace_name, std::string_view name) const {
  return impl_->store.get({namespace_name, name});
}
std::vector<ObjectPtr> Informer::list() const { return impl_->store.list(); }
std::size_t Informer::size() const { return impl_->store.size(); }

std::string Informer::resource_version() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->version;
}

InformerStatistics Informer::statistics() const {
  const std::lock_guard lock(impl_->mutex);
  InformerStatistics result = impl_->statistics;
  result.objects = impl_->store.size();
  result.object_bytes = impl_->store.bytes();
  return result;
}

Status Informer::last_failure() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->failure;
}

}  // namespace ccm::kube
