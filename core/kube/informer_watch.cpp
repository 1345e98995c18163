// How an informer follows changes (API-23..37) and what it does when that ends.
#include "base/log.hpp"
#include "kube/informer_impl.hpp"
#include "kube/resource_version.hpp"
#include "net/http_client.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

bool ends_initial_events(const Object& bookmark) {
  const auto annotations = bookmark.find("/metadata/annotations");
  return bookmark.text(bookmark.member(annotations, kInitialEventsEnd)) == "true";
}

}  // namespace

Status Informer::Impl::no_end() const {
  return {Code::deadline_exceeded, ErrorClass::unavailable,
          "streamed list of " + spec.resource.id() + ": its closing bookmark did not come"};
}

// Not zero, which would be no limit at all.
std::chrono::milliseconds Informer::Impl::left_to_stream() const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(streamed_end - Backoff::Clock::now());
  return std::max(left, std::chrono::milliseconds(1));
}

asio::awaitable<Status> Informer::Impl::open(bool initial_events, std::string from) {
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

// Expired: list again (API-27). Throttled or unreachable: watch again from the current version
// (API-28). Any other failure may come from that version, so list again (API-29).
Informer::Impl::Outcome Informer::Impl::after_error(const Status& status) const {
  const bool again =
      status.error_class() == ErrorClass::throttled ||
      (status.error_class() == ErrorClass::unavailable && status.reason() != "InternalError");
  return {again ? Next::watch : Next::list, status};
}

// List again without a pause, but only once: a server or a proxy that keeps saying so would have
// everything listed without end.
Informer::Impl::Outcome Informer::Impl::after_expiry(const Status& status) {
  const auto now = Backoff::Clock::now();
  const bool again = now - std::exchange(last_expiry, now) < timing.backoff_reset;
  return {Next::list, again ? status : Status()};
}

// While there was no watch the server's storage may have been restored from a copy (API-141).
asio::awaitable<Informer::Impl::Outcome> Informer::Impl::verify_version() {
  ListOptions options;
  options.label_selector = spec.label_selector;
  options.field_selector = spec.field_selector;
  options.limit = 1;
  Listing newest;
  Status status = co_await list_page(newest, options, Backoff::Clock::now() + timing.list_idle);
  if (!status.ok()) co_return after_error(status);
  if (!older_version(newest.resource_version, version)) co_return Outcome();
  note_set_back(newest.resource_version);
  set_version(newest.resource_version);
  version_unusable = true;
  co_return Outcome{Next::list, Status()};
}

asio::awaitable<Informer::Impl::Outcome> Informer::Impl::watch() {
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
  Outcome outcome = co_await follow(std::nullopt);
  co_return outcome;
}

asio::awaitable<Informer::Impl::Outcome> Informer::Impl::follow(std::optional<Listing> listing) {
  const bool listing_first = listing.has_value();
  const auto start = Backoff::Clock::now();
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
    if (listing && Backoff::Clock::now() >= streamed_end) {  // changes do not end a list
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
    const bool brief = Backoff::Clock::now() - start < timing.short_watch && events_of_stream == 0;
    stream.reset();
    if (listing || brief) {  // API-34, 40
      outcome.failure = !read.ok() ? read.status()
                                   : Status(Code::unavailable, ErrorClass::unavailable,
                                            "watch " + spec.resource.id() + ": it ended too early");
    } else if (cut) {
      log_cut();
    }
    co_return outcome;
  }
}

void Informer::Impl::log_cut() const {
  if (const auto v = log::v(2)) {
    v.info("The watch was closed, watching again", {{"resource", spec.resource.id()}});
  }
}

bool Informer::Impl::take_event(std::string_view text, std::optional<Listing>& listing,
                                Outcome& outcome) {
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

}  // namespace ccm::kube
