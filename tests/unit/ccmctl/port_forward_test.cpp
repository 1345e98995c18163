// The frames of the WebSocket to a Pod's port.
#include "ccmctl/manager/port_forward.hpp"

#include <gtest/gtest.h>

namespace ccm::ctl::websocket {
namespace {

std::string unmasked(const std::string& frame, std::size_t head) {
  std::string payload;
  for (std::size_t index = head + 4; index < frame.size(); ++index) {
    payload += static_cast<char>(frame[index] ^ frame[head + (index - head - 4) % 4]);
  }
  return payload;
}

// The example of RFC 6455, 1.3.
TEST(WebSocket, Issue42_4_TheServerProvesThatItReadTheKey) {
  EXPECT_EQ(accept_of("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocket, Issue42_4_AClientsFramesAreMaskedAndOfAnyLength) {
  const std::string small = encode(kBinary, "hello", 0x04030201);
  EXPECT_EQ(small.substr(0, 6), "\x82\x85\x01\x02\x03\x04");
  EXPECT_EQ(unmasked(small, 2), "hello");
  const std::string medium = encode(kBinary, std::string(300, 'x'), 7);
  EXPECT_EQ(medium.substr(1, 3), std::string("\xfe\x01\x2c"));
  EXPECT_EQ(unmasked(medium, 4), std::string(300, 'x'));
  const std::string large = encode(kBinary, std::string(70'000, 'y'), 7);
  EXPECT_EQ(large.substr(1, 9), std::string("\xff\0\0\0\0\0\x01\x11\x70", 9));
  EXPECT_EQ(unmasked(large, 10), std::string(70'000, 'y'));
}

TEST(WebSocket, Issue42_4_FramesAreTakenWhenTheyAreWhole) {
  const std::string wire = std::string("\x82\x03\0ab", 5) + std::string("\x88\0", 2);
  std::string bytes;
  for (std::size_t size = 0; size < 5; ++size) {
    auto none = take(bytes);
    ASSERT_TRUE(none.ok());
    EXPECT_FALSE(*none) << size;
    bytes += wire[size];
  }
  bytes += wire.substr(5);
  const auto data = take(bytes);
  ASSERT_TRUE(data.ok() && *data);
  EXPECT_EQ((*data)->opcode, kBinary);
  EXPECT_EQ((*data)->payload, std::string("\0ab", 3));
  const auto end = take(bytes);
  ASSERT_TRUE(end.ok() && *end);
  EXPECT_EQ((*end)->opcode, kClose);
  EXPECT_TRUE(bytes.empty());
  std::string long_one = std::string("\x82\x7e\x01\x2c", 4) + std::string(300, 'x');
  EXPECT_EQ((*take(long_one))->payload.size(), 300u);
}

TEST(WebSocket, Issue42_4_GarbageIsRefused) {
  for (std::string bytes : {std::string("\x82\x83xxxxabc"), std::string("HTTP/1.1 400"),
                            std::string("\x82\x7f\x7f\0\0\0\0\0\0\0", 10)}) {
    EXPECT_EQ(take(bytes).status().code(), Code::data_loss) << bytes;
  }
}

}  // namespace
}  // namespace ccm::ctl::websocket
