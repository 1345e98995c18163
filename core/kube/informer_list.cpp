// How an informer gets the whole state: streamed (API-38..40) or in pages (API-15..21).
#include "base/log.hpp"
#include "kube/informer_impl.hpp"
#include "net/http_client.hpp"

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
  if (timing.streamed_lists && !streaming_refused && streamed_failures < kStreamedTries) {
    // The list is the beginning of the watch: watch() goes on with the same stream.
    const std::string from = version_unusable ? std::string() : version;
    Status opened = co_await open(true, from);
    Outcome outcome;
    if (opened.ok()) {
      outcome = co_await follow(Listing());
      opened = outcome.failure;
    }
    if (stream != nullptr) {
      streamed_failures = 0;
      co_return Status();
    }
    if (is_expired(opened)) version_unusable = true;
    if (is_expired(opened) || wants_json(opened)) co_return opened;
    streaming_refused = refuses_streaming(opened);
    const bool lost = opened.error_class() == ErrorClass::unavailable ||
                      opened.error_class() == ErrorClass::throttled;
    ++streamed_failures;
    if (!streaming_refused && lost) co_return opened;
    log_no_streaming(opened);
  }
  Status paged = co_await list_pages();
  if (paged.ok()) streamed_failures = 0;
  if (is_expired(paged)) version_unusable = true;
  co_return paged;
}

void Informer::Impl::log_no_streaming(const Status& why) const {
  log::info("The server has no streaming lists, using pages",
            {{"resource", spec.resource.id()}, {"reason", why}});
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
  Listing listing;
  ListOptions options = first;
  Status status = co_await list_page(listing, options);
  while (status.ok() && !listing.continue_token.empty()) {
    options = first;
    options.resource_version.clear();
    options.resource_version_match.clear();
    options.continue_token = listing.continue_token;
    status = co_await list_page(listing, options);
    if (is_expired(status)) {  // API-20, 21
      listing = Listing();
      options = first;
      options.limit = 0;
      status = co_await list_page(listing, options);
    }
  }
  if (status.ok()) take_listing(std::move(listing));
  co_return status;
}

asio::awaitable<Status> Informer::Impl::list_page(Listing& listing, ListOptions options) {
  const Resource resource = spec.resource;
  const std::string namespace_name = spec.namespace_name;
  options.protobuf = format->protobuf();
  auto opened = co_await client.open_list(resource, namespace_name, options);
  if (!opened.ok()) co_return opened.status();
  const std::unique_ptr<net::ResponseStream> body = std::move(*opened);
  if (Status type = check_type(*body); !type.ok()) co_return type;
  const std::unique_ptr<ListReader> items = format->list(timing.max_object_bytes);
  while (true) {
    Result<std::string> read = co_await body->read(timing.list_idle);
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
    if (object.ok()) {
      listing.objects.push_back(std::move(*object));
      return {};
    }
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
