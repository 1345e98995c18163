#include "serving/secure_server.hpp"

#include "base/log.hpp"
#include "net/connector.hpp"
#include "net/transport.hpp"
#include "serving/allowance.hpp"
#include "serving/auth/trust.hpp"
#include "serving/message.hpp"
#include "serving/request_reader.hpp"
#include "serving/serving_certificates.hpp"

#include <ccm/http_date.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <list>
#include <optional>
#include <tuple>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using net::IoError;
using net::IoResult;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kPiece = 4096;
constexpr std::chrono::seconds kWriteTimeout{60};
constexpr std::chrono::seconds kLinger{1};
constexpr std::size_t kMaxDropped = 4u << 20;
constexpr std::size_t kModest = 16u << 10;  // this much of a request is always accepted
constexpr std::size_t kOneWrite = 16u << 10;

constexpr std::pair<unsigned, std::string_view> kReasonPhrases[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
};

std::string_view reason_phrase(unsigned status) {
  for (const auto& [code, phrase] : kReasonPhrases) {
    if (code == status) return phrase;
  }
  return "Internal Server Error";
}

std::string render_head(const Answer& answer, bool keep_alive) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  text += reason_phrase(answer.status);
  text += "\r\nCache-Control: no-cache, private\r\nContent-Type: ";  // HOST-100
  text += answer.content_type + "\r\nX-Content-Type-Options: nosniff\r\nDate: ";
  text += http_date(std::chrono::seconds(std::time(nullptr)));
  text += "\r\nContent-Length: " + std::to_string(answer.text().size()) + "\r\n";
  if (!answer.allow.empty()) text += "Allow: " + std::string(answer.allow) + "\r\n";
  if (answer.retry_after > 0) {
    text += "Retry-After: " + std::to_string(answer.retry_after) + "\r\n";
  }
  if (!keep_alive) text += "Connection: close\r\n";
  text += "\r\n";
  return text;
}

constexpr int kBacklog = 256;
// The kernel's limit for one client's unread bytes; it doubles the number.
constexpr int kReceiveBuffer = 16 << 10;

error_code open_acceptor(tcp::acceptor* acceptor, const tcp::endpoint& endpoint, bool both_families,
                         bool share_port) {
  error_code error = net::open_socket(*acceptor, endpoint.protocol());
  if (error) return error;
  net::tune_socket(acceptor->native_handle());  // its clients' sockets inherit all of this
  acceptor->native_non_blocking(true, error);
  acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error && share_port) {
    const int on = 1;
    if (::setsockopt(acceptor->native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
      error.assign(errno, boost::system::system_category());
    }
  }
  if (!error && both_families) acceptor->set_option(asio::ip::v6_only(false), error);
  if (!error) {
    acceptor->set_option(asio::socket_base::receive_buffer_size(kReceiveBuffer), error);
  }
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(kBacklog, error);
  if (error) {
    error_code ignored;
    acceptor->close(ignored);
  }
  return error;
}

std::string advice(const error_code& error) {
  if (error == asio::error::address_in_use) {
    return "address already in use; stop the other process or choose another --secure-port or "
           "--bind-address";
  }
  if (error == asio::error::access_denied) {
    return "permission denied; ports below 1024 need the capability NET_BIND_SERVICE";
  }
  if (error.value() == EADDRNOTAVAIL) {
    return "this machine does not have the address; choose another --bind-address";
  }
  return error.message();
}

// An unspecified address listens on all families where the machine has IPv6 (HOST-51). Failures:
// invalid_argument for what is no address, unavailable when it cannot be had; the message says
// what to do.
Result<tcp::acceptor> listen_on(asio::any_io_executor executor, const std::string& address,
                                std::uint16_t port, bool share_port) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "cannot listen on \"" + address + "\": --bind-address has to be an IP address");
  }
  tcp::acceptor acceptor(executor);
  if (parsed.is_unspecified()) {
    const tcp::endpoint all(asio::ip::address_v6::any(), port);
    error = open_acceptor(&acceptor, all, true, share_port);
    const bool no_ipv6 =
        error == asio::error::address_family_not_supported || error.value() == EADDRNOTAVAIL;
    if (no_ipv6) {
      const tcp::endpoint only_v4(asio::ip::address_v4::any(), port);
      error = open_acceptor(&acceptor, only_v4, false, share_port);
    }
  } else {
    error = open_acceptor(&acceptor, tcp::endpoint(parsed, port), false, share_port);
  }
  if (!error) return acceptor;
  const std::string host = parsed.is_v6() ? "[" + address + "]" : address;
  return Status(Code::unavailable, ErrorClass::unavailable,
                "cannot listen on " + host + ":" + std::to_string(port) + ": " + advice(error));
}

// A waiting client; with the error would_block when there is none.
tcp::socket accept_from(tcp::acceptor& acceptor, tcp::endpoint* from, error_code* error) {
  tcp::socket socket(acceptor.get_executor());
  auto size = static_cast<socklen_t>(from->capacity());
  const int descriptor =
      ::accept4(acceptor.native_handle(), from->data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) {
    error->assign(errno, boost::system::system_category());
    return socket;
  }
  from->resize(size);
  socket.assign(from->protocol(), descriptor, *error);
  if (*error) ::close(descriptor);
  return socket;
}

// The common part of one machine's addresses: of IPv6 the first 64 bits.
std::string machine_of(const tcp::endpoint& from) {
  const asio::ip::address address = from.address();
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

constexpr std::chrono::milliseconds kAcceptAgainAfter{200};
constexpr int kAcceptAtOnce = 16;
// Accepting takes turns like an address of strangers; otherwise the turns would be worthless.
constexpr double kWeightOfAccepting = 8;

// One client of the server: handshake, requests, answers, limits. The server's thread.
class SecureConnection {
 public:
  // The references outlive the connection. `unread`: the bytes that all connections together hold
  // of requests without an answer.
  SecureConnection(std::shared_ptr<net::Transport> transport, const ServingOptions& options,
                   Site& site, std::size_t& unread, std::shared_ptr<Allowance::Stranger> stranger)
      : transport_(std::move(transport)),
        options_(options),
        site_(site),
        unread_(unread),
        stranger_(std::move(stranger)) {}
  ~SecureConnection() { unread_ -= counted_; }

  // Until the client or a limit ends it. close() ends it too. On the stranger's MeteredExecutor.
  asio::awaitable<void> run(ServingCertificates& certificates) {
    const std::shared_ptr<net::Transport> transport = transport_;
    transport->set_pace(stranger_.get());
    bool open = co_await handshake(certificates);
    while (open) {
      // Requests that came together must not hold up the loop together.
      if (!received_.empty()) co_await asio::post(asio::use_awaitable);
      RequestReader reader(options_.max_header_bytes);
      const Read read = co_await read_request(&reader);
      if (read == Read::refused) co_await refuse(too_large_ ? 431 : reader.refusal());
      if (read != Read::request) break;
      open = co_await respond(reader.request(), reader.keep_alive());
    }
    transport->close();
  }

  void close() {
    closing_ = true;
    transport_->close();
    stranger_->give_up();
  }
  [[nodiscard]] const Allowance::Stranger& stranger() const { return *stranger_; }
  [[nodiscard]] bool closing() const { return closing_; }

  [[nodiscard]] std::chrono::steady_clock::time_point last_request() const { return active_; }
  // A review of its request is under way: it is not the client that is slow.
  [[nodiscard]] bool busy() const { return busy_; }

 private:
  enum class Read { request, end, refused };

  asio::awaitable<bool> handshake(ServingCertificates& certificates) {
    transport_->set_deadline(steady_clock::now() + options_.read_header_timeout);
    // A silent client costs no session.
    if (co_await transport_->wait_readable() != IoError::none) co_return false;
    net::TlsSession session = certificates.new_session();
    if (!session.ssl) co_return false;
    const SSL* ssl = session.ssl.get();  // the transport keeps it
    const IoResult result = co_await transport_->handshake(std::move(session));
    if (result.error == IoError::none) {
      peer_ = PeerCertificates::of(ssl);
      co_return true;
    }
    const std::string& why = transport_->error_text();
    if (result.error == IoError::tls && why.find("http request") != std::string::npos) {
      constexpr std::string_view kHint =
          "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n"
          "this port speaks HTTPS; the request was plain HTTP\n";
      const auto descriptor = transport_->socket().native_handle();
      // Best effort: a client that does not read it sees the closed connection.
      (void)(::send(descriptor, kHint.data(), kHint.size(), MSG_NOSIGNAL) < 0);
      ::shutdown(descriptor, SHUT_WR);
    }
    if (result.error == IoError::tls) {
      if (const auto verbose = log::v(2)) verbose.info("TLS handshake failed", {{"err", why}});
    }
    co_return false;
  }

  asio::awaitable<Read> read_request(RequestReader* reader) {
    bool begun = !received_.empty();
    const auto limit = begun ? options_.read_header_timeout : options_.idle_timeout;
    transport_->set_deadline(steady_clock::now() + limit);
    while (true) {
      const RequestReader::State state = reader->take(&received_);
      if (state == RequestReader::State::refused) co_return Read::refused;
      if (!room_for(reader->taken() + received_.size())) {
        too_large_ = true;
        co_return Read::refused;
      }
      if (state == RequestReader::State::request) break;
      char piece[kPiece];
      const IoResult got = co_await transport_->read_some(piece, sizeof piece);
      if (got.error != IoError::none) co_return Read::end;
      received_.append(piece, got.bytes);
      if (!begun) transport_->set_deadline(steady_clock::now() + options_.read_header_timeout);
      begun = true;
    }
    active_ = steady_clock::now();
    co_return Read::request;
  }

  // A large request is accepted only while few clients send one: a thousand clients that slowly
  // send 64 KiB each must not cost 64 MiB.
  bool room_for(std::size_t held) {
    unread_ += held - counted_;
    counted_ = held;
    return counted_ <= kModest || unread_ <= options_.max_unread_bytes;
  }

  asio::awaitable<bool> respond(std::shared_ptr<Request> request, bool keep_alive) {
    const bool head_only = request->method == "HEAD";
    request->peer = peer_;
    request->machine = stranger_->account().address;
    transport_->set_deadline(net::Transport::kNever);  // reviews have limits of their own
    busy_ = true;
    Answer answer = co_await site_.answer(request);
    busy_ = false;
    if (request->by_right) trust(*request->by_right);
    forget_request();
    active_ = steady_clock::now();
    co_return co_await send(std::move(answer), head_only, keep_alive);
  }

  // Returns the counted bytes of the request; waiting bytes belong to the next one.
  void forget_request() {
    unread_ -= counted_;
    counted_ = 0;
  }

  // By the client's last request to a page that is not open to everybody.
  void trust(bool trusted) {
    stranger_->trust(trusted);
    transport_->set_pace(trusted ? nullptr : stranger_.get());
  }

  asio::awaitable<void> refuse(unsigned status) {
    forget_request();
    received_.clear();
    received_.shrink_to_fit();
    Answer answer;
    answer.status = status;
    answer.body = std::to_string(status) + " " + std::string(reason_phrase(status)) + "\n";
    co_await send(answer, false, false);
    // Closing with unread bytes would reset the connection, and the answer with it.
    transport_->set_deadline(steady_clock::now() + kLinger);
    char piece[kPiece];
    for (std::size_t dropped = 0; dropped < kMaxDropped;) {
      const IoResult got = co_await transport_->read_some(piece, sizeof piece);
      if (got.error != IoError::none) break;
      dropped += got.bytes;
    }
  }

  asio::awaitable<bool> send(Answer answer, bool head_only, bool keep_alive) {
    transport_->set_deadline(steady_clock::now() + kWriteTimeout);
    std::string head = render_head(answer, keep_alive);
    const std::string& body = answer.text();
    // A large body is not copied to the end of its header.
    const bool together = head_only || body.size() <= kOneWrite;
    if (together && !head_only) head += body;
    IoResult sent = co_await transport_->write(head);
    if (sent.error == IoError::none && !together) sent = co_await transport_->write(body);
    co_return sent.error == IoError::none&& keep_alive;
  }

  std::shared_ptr<net::Transport> transport_;
  const ServingOptions& options_;
  Site& site_;
  std::size_t& unread_;
  std::shared_ptr<Allowance::Stranger> stranger_;
  std::size_t counted_ = 0;  // this connection's part of it
  std::shared_ptr<const PeerCertificates> peer_;
  std::string received_;  // not yet parsed
  bool busy_ = false;
  bool too_large_ = false;  // others need the room
  bool closing_ = false;
  std::chrono::steady_clock::time_point active_ = std::chrono::steady_clock::now();
};

}  // namespace

struct SecureServer::Impl : std::enable_shared_from_this<Impl> {
  using Connections = std::list<SecureConnection>;

  Impl(asio::any_io_executor home, ServingOptions given, std::shared_ptr<Site> pages)
      : executor(std::move(home)),
        options(std::move(given)),
        site(std::move(pages)),
        certificates(options),
        pause(executor),
        allowance(std::make_shared<Allowance>(
            executor, Allowance::Limits{options.strangers_share, options.strangers_saved})) {}

  // Takes a connection out of the list however its coroutine ends.
  struct Entry {
    Entry(std::shared_ptr<Impl> owner, std::shared_ptr<net::Transport> transport,
          std::shared_ptr<Allowance::Stranger> stranger)
        : impl(std::move(owner)) {
      position =
          impl->connections.emplace(impl->connections.end(), std::move(transport), impl->options,
                                    *impl->site, impl->unread, std::move(stranger));
    }
    ~Entry() { impl->connections.erase(position); }
    Entry& operator=(Entry&&) = delete;
    std::shared_ptr<Impl> impl;
    Connections::iterator position;
  };

  static asio::awaitable<void> serve(std::shared_ptr<Impl> impl, tcp::socket socket,
                                     std::shared_ptr<Allowance::Stranger> stranger) {
    const Entry entry(impl, std::make_shared<net::Transport>(std::move(socket)), stranger);
    co_await entry.position->run(impl->certificates);
  }

  static asio::awaitable<void> accept_all(std::shared_ptr<Impl> impl) {
    while (impl->acceptor && impl->acceptor->is_open()) {
      auto [error] = co_await impl->acceptor->async_wait(tcp::acceptor::wait_read,
                                                         asio::as_tuple(asio::use_awaitable));
      if (!error && !impl->accepting->may_read()) co_await impl->accepting->wait();
      for (int i = 0; i < kAcceptAtOnce && !error && impl->acceptor->is_open(); ++i) {
        error = impl->accept_client();
      }
      if (error && impl->acceptor->is_open()) co_await impl->wait_after(error);
    }
  }

  error_code accept_client() {
    error_code error;
    tcp::endpoint from;
    tcp::socket socket = accept_from(*acceptor, &from, &error);
    if (error) return error;
    const auto account = allowance->account(machine_of(from));
    if (!make_room(*account)) return {};
    auto stranger = std::make_shared<Allowance::Stranger>(allowance, account);
    asio::co_spawn(MeteredExecutor(executor, stranger),
                   serve(shared_from_this(), std::move(socket), stranger), asio::detached);
    return {};
  }

  void start_accepting() {
    const auto account = allowance->account("");
    account->weight = kWeightOfAccepting;
    accepting = std::make_shared<Allowance::Stranger>(allowance, account);
    asio::co_spawn(MeteredExecutor(executor, accepting), accept_all(shared_from_this()),
                   asio::detached);
  }

  // Out of descriptors, mostly: accepting again at once would spin.
  asio::awaitable<void> wait_after(error_code error) {
    if (error == asio::error::would_block || error == asio::error::connection_aborted ||
        error == asio::error::operation_aborted) {
      co_return;
    }
    if (const auto left_out = complaints.pass()) {
      log::warning("Cannot accept a connection",
                   {{"err", error.message()}, {"leftOut", *left_out}});
    }
    pause.expires_after(kAcceptAgainAfter);
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  // False: the new client is refused, because its machine's clients already wait for their turn. A
  // trusted client is not closed for a stranger.
  bool make_room(const Allowance::Account& newcomer) {
    const std::size_t strangers = allowance->strangers() - 1;  // accepting counts as one
    std::size_t closing = 0;
    SecureConnection* chosen = nullptr;
    for (SecureConnection& connection : connections) {
      if (connection.closing()) {
        ++closing;
      } else if (chosen == nullptr || rank(connection) < rank(*chosen)) {
        chosen = &connection;
      }
    }
    const bool room = strangers < options.max_strangers + closing &&
                      connections.size() < options.max_connections + closing;
    if (room || chosen == nullptr) return true;
    if (occupied(*chosen) && &chosen->stranger().account() == &newcomer) return false;
    chosen->close();
    return true;
  }

  // It is not the client that is slow.
  static bool occupied(const SecureConnection& connection) {
    return connection.busy() || connection.stranger().waiting();
  }

  // The least important one makes room first: strangers before others, of the address with the most
  // connections, the one that has been silent for longest.
  using Rank = std::tuple<bool, std::ptrdiff_t, bool, std::chrono::steady_clock::time_point>;
  static Rank rank(const SecureConnection& connection) {
    const Allowance::Stranger& stranger = connection.stranger();
    const auto alike = stranger.trusted() ? 0 : stranger.account().strangers;
    return {stranger.trusted(), -static_cast<std::ptrdiff_t>(alike), occupied(connection),
            connection.last_request()};
  }

  void stop() {
    error_code ignored;
    if (acceptor) acceptor->close(ignored);
    pause.cancel();
    if (accepting) accepting->give_up();
    for (SecureConnection& connection : connections) connection.close();
  }

  asio::any_io_executor executor;
  ServingOptions options;
  std::shared_ptr<Site> site;
  ServingCertificates certificates;
  std::optional<tcp::acceptor> acceptor;
  std::uint16_t port = 0;
  asio::steady_timer pause;
  log::Throttle complaints;
  std::size_t unread = 0;
  std::shared_ptr<Allowance> allowance;
  std::shared_ptr<Allowance::Stranger> accepting;
  Connections connections;
};

SecureServer::SecureServer(asio::any_io_executor executor, ServingOptions options,
                           std::shared_ptr<Site> site)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), std::move(site))) {}

SecureServer::~SecureServer() { stop(); }

Status SecureServer::start() {
  if (impl_->options.port == 0 && !impl_->options.any_port) return {};
  if (Status status = impl_->certificates.load(); !status.ok()) return status;
  const std::uint16_t wanted = impl_->options.any_port ? 0 : impl_->options.port;
  Result<tcp::acceptor> acceptor = listen_on(impl_->executor, impl_->options.bind_address, wanted,
                                             impl_->options.permit_port_sharing);
  if (!acceptor.ok()) return acceptor.status();
  impl_->acceptor.emplace(std::move(*acceptor));
  error_code ignored;
  impl_->port = impl_->acceptor->local_endpoint(ignored).port();
  impl_->start_accepting();
  log::info("Serving securely", {{"address", impl_->options.bind_address}, {"port", impl_->port}});
  return {};
}

std::uint16_t SecureServer::port() const { return impl_->port; }

std::size_t SecureServer::connections() const { return impl_->connections.size(); }

std::size_t SecureServer::unread_bytes() const { return impl_->unread; }

void SecureServer::stop() { impl_->stop(); }

}  // namespace ccm::serving
