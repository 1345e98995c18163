#include "pod_tunnel.hpp"

#include "net/connector.hpp"
#include "net/coroutines.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace ccm::ctl {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr std::size_t kPiece = 16u << 10;
constexpr auto kResult = asio::as_tuple(asio::use_awaitable);

}  // namespace

// Shared with the coroutines that move its bytes.
struct PodTunnel::Stream {
  explicit Stream(asio::io_context& loop) : listener(loop), local(loop) {}
  tcp::acceptor listener;
  tcp::socket local;
  std::unique_ptr<PortForward> remote;
  Status failure;

  void close() {
    boost::system::error_code ignored;
    listener.close(ignored);
    local.close(ignored);
  }
};

PodTunnel::PodTunnel(asio::io_context& loop, kube::ClientConfig api, PodPort target,
                     std::chrono::seconds timeout)
    : loop_(loop),
      api_(std::move(api)),
      target_(std::move(target)),
      timeout_(timeout),
      stream_(std::make_shared<Stream>(loop)) {}

PodTunnel::~PodTunnel() { stream_->close(); }

asio::awaitable<Status> PodTunnel::open() {
  kube::ClientConfig api = api_;
  PodPort target = target_;
  auto opened =
      co_await PortForward::open(loop_.get_executor(), std::move(api), std::move(target), timeout_);
  if (!opened.ok()) co_return opened.status();
  stream_->remote = std::move(*opened);
  boost::system::error_code error;
  const tcp::endpoint loopback(asio::ip::address_v4::loopback(), 0);
  error = net::open_socket(stream_->listener, tcp::v4());
  if (!error) stream_->listener.bind(loopback, error);
  if (!error) stream_->listener.listen(1, error);
  if (error) co_return Status(Code::unavailable, "no port on loopback: " + error.message());
  net::spawn(loop_.get_executor(), accept(stream_));
  co_return Status();
}

std::string PodTunnel::endpoint() const {
  boost::system::error_code error;
  const auto place = stream_->listener.local_endpoint(error);
  return "https://127.0.0.1:" + std::to_string(place.port());
}

const Status& PodTunnel::failure() const { return stream_->failure; }

asio::awaitable<void> PodTunnel::accept(std::shared_ptr<Stream> stream) {
  auto [error, socket] = co_await stream->listener.async_accept(kResult);
  if (error) co_return;
  stream->local = std::move(socket);
  net::spawn(stream->local.get_executor(), upwards(stream));
  net::spawn(stream->local.get_executor(), downwards(stream));
}

asio::awaitable<void> PodTunnel::upwards(std::shared_ptr<Stream> stream) {
  std::string piece(kPiece, '\0');
  for (;;) {
    const auto [error, size] = co_await stream->local.async_read_some(asio::buffer(piece), kResult);
    if (error) break;
    const Status sent = co_await stream->remote->write(std::string_view(piece).substr(0, size));
    if (!sent.ok()) break;
  }
}

asio::awaitable<void> PodTunnel::downwards(std::shared_ptr<Stream> stream) {
  for (;;) {
    const auto piece = co_await stream->remote->read();
    if (!piece.ok()) stream->failure = piece.status();
    if (!piece.ok() || piece->empty()) break;
    const auto [error, size] =
        co_await asio::async_write(stream->local, asio::buffer(*piece), kResult);
    if (error || size != piece->size()) break;
  }
  stream->close();  // the request ends, and with it the rest
}

}  // namespace ccm::ctl
