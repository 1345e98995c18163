#include "net/hello_guard.hpp"

#include <algorithm>

namespace ccm::net {
namespace {

constexpr std::uint8_t kChangeCipherSpec = 20;
constexpr std::uint8_t kHandshake = 22;
constexpr std::uint8_t kClientHello = 1;

}  // namespace

void HelloGuard::watch(BIO* socket, const SSL* session) {
  session_ = session;
  BIO_set_callback_arg(socket, reinterpret_cast<char*>(this));
  BIO_set_callback_ex(socket, on_bio);
}

long HelloGuard::on_bio(BIO* bio, int operation, const char* data, std::size_t, int, long,
                        int result, std::size_t* done) {
  auto* guard = reinterpret_cast<HelloGuard*>(BIO_get_callback_arg(bio));
  bool good = true;
  if (operation == BIO_CB_READ) good = !guard->renegotiates();
  if (operation == (BIO_CB_READ | BIO_CB_RETURN) && result > 0) {
    good = guard->take({data, *done});
  }
  if (good) return result;
  BIO_clear_retry_flags(bio);
  return -1;
}

bool HelloGuard::renegotiates() {
  const bool shaking = SSL_in_init(session_) == 1;
  if (!shaking) handshake_done_ = true;
  return shaking && handshake_done_ && SSL_version(session_) < TLS1_3_VERSION;
}

bool HelloGuard::take(std::string_view received) {
  while (!over_ && !received.empty()) {
    if (record_left_ == 0) {
      if (!take_record_head(&received)) return true;
      continue;
    }
    const std::string_view piece = received.substr(0, record_left_);
    received.remove_prefix(piece.size());
    record_left_ -= piece.size();
    if (handshake_record_ && !take_message(piece)) return false;
  }
  return true;
}

// False when it is incomplete.
bool HelloGuard::take_record_head(std::string_view* received) {
  const std::size_t size = std::min(received->size(), record_head_.size() - record_head_size_);
  std::copy_n(received->begin(), size, record_head_.begin() + record_head_size_);
  received->remove_prefix(size);
  record_head_size_ += size;
  if (record_head_size_ < record_head_.size()) return false;
  record_head_size_ = 0;
  record_left_ = std::size_t{record_head_[3]} << 8U | record_head_[4];
  handshake_record_ = record_head_[0] == kHandshake;
  // TLS 1.3 has one of those, without meaning, before a second ClientHello.
  over_ = !handshake_record_ && record_head_[0] != kChangeCipherSpec;
  return true;
}

bool HelloGuard::take_message(std::string_view piece) {
  while (!over_ && !piece.empty()) {
    if (message_left_ > 0) {
      const std::size_t size = std::min(piece.size(), message_left_);
      piece.remove_prefix(size);
      message_left_ -= size;
      continue;
    }
    message_head_.at(message_head_size_++) = static_cast<std::uint8_t>(piece.front());
    piece.remove_prefix(1);
    if (message_head_size_ < message_head_.size()) continue;
    message_head_size_ = 0;
    message_left_ = std::size_t{message_head_[1]} << 16U | std::size_t{message_head_[2]} << 8U |
                    message_head_[3];
    over_ = message_head_[0] != kClientHello;  // OpenSSL's own limits of these are small
    if (!over_ && message_left_ > kMaxHello) return false;
  }
  return true;
}

}  // namespace ccm::net
