// Checks a client's handshake while it is in the clear, and ends expensive ones: OpenSSL allocates
// for a ClientHello of 131 kB as soon as one is announced, and TLS 1.2 lets a client renegotiate
// later. Server's side; the session's thread.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ccm::net {

class HelloGuard {
 public:
  static constexpr std::size_t kMaxHello = 16u << 10;  // browsers need 2 kB with post-quantum keys

  HelloGuard& operator=(HelloGuard&&) = delete;

  // From now on `socket` fails when the guard refuses. It outlives both.
  void watch(BIO* socket, const SSL* session);

  // `received`: the client's next bytes. False: it announces a ClientHello above the limit.
  bool take(std::string_view received);

 private:
  static long on_bio(BIO* bio, int operation, const char* data, std::size_t size, int, long,
                     int result, std::size_t* done);
  bool take_record_head(std::string_view* received);
  bool take_message(std::string_view piece);
  [[nodiscard]] bool renegotiates();

  const SSL* session_ = nullptr;
  bool over_ = false;  // the rest is encrypted, or OpenSSL's to judge
  bool handshake_done_ = false;
  bool handshake_record_ = false;
  std::size_t record_left_ = 0;
  std::size_t message_left_ = 0;
  std::array<std::uint8_t, 5> record_head_{};
  std::array<std::uint8_t, 4> message_head_{};
  std::size_t record_head_size_ = 0;
  std::size_t message_head_size_ = 0;
};

}  // namespace ccm::net
