// Informers that read protobuf, and what makes them go over to JSON.
#include "informer_fixture.hpp"
#include "protobuf_bytes.hpp"

#include <algorithm>

namespace ccm::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class InformerProtobufTest : public InformerTest {
 protected:
  InformerProtobufTest() { timing_.protobuf = true; }

  static test::ServerReply protobuf(std::string body) {
    test::ServerReply reply = json_reply(std::move(body));
    set_type(reply, "application/vnd.kubernetes.protobuf");
    return reply;
  }
  static void set_type(test::ServerReply& reply, const std::string& type) {
    std::erase_if(reply.headers, [](const auto& header) { return header.first == "Content-Type"; });
    reply.headers.emplace_back("Content-Type", type);
  }
  // A stream of frames; in pieces of five bytes, so that the frames are cut.
  void expect_frames(std::vector<std::string> parts, const std::vector<std::string>& frames,
                     End end = End::hold) {
    std::string all;
    for (const std::string& one : frames) all += one;
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < all.size(); i += 5) pieces.push_back(all.substr(i, 5));
    test::ServerReply reply = api_.stream_reply(pieces, end);
    reply.chunks.erase(reply.chunks.begin());  // an empty line, which is no frame
    if (end == End::hold) {
      const std::size_t count = reply.chunks.size();
      reply.before_chunk = [hold = reply.before_chunk, count](std::size_t index) {
        if (index == count) hold(count + 1);
      };
    }
    set_type(reply, "application/vnd.kubernetes.protobuf;stream=watch");
    parts.emplace_back("watch=true");
    api_.expect(std::move(parts), std::move(reply));
  }
  static std::string end_of_list(int version) {
    return event_frame("BOOKMARK",
                       field(1, field(6, std::to_string(version)) +
                                    map_entry(12, "k8s.io/initial-events-end", "true")));
  }
  std::vector<std::string> accepted() {
    std::vector<std::string> result;
    for (const auto& request : api_.server().requests())
      result.emplace_back(request.header("Accept"));
    return result;
  }
};

constexpr const char* kBoth = "application/vnd.kubernetes.protobuf,application/json";
constexpr const char* kJson = "application/json";

TEST_F(InformerProtobufTest, API_38_StreamedListThenEventsOnTheSameStream) {
  expect_frames(
      {"sendInitialEvents=true"},
      {event_frame("ADDED", node_message("a", 5)), event_frame("ADDED", node_message("b", 6)),
       end_of_list(10), event_frame("MODIFIED", node_message("a", 11, "sandbox://2")),
       event_frame("DELETED", node_message("b", 12)),
       event_frame("MODIFIED", node_message("a", 13, "sandbox://2")),
       event_frame("BOOKMARK", field(1, field(6, "20")))});
  play(6);
  run_until([&] { return informer().resource_version() == "20"; });
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "change a", "delete b", "same a"));
  EXPECT_EQ(informer().get("", "a")->json(),
            R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a","uid":"uid-a",)"
            R"("resourceVersion":"13"},"spec":{"providerID":"sandbox://2"}})");
  EXPECT_THAT(accepted(), ElementsAre(kBoth));
}

TEST_F(InformerProtobufTest, API_39_PagesAfterARefusedStream) {
  api_.expect({"sendInitialEvents=true"}, [] {
    auto reply = protobuf(unknown_object(
        "v1", "Status", field(3, "no") + field(4, "Invalid") + integer_field(6, 422)));
    reply.status = 422;
    return reply;
  }());
  api_.expect({"limit=500", "!continue"}, protobuf(node_list(10, {node_message("a", 5)}, "two")));
  api_.expect({"continue=two"}, protobuf(node_list(10, {node_message("b", 6)})));
  expect_frames({"resourceVersion=10"}, {event_frame("ADDED", node_message("c", 11))});
  play(4);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced", "late-add c"));
  EXPECT_THAT(accepted(), ElementsAre(kBoth, kBoth, kBoth, kBoth));
}

TEST_F(InformerProtobufTest, ACutListIsListedAgain) {
  timing_.streamed_lists = false;
  const std::string list = node_list(10, {node_message("a", 5), node_message("b", 6)});
  api_.expect({"limit=500"}, protobuf(list.substr(0, list.size() - 30)));
  api_.expect({"limit=500"}, protobuf(list));
  expect_frames({"resourceVersion=10"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "add b", "synced"));
}

TEST_F(InformerProtobufTest, AMalformedObjectIsSkipped) {
  expect_frames({}, {event_frame("ADDED", node_message("a", 5)), event_frame("ADDED", "\x0a\x7f"),
                     frame("no event"), end_of_list(10)});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
  EXPECT_EQ(informer().statistics().skipped_objects, 2u);
}

TEST_F(InformerProtobufTest, API_27_ExpiryInTheStreamListsAgain) {
  const std::string gone = unknown_object(
      "v1", "Status", field(3, "too old") + field(4, "Expired") + integer_field(6, 410));
  expect_frames({"sendInitialEvents=true"}, {event_frame("ADDED", node_message("a", 5)),
                                             end_of_list(10), frame(watch_event("ERROR", gone))});
  expect_frames({"sendInitialEvents=true"},
                {event_frame("ADDED", node_message("b", 12)), end_of_list(15)});
  play(4);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b", "lost a"));
}

// A newer server: the taints are kept whole, and have a field that is not known.
TEST_F(InformerProtobufTest, AnUnknownFieldThatIsKeptLeadsToJsonForGood) {
  ASSERT_TRUE(informer().subscribe(*FieldSet::of({"/spec/taints"}), {}).ok());
  const std::string node = field(1, field(1, "a") + field(6, "12")) +
                           field(2, field(5, field(1, "key") + integer_field(40, 1)));
  expect_frames({"sendInitialEvents=true"}, {event_frame("ADDED", node_message("a", 5)),
                                             end_of_list(10), event_frame("MODIFIED", node)});
  initial_stream({node_json("a", 12, "sandbox://2")}, 15, {}, End::close);
  api_.expect_watch({"resourceVersion=15"}, {});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "change a"));
  EXPECT_THAT(accepted(), ElementsAre(kBoth, kJson, kJson));
}

TEST_F(InformerProtobufTest, AnUnknownFieldInAListLeadsToJson) {
  timing_.streamed_lists = false;
  ASSERT_TRUE(informer().subscribe(*FieldSet::of({"/spec/taints"}), {}).ok());
  api_.expect({"limit=500"}, protobuf(node_list(10, {field(1, field(1, "a")) +
                                                     field(2, field(5, integer_field(40, 1)))})));
  api_.expect({"limit=500"}, json_reply(list_json(11, {node_json("a", 5)})));
  api_.expect_watch({"resourceVersion=11"}, {});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
  EXPECT_THAT(accepted(), ElementsAre(kBoth, kJson, kJson));
}

TEST_F(InformerProtobufTest, API_5_NotAcceptableLeadsToJson) {
  api_.expect({"sendInitialEvents=true"}, status_reply(406, "NotAcceptable"));
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
  EXPECT_THAT(accepted(), ElementsAre(kBoth, kJson));
}

TEST_F(InformerProtobufTest, AnAnswerInJsonIsReadAndJsonIsKept) {
  initial_stream({node_json("a", 5)}, 10, {}, End::close);
  api_.expect_watch({"resourceVersion=10"}, {event_json("ADDED", node_json("b", 11))});
  play(3);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced", "late-add b"));
  EXPECT_THAT(accepted(), ElementsAre(kBoth, kJson));
}

TEST_F(InformerProtobufTest, AnAnswerInAnotherTypeIsAFailure) {
  test::ServerReply page = json_reply("<html>");
  set_type(page, "text/html");
  api_.expect({"sendInitialEvents=true"}, page);
  expect_frames({}, {event_frame("ADDED", node_message("a", 5)), end_of_list(10)});
  play(2);
  EXPECT_THAT(seen_, ElementsAre("add a", "synced"));
  EXPECT_THAT(accepted(), ElementsAre(kBoth, kBoth));
}

TEST_F(InformerProtobufTest, HOST_21_JsonWhenThatIsWanted) {
  timing_.protobuf = false;
  initial_stream({node_json("a", 5)}, 10);
  play(2);
  EXPECT_THAT(accepted(), ElementsAre(kJson));
}

}  // namespace
}  // namespace ccm::kube
