// A client's announcements in its handshake. The server's own tests send it over a socket.
#include "net/hello_guard.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::net {
namespace {

std::string bytes(std::size_t value, int size) {
  std::string result;
  for (int i = size - 1; i >= 0; --i) result += static_cast<char>(value >> (8 * i) & 0xFFU);
  return result;
}

std::string record(char type, const std::string& body) {
  return type + std::string("\x03\x01") + bytes(body.size(), 2) + body;
}

// A handshake message whose head announces `announced` bytes.
std::string message(char type, std::size_t announced, const std::string& body = {}) {
  return type + bytes(announced, 3) + body;
}

constexpr char kHandshake = 22;
constexpr char kHello = 1;
const std::string kLarge = message(kHello, HelloGuard::kMaxHello + 1);

bool takes(const std::string& stream, std::size_t piece) {
  HelloGuard guard;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    if (!guard.take(std::string_view(stream).substr(at, piece))) return false;
  }
  return true;
}

TEST(HelloGuard, TakesAHelloUpToItsLimit) {
  const std::string body(HelloGuard::kMaxHello, 'x');
  const std::string hello = message(kHello, body.size(), body);
  const std::string in_two =
      record(kHandshake, hello.substr(0, 9000)) + record(kHandshake, hello.substr(9000));
  for (const std::size_t piece : {1, 3, 1000, 100'000}) EXPECT_TRUE(takes(in_two, piece)) << piece;
}

TEST(HelloGuard, RefusesALargerOneAtItsFirstBytes) {
  for (const std::size_t piece : {1, 3, 1000}) {
    EXPECT_FALSE(takes(record(kHandshake, kLarge), piece)) << piece;
    std::string single;
    for (const char byte : kLarge) single += record(kHandshake, std::string(1, byte));
    EXPECT_FALSE(takes(single, piece)) << "in records of one byte, " << piece;
  }
}

TEST(HelloGuard, LooksAtTheSecondHelloOfTls13Too) {
  const std::string first = record(kHandshake, message(kHello, 3, "abc"));
  const std::string change_cipher_spec = record(20, "\x01");
  EXPECT_FALSE(takes(first + change_cipher_spec + record(kHandshake, kLarge), 7));
}

TEST(HelloGuard, LeavesTheRestToOpenssl) {
  const std::string first = record(kHandshake, message(kHello, 3, "abc"));
  EXPECT_TRUE(takes(first + record(kHandshake, message(16, 99'999)) + kLarge, 7));
  EXPECT_TRUE(takes(first + record(23, "encrypted") + record(kHandshake, kLarge), 7));
  EXPECT_TRUE(takes("GET / HTTP/1.1\r\n\r\n", 7));
}

}  // namespace
}  // namespace ccm::net
