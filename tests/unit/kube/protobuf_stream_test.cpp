// Lists and watches in protobuf, cut into messages.
#include "kube/protobuf_stream.hpp"

#include "protobuf_bytes.hpp"

#include <ccm/base64.hpp>

#include <gmock/gmock.h>

namespace ccm::kube::protobuf {
namespace {

using Piece = PieceReader::Piece;
using testing::ElementsAre;

// All that next() gives, the bytes fed in pieces of that size.
std::vector<std::string> drain(PieceReader& reader, std::string_view bytes, std::size_t size) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const std::string part(bytes.substr(at, size));
    reader.feed(part);
    std::string_view text;
    for (auto piece = reader.next(text); piece != Piece::none; piece = reader.next(text)) {
      const char* const name = piece == Piece::oversized ? "oversized" : "garbage";
      result.emplace_back(piece == Piece::object ? std::string(text) : name);
    }
  }
  return result;
}

TEST(ProtobufList, ItemsOneByOneAndTheEnvelopeHoweverTheyAreCut) {
  const std::string a = node_message("a", 1);
  const std::string b = node_message("b", 2);
  const std::string list = node_list(7, {a, b}, "more");
  for (std::size_t size = 1; size <= list.size(); ++size) {
    ListCutter cutter("v1", "NodeList");
    EXPECT_THAT(drain(cutter, list, size), ElementsAre(a, b)) << size;
    EXPECT_TRUE(cutter.done());
    EXPECT_EQ(cutter.envelope(), R"({"kind":"NodeList","apiVersion":"v1","metadata":)"
                                 R"({"resourceVersion":"7","continue":"more"}})");
  }
}

TEST(ProtobufList, ATruncatedListIsNotDone) {
  const std::string list = node_list(7, {node_message("a", 1), node_message("b", 2)});
  for (std::size_t size = 0; size + 4 < list.size(); ++size) {  // the end is two empty fields
    ListCutter cutter("v1", "NodeList");
    drain(cutter, std::string_view(list).substr(0, size), 16);
    EXPECT_FALSE(cutter.done()) << size;
  }
}

// As a real kube-apiserver v1.36 sent it.
TEST(ProtobufList, OfARealServer) {
  const std::string list = *base64_decode(
      "azhzAAoOCgJ2MRIITm9kZUxpc3QSswIKCQoAEgMyMzYaABKlAgrgAQoBYRIAGgAiACokYTU0ZGE5NTAtNzFjYy00OGJk"
      "LTkxZmEtNjhhMzBiMTI1NjE3MgMyMzY4AEIICODWkdgGEABaBgoBeBIBeWIGCgFiEgEyYgYKAXoSATGKAYQBCgRjdXJs"
      "EgZVcGRhdGUaAnYxIggI4NaR2AYQADIIRmllbGRzVjE6WgpYeyJmOm1ldGFkYXRhIjp7ImY6YW5ub3RhdGlvbnMiOnsi"
      "LiI6e30sImY6YiI6e30sImY6eiI6e319LCJmOmxhYmVscyI6eyIuIjp7fSwiZjp4Ijp7fX19fUIAEggKABIAGgAgABo2"
      "CgoKA2NwdRIDCgEyEgoKA2NwdRIDCgEyGgAyBAoCCAA6FAoAEgAaACIAKgAyADoAQgBKAFIAGgAiAA==");
  ListCutter cutter("v1", "NodeList");
  const auto items = drain(cutter, list, 100);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].size(), 293u);
  EXPECT_TRUE(cutter.done());
  EXPECT_EQ(cutter.envelope(),
            R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"236"}})");
}

TEST(ProtobufList, OversizedItemsAreDropped) {
  const std::string list = node_list(
      7, {"a", std::string(101, 'x'), "b", std::string(3000, 'y'), std::string(100, 'z')});
  for (const std::size_t size : {1u, 64u, 4000u}) {
    ListCutter cutter("v1", "NodeList", 100);
    EXPECT_THAT(drain(cutter, list, size),
                ElementsAre("a", "oversized", "b", "oversized", std::string(100, 'z')));
    EXPECT_TRUE(cutter.done());
  }
}

TEST(ProtobufList, UnknownFieldsAroundTheItemsAreSkipped) {
  const std::string list = field(9, "new") + integer_field(8, 3) + field(1, field(2, "7")) +
                           field(2, "a") +
                           "\x4d"
                           "four" +
                           "\x49"
                           "eightnow";
  ListCutter cutter("v1", "NodeList");
  EXPECT_THAT(drain(cutter, unknown_object("v1", "NodeList", list) + field(12, "x"), 3),
              ElementsAre("a"));
  EXPECT_TRUE(cutter.done());
}

TEST(ProtobufList, SomethingElseIsGarbageOnce) {
  const std::string magic("k8s\0", 4);
  const std::string type = field(1, field(1, "v1") + field(2, "NodeList"));
  const std::vector<std::string> wrong = {
      "{\"kind\":\"NodeList\"}",
      unknown_object("v1", "Status", field(2, "Failure")),
      unknown_object("v2", "NodeList", field(2, "a")),
      magic + field(2, field(2, "a")),                 // no type
      magic + type + field(3, "gzip") + field(2, ""),  // encoded
      magic + type + integer_field(2, 1),              // a list that is a number
      magic + type + field(2, integer_field(2, 1)),    // an item that is one
      magic + type +
          field(2, std::string("\x12\x05"
                               "abc")),                      // an item beyond the list
      magic + type + field(2, "\x12"),                       // an item without a length
      magic + type + field(2, field(2, "")) + field(2, ""),  // two lists
      magic + std::string(30, '\xff'),
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    ListCutter cutter("v1", "NodeList");
    std::vector<std::string> pieces = drain(cutter, wrong[i], 2);
    std::erase(pieces, "");
    EXPECT_THAT(pieces, ElementsAre("garbage")) << i;
    EXPECT_FALSE(cutter.done()) << i;
  }
}

TEST(ProtobufWatch, API_6_FramesHoweverTheyAreCut) {
  const std::string stream = frame("one") + frame("") + frame(std::string(300, 'x')) + frame("two");
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    FrameCutter cutter(299);
    EXPECT_THAT(drain(cutter, stream, size), ElementsAre("one", "", "oversized", "two")) << size;
    EXPECT_FALSE(cutter.mid_object());
  }
  for (std::size_t size = 1; size < 7; ++size) {
    FrameCutter cutter;
    drain(cutter, std::string_view(stream).substr(0, size), 1);
    EXPECT_TRUE(cutter.mid_object()) << size;
  }
}

}  // namespace
}  // namespace ccm::kube::protobuf
