#include "serving/secure_connection.hpp"

#include "base/log.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/socket.h>

#include <ctime>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
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

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[40];
  std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text;
}

std::string render_head(const Answer& answer, bool keep_alive) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  text += reason_phrase(answer.status);
  text += "\r\nCache-Control: no-cache, private\r\nContent-Type: ";  // HOST-100
  text += answer.content_type + "\r\nX-Content-Type-Options: nosniff\r\nDate: ";
  text += date_now();
  text += "\r\nContent-Length: " + std::to_string(answer.text().size()) + "\r\n";
  if (!answer.allow.empty()) text += "Allow: " + std::string(answer.allow) + "\r\n";
  if (answer.retry_after > 0) {
    text += "Retry-After: " + std::to_string(answer.retry_after) + "\r\n";
  }
  if (!keep_alive) text += "Connection: close\r\n";
  text += "\r\n";
  return text;
}

}  // namespace

void SecureConnection::close() {
  closing_ = true;
  transport_->close();
  stranger_->give_up();
}

asio::awaitable<void> SecureConnection::run(ServingCertificates& certificates) {
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

asio::awaitable<bool> SecureConnection::handshake(ServingCertificates& certificates) {
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

asio::awaitable<SecureConnection::Read> SecureConnection::read_request(RequestReader* reader) {
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

// A large request is accepted only while few clients send one: a thousand clients that slowly send
// 64 KiB each must not cost 64 MiB.
bool SecureConnection::room_for(std::size_t held) {
  unread_ += held - counted_;
  counted_ = held;
  return counted_ <= kModest || unread_ <= options_.max_unread_bytes;
}

asio::awaitable<bool> SecureConnection::respond(std::shared_ptr<Request> request, bool keep_alive) {
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
void SecureConnection::forget_request() {
  unread_ -= counted_;
  counted_ = 0;
}

// By the client's last request to a page that is not open to everybody.
void SecureConnection::trust(bool trusted) {
  stranger_->trust(trusted);
  transport_->set_pace(trusted ? nullptr : stranger_.get());
}

asio::awaitable<void> SecureConnection::refuse(unsigned status) {
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

asio::awaitable<bool> SecureConnection::send(Answer answer, bool head_only, bool keep_alive) {
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

}  // namespace ccm::serving
