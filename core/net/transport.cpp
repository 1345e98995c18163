#include "net/transport.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ccm::net {
namespace asio = boost::asio;

namespace {

// An OpenSSL BIO over a non-blocking socket that never raises SIGPIPE. The descriptor is kept in
// the BIO's pointer slot, so that a BIO costs no allocation of ours.
int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

int on_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t count = 0;
  do {
    count = recv(descriptor_of(bio), data, static_cast<std::size_t>(size), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
  return static_cast<int>(count);
}

int on_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  ssize_t count = 0;
  do {
    count = send(descriptor_of(bio), data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

long on_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket");
    BIO_meth_set_read(made, on_read);
    BIO_meth_set_write(made, on_write);
    BIO_meth_set_ctrl(made, on_control);
    return made;
  }();
  return method;
}

// The BIO borrows the descriptor.
Openssl<BIO> make_socket_bio(int descriptor) {
  Openssl<BIO> bio(BIO_new(socket_method()));
  if (bio) {
    BIO_set_data(bio.get(), reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
    BIO_set_init(bio.get(), 1);
  }
  return bio;
}

}  // namespace

Transport::Transport(Socket socket) : socket_(std::move(socket)), timer_(socket_.get_executor()) {
  boost::system::error_code ignored;
  socket_.native_non_blocking(true, ignored);
}

Transport::~Transport() { close(); }

// ---- time limit ----

void Transport::set_deadline(TimePoint deadline) {
  deadline_ = deadline;
  // A timer that fires too early looks again, so a later limit costs nothing.
  if (deadline_ < armed_) watch();
}

void Transport::watch() {
  armed_ = deadline_;
  timer_.expires_at(armed_);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    if (error == asio::error::operation_aborted) return;
    const auto self = weak.lock();
    if (!self) return;
    self->armed_ = kNever;
    if (self->deadline_ == kNever) return;
    if (std::chrono::steady_clock::now() < self->deadline_) return self->watch();
    self->timed_out_ = true;
    boost::system::error_code ignored;
    self->socket_.cancel(ignored);
  });
}

asio::awaitable<IoError> Transport::wait_for(Want want) {
  if (timed_out_) co_return IoError::timed_out;
  if (!socket_.is_open()) co_return IoError::cancelled;
  const auto what = want == Want::readable ? Socket::wait_read : Socket::wait_write;
  const auto [error] = co_await socket_.async_wait(what, asio::as_tuple(asio::use_awaitable));
  const bool paced = want == Want::readable && pace_ != nullptr;
  if (!error && paced && !pace_->may_read()) co_await await_turn();
  if (timed_out_) co_return IoError::timed_out;
  if (error == asio::error::operation_aborted || !socket_.is_open()) co_return IoError::cancelled;
  if (error) co_return socket_error(error.value());
  co_return IoError::none;
}

// While it waits no byte needs to wake the loop: Asio does not know of the descriptor meanwhile.
asio::awaitable<void> Transport::await_turn() {
  boost::system::error_code error;
  const auto protocol = socket_.local_endpoint(error).protocol();
  parked_ = socket_.release(error);
  co_await pace_->wait();
  if (parked_ < 0) co_return;
  const int descriptor = std::exchange(parked_, -1);
  socket_.assign(protocol, descriptor, error);
  if (error) ::close(descriptor);
}

// ---- one attempt, without waiting ----

IoError Transport::socket_error(int error) {
  broken_ = true;
  error_text_ = std::strerror(error);
  return IoError::reset;
}

Transport::Attempt Transport::tls_outcome(int returned) {
  const int saved_errno = errno;
  const int error = SSL_get_error(top(), returned);
  if (error == SSL_ERROR_WANT_READ) return {Want::readable, {}};
  if (error == SSL_ERROR_WANT_WRITE) return {Want::writable, {}};
  if (error == SSL_ERROR_ZERO_RETURN) return {Want::nothing, {0, IoError::end}};
  broken_ = true;
  const unsigned long code = ERR_peek_error();
  const bool silent_end = ERR_GET_LIB(code) == ERR_LIB_SSL &&
                          ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  if (silent_end || (error == SSL_ERROR_SYSCALL && code == 0 && saved_errno == 0)) {
    ERR_clear_error();
    error_text_ = "the connection ended inside TLS";
    return {Want::nothing, {0, IoError::cut}};
  }
  if (error == SSL_ERROR_SYSCALL && code == 0) {
    return {Want::nothing, {0, socket_error(saved_errno)}};
  }
  error_text_ = take_openssl_errors();
  const auto& check = sessions_.back().check;
  if (check && check->error != X509_V_OK) {
    verification_failed_ = true;
    error_text_ = check->problem;
  }
  return {Want::nothing, {0, IoError::tls}};
}

Transport::Attempt Transport::socket_outcome(ssize_t count, Want busy) {
  if (count >= 0) return {Want::nothing, {static_cast<std::size_t>(count), IoError::none}};
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {busy, {}};
  return {Want::nothing, {0, socket_error(errno)}};
}

Transport::Attempt Transport::try_handshake() {
  ERR_clear_error();
  errno = 0;
  const int returned = SSL_do_handshake(top());
  return returned == 1 ? Attempt() : tls_outcome(returned);
}

Transport::Attempt Transport::try_read(char* data, std::size_t size) {
  if (!encrypted()) {
    const ssize_t count = recv(socket_.native_handle(), data, size, 0);
    if (count == 0) return {Want::nothing, {0, IoError::end}};
    return socket_outcome(count, Want::readable);
  }
  Attempt attempt;
  ERR_clear_error();
  errno = 0;
  if (SSL_read_ex(top(), data, size, &attempt.result.bytes) == 1) return attempt;
  return tls_outcome(0);
}

Transport::Attempt Transport::try_write(std::string_view data) {
  if (!encrypted()) {
    return socket_outcome(send(socket_.native_handle(), data.data(), data.size(), MSG_NOSIGNAL),
                          Want::writable);
  }
  Attempt attempt;
  ERR_clear_error();
  errno = 0;
  if (SSL_write_ex(top(), data.data(), data.size(), &attempt.result.bytes) == 1) return attempt;
  return tls_outcome(0);
}

// ---- the operations ----

asio::awaitable<IoResult> Transport::handshake(TlsSession session) {
  Openssl<BIO> below;
  if (encrypted()) {
    below.reset(BIO_new(BIO_f_ssl()));
    if (below) BIO_set_ssl(below.get(), top(), BIO_NOCLOSE);
  } else {
    below = make_socket_bio(socket_.native_handle());
  }
  if (!below || !socket_.is_open()) co_return IoResult{0, IoError::cancelled};
  BIO* const raw = below.release();
  SSL_set_bio(session.ssl.get(), raw, raw);
  if (session.guard) session.guard->watch(raw, session.ssl.get());
  sessions_.push_back(std::move(session));
  while (true) {
    const Attempt attempt = try_handshake();
    if (attempt.want == Want::nothing) co_return attempt.result;
    const IoError error = co_await wait_for(attempt.want);
    if (error != IoError::none) co_return IoResult{0, error};
  }
}

asio::awaitable<IoResult> Transport::read_some(char* data, std::size_t size) {
  // Asking the socket first would be a wasted system call in nearly every exchange: the answer
  // cannot be there yet. Bytes that TLS has already taken from it must be checked, though.
  Want want = Want::readable;
  for (const TlsSession& session : sessions_) {
    if (SSL_has_pending(session.ssl.get()) == 1) want = Want::nothing;
  }
  while (true) {
    if (want != Want::nothing) {
      const IoError error = co_await wait_for(want);
      if (error != IoError::none) co_return IoResult{0, error};
    }
    const Attempt attempt = try_read(data, size);
    if (attempt.want == Want::nothing) co_return attempt.result;
    want = attempt.want;
  }
}

asio::awaitable<IoResult> Transport::write(std::string_view data) {
  IoResult total;
  bool record_begun = false;
  while (!data.empty()) {
    const Attempt attempt = try_write(data);
    total.bytes += attempt.result.bytes;
    data.remove_prefix(attempt.result.bytes);
    total.error = attempt.result.error;
    if (total.error != IoError::none) break;
    if (attempt.want == Want::nothing) continue;
    record_begun = encrypted();
    total.error = co_await wait_for(attempt.want);
    if (total.error != IoError::none) break;
  }
  // A part of an unfinished TLS record may have left although no byte of ours was counted.
  if (total.error != IoError::none && record_begun) {
    total.bytes = std::max<std::size_t>(total.bytes, 1);
  }
  co_return total;
}

bool Transport::quiet() {
  if (!socket_.is_open() || broken_ || timed_out_) return false;
  char byte = 0;
  if (!encrypted()) {
    return recv(socket_.native_handle(), &byte, 1, MSG_PEEK) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  // Readable bytes may be a session ticket, which is no answer: OpenSSL has to look at them.
  ERR_clear_error();
  errno = 0;
  return SSL_peek(top(), &byte, 1) <= 0 && tls_outcome(0).want == Want::readable;
}

void Transport::close() {
  if (!socket_.is_open() && parked_ < 0) return;
  timer_.cancel();
  ERR_clear_error();
  // Innermost first: freeing a session above another one still uses that one and the descriptor.
  while (encrypted()) {
    SSL* const ssl = top();
    if (broken_ || SSL_in_init(ssl) == 1) {
      for (const TlsSession& session : sessions_) SSL_set_quiet_shutdown(session.ssl.get(), 1);
    } else {
      SSL_shutdown(ssl);
    }
    sessions_.pop_back();
  }
  ERR_clear_error();
  boost::system::error_code ignored;
  if (parked_ >= 0) ::close(std::exchange(parked_, -1));
  if (socket_.is_open()) socket_.close(ignored);
}

}  // namespace ccm::net
