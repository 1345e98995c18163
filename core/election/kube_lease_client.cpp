#include "election/kube_lease_client.hpp"

#include "kube/watch_decoder.hpp"
#include "net/http_client.hpp"

#include <utility>

namespace ccm::election {
namespace {

kube::Resource leases() { return *kube::Resource::parse("coordination.k8s.io/v1/leases"); }

Result<Lease> decode(const Result<std::string>& answer) {
  return answer.ok() ? parse_lease(*answer) : Result<Lease>(answer.status());
}

}  // namespace

KubeLeaseClient::KubeLeaseClient(kube::Client client, std::string namespace_name, std::string name,
                                 std::chrono::milliseconds timeout)
    : client_(std::move(client)),
      namespace_(std::move(namespace_name)),
      name_(std::move(name)),
      timeout_(timeout) {}

// The election never waits for a rate limit: a late renewal costs the leadership.
kube::CallOptions KubeLeaseClient::once() const {
  kube::CallOptions options;
  options.timeout = timeout_;
  options.max_retries = 0;
  options.rate_limited = false;
  return options;
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::get() {
  const auto answer = co_await client_.get(leases(), namespace_, name_, std::string(), once());
  co_return decode(answer);
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::create(std::string body) {
  const kube::WriteOptions write;
  const auto answer = co_await client_.create(leases(), namespace_, std::move(body), write, once());
  co_return decode(answer);
}

boost::asio::awaitable<Result<Lease>> KubeLeaseClient::update(std::string body) {
  const kube::WriteOptions write;
  const auto answer =
      co_await client_.update(leases(), namespace_, name_, std::move(body), write, once());
  co_return decode(answer);
}

boost::asio::awaitable<Status> KubeLeaseClient::watch(std::string resource_version,
                                                      Changed changed) {
  kube::WatchOptions options;
  options.field_selector = "metadata.name=" + name_;
  options.resource_version = std::move(resource_version);
  options.bookmarks = false;  // each event holds the version that the next watch begins with
  auto opened = co_await client_.open_watch(leases(), namespace_, options);
  if (!opened.ok()) co_return opened.status();
  const std::unique_ptr<net::ResponseStream> stream = std::move(*opened);
  kube::WatchDecoder pieces;
  while (true) {
    Result<std::string> read = co_await stream->read(std::chrono::milliseconds(0));
    if (!read.ok()) co_return read.status();
    if (read->empty()) co_return Status();
    pieces.feed(*read);
    std::string_view text;
    for (auto piece = pieces.next(text); piece != kube::WatchDecoder::Piece::none;
         piece = pieces.next(text)) {
      Result<LeaseEvent> event = Status(Code::data_loss, "the watch on the Lease sent no event");
      if (piece == kube::WatchDecoder::Piece::object) event = parse_lease_event(text);
      if (!event.ok()) co_return event.status();
      if (!event->failure.empty()) co_return kube::status_of_object(event->failure);
      if (!changed(std::move(event->lease))) co_return Status();
    }
  }
}

}  // namespace ccm::election
