#include "kube/watch_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ccm::kube {
namespace {

using testing::ElementsAre;
using Piece = WatchDecoder::Piece;

const std::vector<std::string> kObjects = {"{}", R"({"a":"}{"})", R"({"a":"\"}\\"})",
                                           R"({"a":[{},[{}]],"b":{"c":"\\\""}})",
                                           "{\n  \"pretty\": [1,\n 2]\n}"};

template <typename Decoder>
std::vector<std::string> drain(Decoder& decoder) {
  std::vector<std::string> result;
  std::string_view text;
  for (Piece piece = decoder.next(text); piece != Piece::none; piece = decoder.next(text)) {
    if (piece == Piece::object) {
      // The padding that simdjson reads must be readable.
      volatile char last = *(text.data() + text.size() + kJsonPadding - 1);
      (void)last;
      result.emplace_back(text);
    } else {
      result.emplace_back(piece == Piece::oversized ? "<oversized>" : "<garbage>");
    }
  }
  return result;
}

template <typename Decoder>
std::vector<std::string> feed_in_steps(Decoder& decoder, const std::string& text,
                                       std::size_t step) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < text.size(); i += step) {
    decoder.feed(std::string_view(text).substr(i, step));
    for (std::string& piece : drain(decoder)) result.push_back(std::move(piece));
  }
  return result;
}

TEST(WatchDecoder, API_6_ObjectsInARowHoweverTheyAreCutAndSeparated) {
  for (const std::string& separator : {std::string(), std::string("\n"), std::string(" \r\n\t")}) {
    std::string stream;
    for (const std::string& object : kObjects) stream += object + separator;
    for (std::size_t step = 1; step <= stream.size(); ++step) {
      WatchDecoder decoder;
      EXPECT_EQ(feed_in_steps(decoder, stream, step), kObjects) << step;
      EXPECT_FALSE(decoder.mid_object());
    }
  }
}

TEST(WatchDecoder, KnowsACutObject) {
  WatchDecoder decoder;
  EXPECT_FALSE(decoder.mid_object());
  decoder.feed(R"({"a":{)");
  drain(decoder);
  EXPECT_TRUE(decoder.mid_object());
}

TEST(WatchDecoder, OversizedObjectsAreDroppedAndDecodingGoesOn) {
  const std::string big = R"({"a":")" + std::string(1000, 'x') + R"(","b":{}})";
  for (const std::size_t step :
       {std::size_t{1}, std::size_t{7}, std::size_t{100}, std::size_t{5000}}) {
    WatchDecoder decoder(100);
    EXPECT_THAT(feed_in_steps(decoder, R"({"s":1})" + big + R"({"t":2})" + big, step),
                ElementsAre(R"({"s":1})", "<oversized>", R"({"t":2})", "<oversized>"));
  }
}

TEST(WatchDecoder, GarbageBetweenObjectsIsSkipped) {
  WatchDecoder decoder;
  EXPECT_THAT(feed_in_steps(decoder, "hello {\"a\":1} ]}, {\"b\":2}", 1000),
              ElementsAre("<garbage>", R"({"a":1})", "<garbage>", R"({"b":2})"));
}

TEST(WatchDecoder, AStringThatEndsWithItsLineDoesNotSwallowWhatFollows) {
  const std::string stream = "{\"a\":1}\n{\"type\":\"ADD\n{\"b\":{\"c\":2}}\n";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    WatchDecoder decoder;
    EXPECT_THAT(feed_in_steps(decoder, stream, step),
                ElementsAre(R"({"a":1})", "<garbage>", R"({"b":{"c":2}})"))
        << step;
  }
}

TEST(WatchDecoder, UnbalancedBracketsDoNoHarm) {
  WatchDecoder decoder(1000);
  drain(decoder);
  decoder.feed("{]]]]}}}}{\"a\":1}");
  drain(decoder);
  decoder.feed(std::string(5000, '['));
  decoder.feed(std::string(5000, '}'));
  drain(decoder);
  decoder.feed("{\"b\":1}");
  EXPECT_THAT(drain(decoder), testing::Contains("{\"b\":1}"));
}

TEST(ListDecoder, ItemsOneByOneAndTheEnvelope) {
  const std::string list =
      R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7","items":[1]},)"
      R"("items":[)" +
      kObjects[1] + "," + kObjects[2] + " ,\n" + kObjects[3] + R"(],"tail":{"x":[{}]}})" + "\n";
  for (std::size_t step = 1; step <= list.size(); ++step) {
    ListDecoder decoder;
    EXPECT_THAT(feed_in_steps(decoder, list, step),
                ElementsAre(kObjects[1], kObjects[2], kObjects[3]))
        << step;
    EXPECT_TRUE(decoder.done());
    EXPECT_EQ(
        decoder.envelope(),
        R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7","items":[1]},)"
        R"("items":[],"tail":{"x":[{}]}})");
  }
}

TEST(ListDecoder, API_139_EmptyNullAndMissingItems) {
  for (const std::string& list : {std::string(R"({"items":[]})"), std::string(R"({"items": null})"),
                                  std::string(R"({"kind":"Status","message":"items"})")}) {
    ListDecoder decoder;
    EXPECT_TRUE(feed_in_steps(decoder, list, 3).empty());
    EXPECT_TRUE(decoder.done());
    EXPECT_EQ(decoder.envelope(), list);
  }
}

TEST(ListDecoder, CutListIsNotDone) {
  ListDecoder decoder;
  feed_in_steps(decoder, R"({"items":[{"a":1},{"b":)", 4);
  EXPECT_FALSE(decoder.done());
}

TEST(ListDecoder, ABrokenItemLeavesTheListIncomplete) {
  ListDecoder decoder;
  const auto pieces = feed_in_steps(decoder, "{\"items\":[{\"a\":\"\n\"}, {\"b\":2}]}", 3);
  EXPECT_THAT(pieces, ElementsAre("<garbage>"));
  EXPECT_FALSE(decoder.done());
}

TEST(ListDecoder, StrangeItemsAndOversizedOnes) {
  ListDecoder decoder(50);
  const std::string big = R"({"a":")" + std::string(100, 'x') + R"("})";
  const auto pieces =
      feed_in_steps(decoder, R"({"items":[1, {"a":1}, )" + big + R"(, {"b":2}]})", 1000);
  EXPECT_THAT(pieces, ElementsAre("<garbage>", R"({"a":1})", "<oversized>", R"({"b":2})"));
  EXPECT_TRUE(decoder.done());
}

}  // namespace
}  // namespace ccm::kube
