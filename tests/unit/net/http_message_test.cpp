#include "net/http_message.hpp"

#include "net/http_client.hpp"
#include "net/url.hpp"

#include <gtest/gtest.h>

namespace ccm::net {
namespace {

// A line break in a value would be a header of somebody else's making.
TEST(HttpMessage, HeaderValuesHaveNoControlCharactersAnywhere) {
  const Result<Url> url = parse_url("http://host/");
  ASSERT_TRUE(url.ok());
  for (int code = 0; code < 256; ++code) {
    const char byte = static_cast<char>(code);
    const bool allowed = code == '\t' || (code >= 0x20 && code != 0x7f);
    for (std::size_t position = 0; position < 17; ++position) {
      std::string value(17, 'a');
      value[position] = byte;
      Request request;
      request.headers.push_back({"X", value});
      EXPECT_EQ(request_head(request, *url, "agent", false, {}).ok(), allowed)
          << code << " at " << position;
    }
  }
}

}  // namespace
}  // namespace ccm::net
