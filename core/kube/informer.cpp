#include "kube/informer.hpp"

#include "base/log.hpp"
#include "kube/client_status.hpp"
#include "kube/object_store.hpp"
#include "kube/task_group.hpp"
#include "kube/watch_decoder.hpp"
#include "kube/wire_format.hpp"
#include "net/coroutines.hpp"
#include "net/http_client.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <random>
#include <unordered_set>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

constexpr int kStreamedTries = 3;
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// The server does not support streamed lists, and will not begin to (API-39).
bool refuses_streaming(const Status& status) {
  return status.code() == Code::invalid_argument || status.code() == Code::unimplemented;
}

bool ends_initial_events(const Object& bookmark) {
  const auto annotations = bookmark.find("/metadata/annotations");
  return bookmark.text(bookmark.member(annotations, kInitialEventsEnd)) == "true";
}

// Objects of a list that is still arriving (API-40).
struct Listing {
  std::vector<ObjectPtr> objects;
  std::string resource_version;
  std::string continue_token;
  std::size_t bytes = 0;  // all objects'
  uint64_t skipped = 0;
};

}  // namespace

struct Informer::Impl : std::enable_shared_from_this<Informer::Impl> {
  using Clock = std::chrono::steady_clock;

  struct Subscriber {
    InformerHandler handler;
    bool active = true;  // false until a late subscriber got the store's content
  };
  using Subscribers = std::vector<std::shared_ptr<Subscriber>>;

  Impl(Client client_, InformerSpec spec_, InformerTiming timing_,
       std::shared_ptr<ServerFindings> findings_)
      : client(client_),
        spec(std::move(spec_)),
        timing(timing_),
        api_version(spec.resource.api_version()),
        step(timing.backoff_initial),
        changed_state(client.executor()),
        findings(std::move(findings_)) {
    decode_options.kind = spec.resource.kind;
    decode_options.api_version = api_version;
  }

  // How to go on after a watch.
  enum class Next { watch, list };
  struct Outcome {
    Next next = Next::watch;
    Status failure;  // not ok: back off first
  };

  asio::awaitable<void> run() {
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

  asio::awaitable<void> resync(std::shared_ptr<Subscriber> subscriber) {
    const auto self = shared_from_this();
    while (!stopped) {
      co_await net::pause(client.executor(), subscriber->handler.resync);
      for (const ObjectPtr& object : store.list()) {
        if (stopped) break;
        subscriber->handler.on_update(object, object, false);
      }
    }
  }

  asio::awaitable<void> back_off(Status status) {
    const std::chrono::milliseconds pause = pause_after(status);
    co_await net::pause(client.executor(), pause);
  }

  void spawn_resync(const std::shared_ptr<Subscriber>& subscriber) {
    const InformerHandler& handler = subscriber->handler;
    if (handler.resync.count() > 0 && handler.on_update && !stopped)
      tasks.spawn(client.executor(), "the resync of " + spec.resource.id(), resync(subscriber));
  }

  // Brings a handler that came after the first list up to date.
  void welcome(const std::shared_ptr<Subscriber>& late) {
    if (stopped) return;
    late->active = true;
    for (const ObjectPtr& object : store.list()) {
      if (late->handler.on_add) late->handler.on_add(object, true);
    }
    if (late->handler.on_synced) late->handler.on_synced();
    spawn_resync(late);
  }

  void take_put(ObjectPtr object, bool initial) {
    const ObjectPtr before = store.put(object);
    if (before == nullptr) {
      notify([&](const InformerHandler& handler) {
        if (handler.on_add) handler.on_add(object, initial);
      });
      return;
    }
    const bool changed = !before->same_content(*object);
    notify([&](const InformerHandler& handler) {
      if (handler.on_update) handler.on_update(before, object, changed);
    });
  }

  void take_removal(ObjectStore::Key key, const ObjectPtr& last, bool final_state_unknown) {
    const ObjectPtr before = store.remove(key, last);
    if (before == nullptr) return;
    notify([&](const InformerHandler& handler) {
      if (handler.on_delete) handler.on_delete(last ? last : before, final_state_unknown);
    });
  }

  // Replaces the store's content without ever emptying it (API-41, 131).
  void take_listing(Listing listing) {
    if (older_version(listing.resource_version, version)) note_restored(listing.resource_version);
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
    for (const ObjectPtr& object : missing)
      take_removal(ObjectStore::key_of(*object), nullptr, true);
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
    notify([](const InformerHandler& handler) {
      if (handler.on_synced) handler.on_synced();
    });
    changed_state.notify();
    for (const auto& subscriber : *subscribers) spawn_resync(subscriber);
  }

  template <typename Notify>
  void notify(Notify tell) {
    const std::shared_ptr<const Subscribers> all = subscribers;  // handlers may change the list
    for (const auto& subscriber : *all) {
      if (subscriber->active && !stopped) tell(subscriber->handler);
    }
  }

  void set_version(std::string_view text) {
    const std::lock_guard lock(mutex);
    version = text;
  }

  // The server would accept a watch from a version of its future, and tell nothing until it is
  // there.
  void note_restored(std::string_view newest) {
    const std::string reason = "the newest resourceVersion of " + spec.resource.id() + " is " +
                               std::string(newest) + " after " + version;
    log::warning("The API server's storage was restored to an earlier state", {{"reason", reason}});
    if (findings->restored) findings->restored(reason);
  }

  void note_failure(const Status& status) {
    const std::lock_guard lock(mutex);
    if (!status.ok()) ++statistics.failures;
    failure = status;
  }

  void skipped_object(const Status& why) {
    {
      const std::lock_guard lock(mutex);
      ++statistics.skipped_objects;
    }
    const auto left_out = skipped_lines.pass();
    if (!left_out) return;
    log::warning("Skipped an object",
                 {{"resource", spec.resource.id()}, {"err", why}, {"moreBefore", *left_out}});
  }

  // The first pause again when there was no failure for the reset time.
  std::chrono::milliseconds pause_after(const Status& status) {
    note_failure(status);
    const bool connected = status.reason() != net::kConnectFailed;
    const auto limit = connected ? timing.backoff_limit : timing.connect_limit;
    const auto now = Clock::now();
    if (now - std::exchange(last_pause, now) > timing.backoff_reset) step = timing.backoff_initial;
    std::uniform_real_distribution<double> spread(1.0, 1.0 + timing.backoff_jitter);
    auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(std::min(step, limit) *
                                                                       spread(random));
    step = std::min(step * 2, timing.backoff_limit);
    pause = std::max(pause, status.retry_after());
    log::warning("List or watch failed, retrying",
                 {{"resource", spec.resource.id()}, {"err", status}, {"after", pause}});
    return pause;
  }

  // The encoding: protobuf, as long as that shows what JSON would. Once, when no fields can be
  // declared any more that are not kept already.
  void choose_format() {
    format.emplace(fields, decode_options);
    if (!timing.protobuf) return;
    Result<WireFormat> other = WireFormat::make_protobuf(fields, decode_options);
    if (other.ok()) {
      format = std::move(*other);
    } else if (const auto v = log::v(2)) {
      v.info("Reads in JSON", {{"resource", spec.resource.id()}, {"reason", other.status()}});
    }
  }

  // A failure that JSON would not have, while the format is protobuf.
  [[nodiscard]] bool wants_json(const Status& status) const {
    return !status.ok() && format->protobuf() && needs_json(status);
  }

  // From now on, for good.
  void use_json(const Status& why) {
    log::info("Reads in JSON from now on", {{"resource", spec.resource.id()}, {"reason", why}});
    format.emplace(fields, decode_options);
  }

  // Whether the answer is in the encoding that was asked for. Goes over to JSON when it is JSON.
  Status check_type(const net::ResponseStream& answer) {
    const std::string_view type = answer.head().header("Content-Type");
    if (!format->protobuf() || type.starts_with(kProtobufType)) return {};
    if (type.empty() || type.starts_with(kJsonType)) {
      use_json(Status(Code::unimplemented, ErrorClass::unsupported, "the server answers in JSON"));
      return {};
    }
    return {Code::unavailable, ErrorClass::unavailable,
            "read " + spec.resource.id() + ": the answer is neither protobuf nor JSON"};
  }

  // The whole state, streamed (API-38..40) or in pages (API-15..21): ends with the objects in the
  // store and the version set.
  asio::awaitable<Status> list() {
    if (may_stream()) {
      Status tried = co_await list_stream();
      if (stream != nullptr) {
        streamed_failures = 0;
        streamed_time = {};
        co_return Status();
      }
      if (is_expired(tried)) version_unusable = true;
      if (is_expired(tried) || wants_json(tried)) co_return tried;
      streaming_refused = refuses_streaming(tried);
      const bool lost = tried.error_class() == ErrorClass::unavailable ||
                        tried.error_class() == ErrorClass::throttled;
      ++streamed_failures;
      if (!streaming_refused && lost && streamed_time < timing.streamed_limit) co_return tried;
      log_no_streaming(tried);
    }
    Status paged = co_await list_pages();
    if (is_expired(paged)) version_unusable = true;
    if (paged.ok()) {
      // The stream could not do what pages can: it is not the server that was slow.
      if (streamed_time >= timing.streamed_limit) note_endless_stream();
      streamed_failures = 0;
      streamed_time = {};
    }
    co_return paged;
  }

  // The list is the beginning of the watch: with success watch() goes on with the same stream.
  asio::awaitable<Status> list_stream() {
    const auto begin = Clock::now();
    streamed_end = begin + (timing.streamed_limit - streamed_time);
    const std::string from = version_unusable ? std::string() : version;
    Status status = co_await open(true, from);
    if (status.ok()) {
      const Outcome outcome = co_await follow(Listing());
      status = outcome.failure;
    }
    if (status.reason() != net::kConnectFailed) streamed_time += Clock::now() - begin;
    co_return status;
  }

  asio::awaitable<Status> list_pages() {
    ListOptions first;
    first.label_selector = spec.label_selector;
    first.field_selector = spec.field_selector;
    if (version.empty() || version_unusable) {
      first.limit = timing.page_size;
    } else {
      // With a limit the version would be taken as exact (API-15).
      first.resource_version = version;
      first.resource_version_match = "NotOlderThan";
    }
    // A server that names one more page for ever must not keep this for ever from what it can read.
    const auto end = Clock::now() + timing.list_limit;
    Listing listing;
    ListOptions options = first;
    Status status = co_await list_page(listing, options, end);
    while (status.ok() && !listing.continue_token.empty()) {
      options = first;
      options.resource_version.clear();
      options.resource_version_match.clear();
      options.continue_token = listing.continue_token;
      status = co_await list_page(listing, options, end);
      if (is_expired(status)) {  // API-20, 21
        listing = Listing();
        options = first;
        options.limit = 0;
        status = co_await list_page(listing, options, end);
      }
    }
    if (status.ok()) take_listing(std::move(listing));
    co_return status;
  }

  asio::awaitable<Status> list_page(Listing& listing, ListOptions options, Clock::time_point end) {
    const Resource resource = spec.resource;
    const std::string namespace_name = spec.namespace_name;
    options.protobuf = format->protobuf();
    auto opened = co_await client.open_list(resource, namespace_name, options);
    if (!opened.ok()) co_return opened.status();
    const std::unique_ptr<net::ResponseStream> body = std::move(*opened);
    if (Status type = check_type(*body); !type.ok()) co_return type;
    const std::unique_ptr<ListReader> items = format->list(timing.max_object_bytes);
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      Result<std::string> read = std::string();
      if (left.count() > 0) read = co_await body->read(std::min(timing.list_idle, left));
      if (Clock::now() >= end) {
        co_return Status(Code::deadline_exceeded, ErrorClass::unavailable,
                         "list " + resource.id() + ": it has no end");
      }
      if (!read.ok()) co_return read.status();
      if (read->empty()) break;
      items->feed(*read);
      std::string_view text;
      for (auto piece = items->next(text); piece != PieceReader::Piece::none;
           piece = items->next(text)) {
        if (Status taken = take_piece(piece, text, listing); !taken.ok()) co_return taken;
      }
    }
    if (!items->done()) {
      co_return Status(Code::unavailable, ErrorClass::unavailable,
                       "list " + resource.id() + ": the answer ended in the middle");
    }
    co_return take_envelope(items->envelope(), listing);
  }

  // Failure: the list holds more than any cluster has.
  Status keep(ObjectPtr object, Listing& listing) const {
    listing.bytes += object->memory();
    listing.objects.push_back(std::move(object));
    if (listing.bytes <= timing.max_list_bytes) return {};
    return {Code::resource_exhausted, "list " + spec.resource.id() + ": it holds more than " +
                                          std::to_string(timing.max_list_bytes >> 20) + " MiB in " +
                                          std::to_string(listing.objects.size()) + " objects"};
  }

  [[nodiscard]] bool may_stream() const {
    return timing.streamed_lists && !streaming_refused && !findings->endless_streams &&
           streamed_failures < kStreamedTries && streamed_time < timing.streamed_limit;
  }

  void log_no_streaming(const Status& why) const {
    log::info("No streamed list, using pages", {{"resource", spec.resource.id()}, {"reason", why}});
  }

  // A proxy or a stand-in for etcd drops the bookmark that ends the list, or keeps the whole
  // answer.
  void note_endless_stream() {
    if (std::exchange(findings->endless_streams, true)) return;
    log::warning(
        "Streamed lists of this API server have no end: all lists come in pages from now on. "
        "KUBE_FEATURE_WatchListClient=false in the environment saves the wait at the start",
        {{"resource", spec.resource.id()}, {"waited", timing.streamed_limit}});
  }

  Status take_envelope(const std::string& envelope, Listing& listing) const {
    Status strange(Code::unavailable, ErrorClass::unavailable,
                   "list " + spec.resource.id() + ": the answer is no Kubernetes list");
    const Result<ObjectPtr> decoded = Object::decode(envelope);
    if (!decoded.ok()) return strange;
    const Object& list = **decoded;
    if (!list.text_at("/kind").ends_with("List") || list.resource_version().empty()) return strange;
    // All pages show the first one's version; a server that answers with another one uses that.
    if (listing.resource_version.empty()) listing.resource_version = list.resource_version();
    listing.continue_token = list.text_at("/metadata/continue");
    return {};
  }

  // Failure: wants_json(), or keep()'s.
  Status take_piece(PieceReader::Piece piece, std::string_view text, Listing& listing) {
    Status why(Code::data_loss,
               piece == PieceReader::Piece::oversized
                   ? "it is larger than " + std::to_string(timing.max_object_bytes) + " bytes"
                   : "it is no object");
    if (piece == PieceReader::Piece::object) {
      Result<ObjectPtr> object = format->decode(text);
      if (object.ok()) return keep(std::move(*object), listing);
      why = object.status();
      if (wants_json(why)) return why;
    }
    ++listing.skipped;
    skipped_object(why);
    return {};
  }

  // Follows changes (API-23..37), and tells what to do when that ends.
  asio::awaitable<Outcome> watch() {
    if (stream == nullptr) {
      if (timing.verify_versions && !version_verified) {
        Outcome verified = co_await verify_version();
        if (verified.next == Next::list || !verified.failure.ok()) co_return verified;
      }
      const std::string from = version;
      version_verified = false;
      Status opened = co_await open(false, from);
      if (!opened.ok()) co_return is_expired(opened) ? after_expiry(opened) : after_error(opened);
      note_failure(Status());
    }
    version_verified = false;
    co_return co_await follow(std::nullopt);
  }

  // Reads the open stream to its end. `listing` not null: a streamed list comes first.
  asio::awaitable<Outcome> follow(std::optional<Listing> listing) {
    const bool listing_first = listing.has_value();
    const auto start = Clock::now();
    Outcome outcome;
    std::string_view text;
    while (true) {
      for (auto piece = pieces->next(text); piece != PieceReader::Piece::none;
           piece = pieces->next(text)) {
        if (piece != PieceReader::Piece::object) {
          if (listing) ++listing->skipped;
          skipped_object(
              Status(Code::data_loss, piece == PieceReader::Piece::oversized
                                          ? "it is too large"
                                          : "the stream has data that is not a JSON object"));
          continue;
        }
        if (!take_event(text, listing, outcome)) {
          stream.reset();
          co_return outcome;
        }
        if (listing_first && !listing) co_return outcome;  // the rest is for watch()
      }
      if (listing && Clock::now() >= streamed_end) {  // changes do not end a list
        stream.reset();
        outcome.failure = no_end();
        co_return outcome;
      }
      const auto idle = listing ? std::min(timing.list_idle, left_to_stream()) : timing.watch_idle;
      Result<std::string> read = co_await stream->read(idle);
      if (read.ok() && !read->empty()) {
        pieces->feed(*read);
        continue;
      }
      const bool cut = !read.ok() || pieces->mid_object();
      const bool brief = Clock::now() - start < timing.short_watch && events_of_stream == 0;
      stream.reset();
      if (listing || brief) {  // API-34, 40
        outcome.failure = !read.ok()
                              ? read.status()
                              : Status(Code::unavailable, ErrorClass::unavailable,
                                       "watch " + spec.resource.id() + ": it ended too early");
      } else if (cut) {
        log_cut();
      }
      co_return outcome;
    }
  }

  // While there was no watch the server's storage may have been restored from a copy (API-141).
  asio::awaitable<Outcome> verify_version() {
    ListOptions options;
    options.label_selector = spec.label_selector;
    options.field_selector = spec.field_selector;
    options.limit = 1;
    Listing newest;
    Status status = co_await list_page(newest, options, Clock::now() + timing.list_idle);
    if (!status.ok()) co_return after_error(status);
    if (!older_version(newest.resource_version, version)) co_return Outcome();
    note_restored(newest.resource_version);
    set_version(newest.resource_version);
    version_unusable = true;
    co_return Outcome{Next::list, Status()};
  }

  asio::awaitable<Status> open(bool initial_events, std::string from) {
    WatchOptions options;
    options.label_selector = spec.label_selector;
    options.field_selector = spec.field_selector;
    options.resource_version = std::move(from);
    options.send_initial_events = initial_events;
    options.protobuf = format->protobuf();
    if (initial_events) options.timeout = left_to_stream();
    const Resource resource = spec.resource;
    const std::string namespace_name = spec.namespace_name;
    events_of_stream = 0;
    auto opened = co_await client.open_watch(resource, namespace_name, options);
    if (!opened.ok()) co_return opened.status();
    if (Status type = check_type(**opened); !type.ok()) co_return type;
    stream = std::move(*opened);
    pieces = format->watch(timing.max_object_bytes);
    co_return Status();
  }

  // Not zero, which would be no limit at all.
  [[nodiscard]] std::chrono::milliseconds left_to_stream() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(streamed_end - Clock::now());
    return std::max(left, std::chrono::milliseconds(1));
  }

  [[nodiscard]] Status no_end() const {
    return {Code::deadline_exceeded, ErrorClass::unavailable,
            "streamed list of " + spec.resource.id() + ": its closing bookmark did not come"};
  }

  void log_cut() const {
    if (const auto v = log::v(2)) {
      v.info("The watch was closed, watching again", {{"resource", spec.resource.id()}});
    }
  }

  // False when the stream is of no more use; `outcome` gives the reason.
  bool take_event(std::string_view text, std::optional<Listing>& listing, Outcome& outcome) {
    Result<WatchEvent> decoded = format->decode_event(text);
    ++events_of_stream;
    {
      const std::lock_guard lock(mutex);
      ++statistics.events;
    }
    if (!decoded.ok() && wants_json(decoded.status())) {
      outcome = {Next::list, decoded.status()};
      return false;
    }
    if (!decoded.ok()) {  // API-36 for objects of another kind
      if (listing) ++listing->skipped;
      skipped_object(decoded.status());
      return true;
    }
    const WatchEvent& event = *decoded;
    switch (event.type) {
      case WatchEvent::Type::added:
      case WatchEvent::Type::modified:
        if (listing) {  // in no order of versions: none is remembered (API-33, 130)
          outcome.failure = keep(event.object, *listing);
          return outcome.failure.ok();
        }
        set_version(event.object->resource_version());
        take_put(event.object, false);
        return true;
      case WatchEvent::Type::deleted:
        if (listing) {
          std::erase_if(listing->objects, [&](const ObjectPtr& object) {
            return ObjectStore::key_of(*object) == ObjectStore::key_of(*event.object);
          });
          return true;
        }
        set_version(event.object->resource_version());
        take_removal(ObjectStore::key_of(*event.object), event.object, false);
        return true;
      case WatchEvent::Type::bookmark:
        if (!listing) {
          set_version(event.object->resource_version());
        } else if (ends_initial_events(*event.object)) {
          listing->resource_version = event.object->resource_version();
          take_listing(std::move(*listing));
          listing.reset();
        }
        return true;
      case WatchEvent::Type::error: {
        const Status status = status_of_object(event.error_json);
        if (is_expired(status)) outcome = after_expiry(status);
        // Within a list the caller decides about expiry, too.
        if (!is_expired(status) || listing) outcome = after_error(status);
        return false;
      }
      case WatchEvent::Type::other:
        log::info("Ignored an event of an unknown type", {{"resource", spec.resource.id()}});
        return true;
    }
    return true;
  }

  // Expired: list again (API-27). Throttled or unreachable: watch again from the current version
  // (API-28). Any other failure may come from that version, so list again (API-29).
  Outcome after_error(const Status& status) const {
    const bool again =
        status.error_class() == ErrorClass::throttled ||
        (status.error_class() == ErrorClass::unavailable && status.reason() != "InternalError");
    return {again ? Next::watch : Next::list, status};
  }

  // List again without a pause, but only once: a server or a proxy that keeps saying so would have
  // everything listed without end.
  Outcome after_expiry(const Status& status) {
    const auto now = Clock::now();
    const bool again = now - std::exchange(last_expiry, now) < timing.backoff_reset;
    return {Next::list, again ? status : Status()};
  }

  Client client;
  InformerSpec spec;
  InformerTiming timing;
  Object::DecodeOptions decode_options;
  std::string api_version;
  FieldSet fields;
  std::optional<WireFormat> format;
  ObjectStore store;
  std::chrono::milliseconds step;  // the next of the growing pauses (API-35)
  Clock::time_point last_pause{};
  std::minstd_rand random{std::random_device{}()};
  Signal changed_state;  // synced or stopped

  std::shared_ptr<const Subscribers> subscribers = std::make_shared<Subscribers>();

  bool started = false;
  bool stopped = false;
  bool streaming_refused = false;  // the server has no streamed lists (API-39)
  bool version_unusable = false;   // list from the newest state, not from `version` (API-17, 27)
  bool version_verified = false;   // a watch may go on from `version`
  int streamed_failures = 0;       // in a row
  std::shared_ptr<ServerFindings> findings;
  Clock::duration streamed_time{};   // spent on streams in a row that did not end the list
  Clock::time_point streamed_end{};  // when the one that is read has to end
  std::unique_ptr<net::ResponseStream> stream;
  std::unique_ptr<WatchReader> pieces;  // the stream's
  uint64_t events_of_stream = 0;
  Clock::time_point last_expiry{};
  log::Throttle skipped_lines;
  std::atomic<bool> synced{false};

  mutable std::mutex mutex;  // for what follows, which other threads read
  std::string version;
  InformerStatistics statistics;
  Status failure;

  TaskGroup tasks;
};

Informer::Informer(Client client, InformerSpec spec, InformerTiming timing,
                   std::shared_ptr<ServerFindings> findings)
    : impl_(std::make_shared<Impl>(std::move(client), std::move(spec), timing,
                                   std::move(findings))) {}

Informer::~Informer() { stop(); }

Status Informer::subscribe(const FieldSet& fields, InformerHandler handler) {
  if (!impl_->started) {
    impl_->fields.merge(fields);
  } else if (!impl_->fields.covers(fields)) {
    return {Code::failed_precondition,
            "the cache of " + impl_->spec.resource.id() +
                " has started without these fields: declare them before the start"};
  }
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

std::shared_ptr<Informer> InformerSet::informer(const InformerSpec& spec) {
  for (const auto& informer : informers_) {
    if (informer->spec() == spec) return informer;
  }
  informers_.push_back(std::make_shared<Informer>(client_, spec, timing_, findings_));
  const std::weak_ptr<Informer> made = informers_.back();
  if (started_) {  // the caller has its fields to declare first
    asio::post(client_.executor(), [made] {
      if (const auto informer = made.lock()) informer->start();
    });
  }
  return informers_.back();
}

}  // namespace ccm::kube
