#include "election/object_requests.hpp"

#include "kube/watch_decoder.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace ccm::election {

boost::asio::awaitable<Status> watch_object(kube::Client client, kube::Resource resource,
                                            std::string namespace_name, std::string name,
                                            std::string resource_version, EventText on_event) {
  kube::WatchOptions options;
  options.field_selector = "metadata.name=" + name;
  options.resource_version = std::move(resource_version);
  options.bookmarks = false;  // each event holds the version that the next watch begins with
  auto opened = co_await client.open_watch(std::move(resource), std::move(namespace_name), options);
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
      if (piece != kube::WatchDecoder::Piece::object) {
        co_return Status(Code::data_loss, "the watch on " + name + " sent no event");
      }
      const Result<bool> more = on_event(text);
      if (!more.ok()) co_return more.status();
      if (!*more) co_return Status();
    }
  }
}

}  // namespace ccm::election
