#include "api_proxy.hpp"

#include "api/status_reason.hpp"
#include "support/http_connection.hpp"
#include "watch_form.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace ccm::e2e {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using std::chrono::milliseconds;

constexpr const char* kTold = "the proxy between was told to answer so";
constexpr milliseconds kUpstreamTimeout{70'000};
constexpr milliseconds kTurn{20};  // how often a relayed watch looks for what it was told

std::string status_object(int status) {
  return nlohmann::json{
      {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", nlohmann::json::object()},
      {"status", "Failure"}, {"message", kTold},   {"reason", sandbox::status_reason(status)},
      {"code", status}}
      .dump();
}

bool write_all(tcp::socket& socket, const std::string& bytes) {
  ErrorCode error;
  asio::write(socket, asio::buffer(bytes), error);
  return !error;
}

std::string head(int status, const std::string& fields) {
  return "HTTP/1.1 " + std::to_string(status) + " " +
         std::string(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)))) +
         "\r\n" + fields + "\r\n";
}

std::string whole(int status, const std::string& type, const std::string& retry_after,
                  const std::string& body) {
  std::string fields = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (!type.empty()) fields += "Content-Type: " + type + "\r\n";
  if (!retry_after.empty()) fields += "Retry-After: " + retry_after + "\r\n";
  return head(status, fields) + body;
}

std::string chunk(const std::string& bytes) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

using WebSocket = boost::beast::websocket::stream<tcp::socket>;

asio::awaitable<void> move_up(WebSocket& client, tcp::socket& pod) {
  for (;;) {
    boost::beast::flat_buffer buffer;
    co_await client.async_read(buffer, asio::use_awaitable);
    std::string bytes = boost::beast::buffers_to_string(buffer.data());
    if (bytes.empty() || bytes.front() != 0) continue;
    bytes.erase(0, 1);
    co_await asio::async_write(pod, asio::buffer(bytes), asio::use_awaitable);
  }
}

asio::awaitable<void> move_down(WebSocket& client, tcp::socket& pod) {
  for (;;) {
    std::string bytes(4096, '\0');
    const std::size_t size =
        co_await pod.async_read_some(asio::buffer(bytes) + 1, asio::use_awaitable);
    bytes.resize(size + 1);  // channel 0
    co_await client.async_write(asio::buffer(bytes), asio::use_awaitable);
  }
}

// As a kubelet answers `kubectl port-forward`: channel 0 has the bytes, channel 1 a failure, and
// both begin with the port's number.
void forward(tcp::socket socket, const http::request<http::string_body>& message, uint16_t pod) {
  asio::io_context loop(1);
  const auto handle = socket.release();
  WebSocket client(tcp::socket(loop, tcp::v4(), handle));
  client.set_option(
      boost::beast::websocket::stream_base::decorator([](http::response_header<>& answer) {
        answer.set(http::field::sec_websocket_protocol, "v4.channel.k8s.io");
      }));
  client.binary(true);
  client.accept(message);
  for (const char channel : {0, 1}) {
    client.write(asio::buffer(std::string{channel, char(0x12), char(0x28)}));
  }
  tcp::socket connection(loop);
  ErrorCode refused;
  connection.connect({asio::ip::address_v4::loopback(), pod}, refused);
  if (refused) {
    client.write(asio::buffer(std::string("\x01") + "error forwarding port: " + refused.message()));
    return;
  }
  const auto stop = [&loop](const std::exception_ptr&) { loop.stop(); };
  asio::co_spawn(loop, move_up(client, connection), stop);
  asio::co_spawn(loop, move_down(client, connection), stop);
  loop.run();
}

bool is_watch(const std::string& target) {
  return target.find("watch=true") != std::string::npos ||
         target.find("watch=1") != std::string::npos;
}

std::string field(const support::HttpResponse& response, const char* name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? "" : found->second;
}

}  // namespace

struct ApiProxy::Impl {
  struct Seen {
    std::string method;
    std::string target;
    std::string accept;
    std::string body;  // of a POST
  };
  // Lines for open watches, in order.
  struct Order {
    enum class Kind { cut, line, expire } kind;
    std::string line;
  };

  explicit Impl(support::Credentials upstream_) : upstream(std::move(upstream_)) {}

  void listen();
  void accept_all();
  void cut_all();
  void serve(tcp::socket socket);
  bool serve_one(tcp::socket& socket, const http::request<http::string_body>& message,
                 std::unique_ptr<support::HttpConnection>& connection);
  bool relay_watch(tcp::socket& socket, const support::HttpRequest& request);
  std::optional<ProxyFault> fault_for(const std::string& method, const std::string& target);
  void order(Order what);

  const support::Credentials upstream;
  asio::io_context loop;
  std::optional<tcp::acceptor> acceptor;
  uint16_t port = 0;
  std::thread accepting;
  std::list<std::thread> serving;
  std::atomic<bool> closed = false;
  std::atomic<uint16_t> pods = 0;  // where all of them listen

  std::mutex mutex;
  std::set<int> sockets;
  std::vector<Seen> seen;
  std::vector<ProxyFault> faults;
  std::vector<Order> orders;
};

void ApiProxy::Impl::listen() {
  closed = false;
  acceptor.emplace(loop);
  acceptor->open(tcp::v4());
  acceptor->set_option(tcp::acceptor::reuse_address(true));
  acceptor->bind({asio::ip::address_v4::loopback(), port});
  acceptor->listen();
  port = acceptor->local_endpoint().port();
  accepting = std::thread([this] { accept_all(); });
}

void ApiProxy::Impl::accept_all() {
  for (;;) {
    ErrorCode error;
    tcp::socket socket(loop);
    acceptor->accept(socket, error);
    if (error || closed) return;
    const std::lock_guard lock(mutex);
    sockets.insert(socket.native_handle());
    serving.emplace_back([this, moved = std::move(socket)]() mutable { serve(std::move(moved)); });
  }
}

// Wakes and ends every thread. A shutdown, because closing from another thread is a race.
void ApiProxy::Impl::cut_all() {
  if (closed.exchange(true)) return;
  ::shutdown(acceptor->native_handle(), SHUT_RDWR);
  accepting.join();
  acceptor.reset();
  {
    const std::lock_guard lock(mutex);
    for (const int socket : sockets) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : serving) thread.join();
  serving.clear();
}

void ApiProxy::Impl::serve(tcp::socket socket) {
  const int handle = socket.native_handle();
  socket.set_option(tcp::no_delay(true));
  std::unique_ptr<support::HttpConnection> connection;
  boost::beast::flat_buffer buffer;
  for (bool open = true; open && !closed;) {
    http::request_parser<http::string_body> parser;
    parser.body_limit(boost::none);
    ErrorCode error;
    http::read(socket, buffer, parser, error);
    if (error) break;
    try {
      open = serve_one(socket, parser.get(), connection);
    } catch (const std::exception&) {
      open = false;  // the server did not answer; nor does this
    }
  }
  const std::lock_guard lock(mutex);
  sockets.erase(handle);
}

bool ApiProxy::Impl::serve_one(tcp::socket& socket, const http::request<http::string_body>& message,
                               std::unique_ptr<support::HttpConnection>& connection) {
  support::HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.body = message.body();
  request.timeout = kUpstreamTimeout;
  for (const auto name :
       {http::field::content_type, http::field::accept, http::field::user_agent}) {
    if (message.count(name) > 0) {
      request.headers[std::string(http::to_string(name))] = std::string(message[name]);
    }
  }
  if (pods != 0 && request.target.find("/portforward?") != std::string::npos) {
    forward(std::move(socket), message, pods);
    return false;
  }
  {
    const std::lock_guard lock(mutex);
    seen.push_back({request.method, request.target, std::string(message[http::field::accept]),
                    request.method == "POST" ? request.body : std::string()});
  }
  const auto fault = fault_for(request.method, request.target);
  if (fault) std::this_thread::sleep_for(fault->delay);
  if (fault && fault->status != 0) {
    return write_all(socket, whole(fault->status, "application/json", fault->retry_after,
                                   status_object(fault->status)));
  }
  if (is_watch(request.target)) return relay_watch(socket, request);
  if (!connection || !connection->reusable()) {
    connection = std::make_unique<support::HttpConnection>(upstream, kUpstreamTimeout);
  }
  const support::HttpResponse response = connection->exchange(request);
  if (fault && fault->lose_answer) return false;
  return write_all(socket, whole(response.status, field(response, "content-type"),
                                 field(response, "retry-after"), response.body));
}

// Piece by piece, with inserted lines in between. The connection ends with the watch.
bool ApiProxy::Impl::relay_watch(tcp::socket& socket, const support::HttpRequest& request) {
  std::size_t next = 0;
  {
    const std::lock_guard lock(mutex);
    next = orders.size();
  }
  support::HttpConnection connection(upstream, kUpstreamTimeout);
  const support::HttpResponse response = connection.open(request);
  const std::string type = "Content-Type: " + field(response, "content-type") + "\r\n";
  if (!write_all(socket, head(response.status, type + "Transfer-Encoding: chunked\r\n"))) {
    return false;
  }
  const bool nodes = request.target.find("/nodes") != std::string::npos;
  WatchForm form(field(response, "content-type"));
  bool cut = false;
  while (!closed) {
    std::string piece;
    const bool arrived = connection.read_some(piece, kTurn);
    if (cut && !piece.empty()) {
      write_all(socket, chunk(piece.substr(0, piece.size() / 2)));
      return false;
    }
    form.passed(piece);
    if (!piece.empty() && !write_all(socket, chunk(piece))) return false;
    if (!arrived && connection.finished()) {
      if (connection.failure().empty()) write_all(socket, "0\r\n\r\n");
      return false;
    }
    std::vector<Order> reported;
    if (form.between()) {
      const std::lock_guard lock(mutex);
      for (; next < orders.size(); ++next) reported.push_back(orders[next]);
    }
    for (const Order& order : reported) {
      if (order.kind == Order::Kind::cut) cut = true;
      if (order.kind == Order::Kind::line && nodes)
        write_all(socket, chunk(form.event(order.line)));
      if (order.kind != Order::Kind::expire) continue;
      write_all(socket, chunk(form.error(410, sandbox::status_reason(410), kTold)) + "0\r\n\r\n");
      return false;
    }
  }
  return false;
}

std::optional<ProxyFault> ApiProxy::Impl::fault_for(const std::string& method,
                                                    const std::string& target) {
  const std::lock_guard lock(mutex);
  for (ProxyFault& fault : faults) {
    if (fault.count == 0) continue;
    if (!fault.method.empty() && fault.method != method) continue;
    if (!std::regex_search(target, std::regex(fault.target))) continue;
    if (fault.count > 0) --fault.count;
    return fault;
  }
  return std::nullopt;
}

void ApiProxy::Impl::order(Order what) {
  const std::lock_guard lock(mutex);
  orders.push_back(std::move(what));
}

ApiProxy::ApiProxy(support::Credentials upstream)
    : impl_(std::make_unique<Impl>(std::move(upstream))) {
  impl_->listen();
}

ApiProxy::~ApiProxy() { impl_->cut_all(); }

std::string ApiProxy::server() const { return "http://127.0.0.1:" + std::to_string(impl_->port); }

void ApiProxy::forward_pods_to(uint16_t port) { impl_->pods = port; }

void ApiProxy::away() { impl_->cut_all(); }

void ApiProxy::back() {
  if (impl_->closed) impl_->listen();
}

std::size_t ApiProxy::requests(const std::string& method, const std::string& target,
                               const std::string& accept) const {
  const std::regex wanted(target);
  const std::lock_guard lock(impl_->mutex);
  return static_cast<std::size_t>(
      std::count_if(impl_->seen.begin(), impl_->seen.end(), [&](const auto& request) {
        return (method.empty() || request.method == method) &&
               std::regex_search(request.target, wanted) &&
               request.accept.find(accept) != std::string::npos;
      }));
}

std::string ApiProxy::last_posted(const std::string& target) const {
  const std::regex wanted(target);
  const std::lock_guard lock(impl_->mutex);
  const auto found =
      std::find_if(impl_->seen.rbegin(), impl_->seen.rend(), [&](const auto& request) {
        return request.method == "POST" && std::regex_search(request.target, wanted);
      });
  return found == impl_->seen.rend() ? std::string() : found->body;
}

void ApiProxy::add(ProxyFault fault) {
  const std::lock_guard lock(impl_->mutex);
  impl_->faults.push_back(std::move(fault));
}

void ApiProxy::clear() {
  const std::lock_guard lock(impl_->mutex);
  impl_->faults.clear();
}

void ApiProxy::cut_watches() { impl_->order({Impl::Order::Kind::cut, {}}); }
void ApiProxy::inject(const std::string& line) { impl_->order({Impl::Order::Kind::line, line}); }
void ApiProxy::expire_watches() { impl_->order({Impl::Order::Kind::expire, {}}); }

}  // namespace ccm::e2e
