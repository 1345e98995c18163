#include "port_forward.hpp"

#include "kube/client_status.hpp"
#include "kube/credentials.hpp"
#include "net/connection_pool.hpp"
#include "net/connector.hpp"
#include "net/http_client.hpp"
#include "net/http_exchange.hpp"
#include "net/url.hpp"

#include <ccm/base64.hpp>

#include <boost/asio/use_awaitable.hpp>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::ctl {

namespace asio = boost::asio;

namespace websocket {

namespace {

constexpr std::uint64_t kLargest = 16u << 20;

Status bad_frame(const std::string& why) {
  return Status(Code::data_loss, ErrorClass::unavailable, "the API server's WebSocket: " + why);
}

}  // namespace

std::string encode(unsigned opcode, std::string_view payload, std::uint32_t mask) {
  std::string frame;
  const auto byte = [&frame](std::uint64_t value) { frame += static_cast<char>(value & 0xFF); };
  byte(0x80u | opcode);
  const std::uint64_t size = payload.size();
  if (size < 126) {
    byte(0x80u | size);
  } else {
    const int bytes = size <= 0xFFFF ? 2 : 8;
    byte(0x80u | (bytes == 2 ? 126u : 127u));
    for (int left = bytes - 1; left >= 0; --left) byte(size >> (8 * left));
  }
  std::array<char, 4> key{};
  for (std::size_t index = 0; index < key.size(); ++index) {
    key[index] = static_cast<char>((mask >> (8 * index)) & 0xFF);
    frame += key[index];
  }
  for (std::size_t index = 0; index < payload.size(); ++index) {
    frame += static_cast<char>(payload[index] ^ key[index % key.size()]);
  }
  return frame;
}

Result<std::optional<Frame>> take(std::string& bytes) {
  const auto at = [&bytes](std::size_t index) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[index]));
  };
  if (bytes.size() < 2) return std::optional<Frame>();
  if ((at(0) & 0x70) != 0) return bad_frame("a frame has unknown bits");
  if ((at(1) & 0x80) != 0) return bad_frame("a frame of the server is masked");
  std::uint64_t size = at(1);
  std::size_t head = 2;
  if (size >= 126) {
    const std::size_t more = size == 126 ? 2 : 8;
    if (bytes.size() < head + more) return std::optional<Frame>();
    size = 0;
    for (std::size_t index = 0; index < more; ++index) size = size << 8 | at(head + index);
    head += more;
  }
  if (size > kLargest) return bad_frame("a frame is too large");
  if (bytes.size() - head < size) return std::optional<Frame>();
  Frame frame{static_cast<unsigned>(at(0) & 0x0F), bytes.substr(head, size)};
  bytes.erase(0, head + size);
  return std::optional<Frame>(std::move(frame));
}

std::string accept_of(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1) {
    return {};
  }
  return base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace websocket

namespace {

constexpr std::size_t kRefusalLimit = 64u << 10;
constexpr std::size_t kReadSize = 16u << 10;
constexpr const char* kProtocol = "v4.channel.k8s.io";
constexpr char kDataChannel = 0;
constexpr char kErrorChannel = 1;

Status lost_connection(const net::Transport& transport, net::IoError error) {
  if (error == net::IoError::timed_out) {
    return Status(Code::deadline_exceeded, ErrorClass::unavailable,
                  "the API server did not answer in time");
  }
  const std::string why = transport.error_text().empty() ? "it was closed" : transport.error_text();
  return Status(Code::unavailable, ErrorClass::unavailable,
                "the connection to the API server broke: " + why);
}

std::uint32_t random_mask() {
  std::array<unsigned char, 4> bytes{};
  RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

std::string random_key() {
  std::array<unsigned char, 16> bytes{};
  RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
  return base64_encode({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<std::string> request_text(const net::Url& url, const kube::ClientConfig& config,
                                 const std::string& authorization, const std::string& key) {
  net::Request request;
  request.headers = {{"Upgrade", "websocket"},
                     {"Connection", "Upgrade"},
                     {"Sec-WebSocket-Version", "13"},
                     {"Sec-WebSocket-Key", key},
                     {"Sec-WebSocket-Protocol", kProtocol}};
  if (!authorization.empty()) request.headers.push_back({"Authorization", authorization});
  for (auto& [name, value] : kube::impersonation_headers(config.impersonate)) {
    request.headers.push_back({std::move(name), std::move(value)});
  }
  return net::request_head(request, url, {}, false, {});
}

// Reads once more into the connection's buffer.
asio::awaitable<Status> read_more(net::Connection& connection) {
  std::string piece(kReadSize, '\0');
  const net::IoResult result = co_await connection.transport->read_some(piece.data(), piece.size());
  if (result.error != net::IoError::none)
    co_return lost_connection(*connection.transport, result.error);
  connection.leftover.append(piece, 0, result.bytes);
  co_return Status();
}

// The header, and the body of a refusal, which has its words and may end with the connection.
asio::awaitable<Status> read_answer(net::Connection& connection, net::ResponseParser& answer) {
  while (!answer.is_done()) {
    Status status = co_await read_more(connection);
    if (status.ok()) {
      const auto consumed = answer.feed(connection.leftover);
      status = consumed.status();
      connection.leftover.erase(0, consumed.ok() ? *consumed : 0);
    }
    if (!status.ok()) co_return answer.is_header_done() ? Status() : status;
  }
  co_return Status();
}

asio::awaitable<Status> upgrade(net::Connection& connection, std::string request,
                                std::string wanted) {
  const net::IoResult sent = co_await connection.transport->write(request);
  if (sent.error != net::IoError::none)
    co_return lost_connection(*connection.transport, sent.error);
  net::ResponseParser parser(false, kRefusalLimit);
  Status status = co_await read_answer(connection, parser);
  if (!status.ok()) co_return status;
  const net::Response& answer = parser.response;
  if (answer.status != 101) {
    Status refused =
        kube::status_of_answer(answer.status, answer.body, answer.header("retry-after"));
    if (!refused.ok() && answer.status >= 300) co_return refused;
    co_return Status(Code::unavailable, ErrorClass::unavailable,
                     "the API server does not speak " + std::string(kProtocol) + " (answer " +
                         std::to_string(answer.status) + ")");
  }
  if (answer.header("sec-websocket-accept") != wanted ||
      answer.header("sec-websocket-protocol") != kProtocol) {
    co_return Status(Code::unavailable, "the API server switches to another protocol");
  }
  co_return Status();
}

}  // namespace

PortForward::PortForward(std::unique_ptr<net::Connection> connection)
    : connection_(std::move(connection)) {}

PortForward::~PortForward() { connection_->transport->close(); }

asio::awaitable<Result<std::unique_ptr<PortForward>>> PortForward::open(
    asio::any_io_executor executor, kube::ClientConfig config, PodPort target,
    std::chrono::milliseconds timeout) {
  kube::Credentials credentials(executor, config, kube::CredentialTiming(), {});
  Status ready = co_await credentials.refresh();
  if (!ready.ok()) co_return ready;
  net::ClientOptions options;
  options.tls = credentials.tls();
  options.proxy_url = config.proxy_url;
  options.proxy_from_environment = config.proxy_url.empty();
  const auto url =
      net::parse_url(config.server + "/api/v1/namespaces/" + target.namespace_name + "/pods/" +
                     target.pod + "/portforward?ports=" + std::to_string(target.port));
  if (!url.ok()) co_return url.status();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  net::Connector connector(executor, options);
  net::Url place = *url;
  auto connected = co_await connector.connect(std::move(place), deadline);
  if (!connected.ok()) co_return connected.status();
  std::unique_ptr<net::Connection> connection = std::move(*connected);
  connection->transport->set_deadline(deadline);
  const std::string key = random_key();
  Result<std::string> request = request_text(*url, config, credentials.authorization(), key);
  if (!request.ok()) co_return request.status();
  std::string text = *std::move(request);
  std::string wanted = websocket::accept_of(key);
  Status status = co_await upgrade(*connection, std::move(text), std::move(wanted));
  if (!status.ok()) {
    std::string what = "port-forward to pod " + target.namespace_name + "/" + target.pod;
    co_return std::move(status).with_context(what);
  }
  std::unique_ptr<PortForward> made(new PortForward(std::move(connection)));
  co_return made;
}

asio::awaitable<Status> PortForward::send(unsigned opcode, std::string_view payload) {
  const std::string frame = websocket::encode(opcode, payload, random_mask());
  const net::IoResult sent = co_await connection_->transport->write(frame);
  if (sent.error != net::IoError::none)
    co_return lost_connection(*connection_->transport, sent.error);
  co_return Status();
}

asio::awaitable<Status> PortForward::write(std::string_view data) {
  std::string payload(1, kDataChannel);
  payload += data;
  Status status = co_await send(websocket::kBinary, payload);
  co_return status;
}

asio::awaitable<Result<std::string>> PortForward::read() {
  while (!ended_) {
    auto frame = websocket::take(connection_->leftover);
    if (!frame.ok()) co_return frame.status();
    if (!*frame) {
      Status status = co_await read_more(*connection_);
      if (!status.ok()) co_return status;
      continue;
    }
    std::string& payload = (*frame)->payload;
    const unsigned opcode = (*frame)->opcode;
    if (opcode == websocket::kClose) break;
    if (opcode == websocket::kPing) {
      Status status = co_await send(websocket::kPong, payload);
      if (!status.ok()) co_return status;
    }
    if (opcode > websocket::kBinary || payload.empty()) continue;
    const char channel = payload.front();
    if (channel != kDataChannel && channel != kErrorChannel) continue;
    std::size_t& port_bytes = port_bytes_left_[channel == kDataChannel ? 0 : 1];
    const std::size_t skipped = std::min(port_bytes, payload.size() - 1);
    port_bytes -= skipped;
    std::string text = payload.substr(1 + skipped);
    if (text.empty()) continue;
    if (channel == kErrorChannel)
      co_return Status(Code::unavailable, ErrorClass::unavailable, text);
    co_return text;
  }
  ended_ = true;
  co_return std::string();
}

}  // namespace ccm::ctl
