// Blocks of 64 bytes are looked at as a whole where that is possible: the outcome is that of single
// bytes, wherever strings, escapes and brackets lie in a block.
#include "kube/watch_decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace ccm::kube {
namespace {

struct Found {
  std::size_t end = 0;
  uint32_t depth = 0;
  bool in_string = false;
  bool escaped = false;
  bool broken = false;
  bool operator==(const Found&) const = default;
};

Found scan(const std::string& text, std::size_t step) {
  JsonScanner scanner;
  Found found{JsonScanner::kOpen};
  for (std::size_t at = 0; at < text.size() && found.end == JsonScanner::kOpen; at += step) {
    found.end = scanner.scan(text.data(), at, std::min(at + step, text.size()));
  }
  return {found.end, scanner.depth, scanner.in_string, scanner.escaped, scanner.broken};
}

TEST(JsonScanner, AnObjectEndsWhereItsBracketCloses) {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string filler(length, 'x');
    for (const std::string& object :
         {R"({"a":")" + filler + R"("})", R"({"a":")" + filler + R"(}]{["})",
          R"({"a":")" + filler + R"(\"}"})", R"({"a":[)" + filler + R"({"b":{}}]})",
          R"({")" + filler + R"(\\":[[],"]"]})"}) {
      const Found found = scan(object + "\n{\"next\":1}", object.size() + 12);
      EXPECT_EQ(found, (Found{object.size()})) << object;
    }
  }
}

TEST(JsonScanner, ALineThatEndsInAStringIsBroken) {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string text = R"({"a":")" + std::string(length, 'x') + "\n" + std::string(100, '}');
    EXPECT_EQ(scan(text, text.size()), (Found{7 + length, 0, false, false, true})) << length;
  }
}

TEST(JsonScanner, BlocksGiveWhatSingleBytesGive) {
  std::minstd_rand random(7);
  constexpr std::string_view kBytes = "{}[]\"\\\n{}[]\"abc:,";
  for (int round = 0; round < 20000; ++round) {
    std::string text = "{";
    const std::size_t length = random() % 400;
    // From mostly plain text, which is taken in blocks, to nothing but what counts.
    const std::size_t plain = 1 + random() % 40;
    while (text.size() < length) {
      const bool counts = random() % plain == 0;
      text += counts ? kBytes[random() % kBytes.size()] : 'x';
    }
    const Found single = scan(text, 1);
    EXPECT_EQ(scan(text, text.size()), single) << text;
    EXPECT_EQ(scan(text, 1 + random() % 150), single) << text;
  }
}

}  // namespace
}  // namespace ccm::kube
