// How an informer gets the whole state: streamed (API-38..40) or in pages (API-15..21).
#include "base/log.hpp"
#include "kube/informer_impl.hpp"
#include "net/http_client.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace ccm::kube {
namespace asio = boost::asio;

namespace {

constexpr int kStreamedTries = 3;

// The server does not support streamed lists, and will not begin to (API-39).
bool refuses_streaming(const Status& status) {
  return status.code() == Code::invalid_argument || status.code() == Code::unimplemented;
}

}  // namespace

asio::awaitable<Status> Informer::Impl::list() {
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

bool Informer::Impl::may_stream() const {
  return timing.streamed_lists && !streaming_refused && !findings->endless_streams &&
         streamed_failures < kStreamedTries && streamed_time < timing.streamed_limit;
}

// The list is the beginning of the watch: with success watch() goes on with the same stream.
asio::awaitable<Status> Informer::Impl::list_stream() {
  const auto begin = Backoff::Clock::now();
  streamed_end = begin + (timing.streamed_limit - streamed_time);
  const std::string from = version_unusable ? std::string() : version;
  Status status = co_await open(true, from);
  if (status.ok()) {
    const Outcome outcome = co_await follow(Listing());
    status = outcome.failure;
  }
  if (status.reason() != net::kConnectFailed) streamed_time += Backoff::Clock::now() - begin;
  co_return status;
}

// A proxy or a stand-in for etcd drops the bookmark that ends the list, or keeps the whole answer.
void Informer::Impl::note_endless_stream() {
  if (std::exchange(findings->endless_streams, true)) return;
  log::warning(
      "Streamed lists of this API server have no end: all lists come in pages from now on. "
      "KUBE_FEATURE_WatchListClient=false in the environment saves the wait at the start",
      {{"resource", spec.resource.id()}, {"waited", timing.streamed_limit}});
}

void Informer::Impl::log_no_streaming(const Status& why) const {
  log::info("No streamed list, using pages", {{"resource", spec.resource.id()}, {"reason", why}});
}

asio::awaitable<Status> Informer::Impl::list_pages() {
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
  const auto end = Backoff::Clock::now() + timing.list_limit;
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

Status Informer::Impl::keep(ObjectPtr object, Listing& listing) const {
  listing.bytes += object->memory();
  listing.objects.push_back(std::move(object));
  if (listing.bytes <= timing.max_list_bytes) return {};
  return {Code::resource_exhausted, "list " + spec.resource.id() + ": it holds more than " +
                                        std::to_string(timing.max_list_bytes >> 20) + " MiB in " +
                                        std::to_string(listing.objects.size()) + " objects"};
}

asio::awaitable<Status> Informer::Impl::list_page(Listing& listing, ListOptions options,
                                                  Backoff::Clock::time_point end) {
  const Resource resource = spec.resource;
  const std::string namespace_name = spec.namespace_name;
  options.protobuf = format->protobuf();
  auto opened = co_await client.open_list(resource, namespace_name, options);
  if (!opened.ok()) co_return opened.status();
  const std::unique_ptr<net::ResponseStream> body = std::move(*opened);
  if (Status type = check_type(*body); !type.ok()) co_return type;
  const std::unique_ptr<ListReader> items = format->list(timing.max_object_bytes);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Backoff::Clock::now());
    Result<std::string> read = std::string();
    if (left.count() > 0) read = co_await body->read(std::min(timing.list_idle, left));
    if (Backoff::Clock::now() >= end) {
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

Status Informer::Impl::take_piece(PieceReader::Piece piece, std::string_view text,
                                  Listing& listing) {
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

Status Informer::Impl::take_envelope(const std::string& envelope, Listing& listing) const {
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

}  // namespace ccm::kube
