#include "replay/recording.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace sandbox::replay {
namespace {

using Json = nlohmann::json;

std::string line(const std::string& method, const std::string& target, const std::string& sent,
                 int status, const std::string& body) {
  Json value = {{"request",
                 {{"method", method},
                  {"url", "https://api.example.com" + target},
                  {"headers", Json::array()},
                  {"body", sent}}}};
  if (status == 0) {
    value["error"] = "reset";
  } else {
    value["response"] = {{"status", status}, {"headers", Json::array()}, {"body", body}};
  }
  return value.dump() + "\n";
}

Recording recording_of(const std::string& text) {
  std::istringstream lines(text);
  return Recording(lines);
}

std::string ask(Recording& recording, const std::string& method, const std::string& target,
                const std::string& body = "") {
  const Exchange* exchange = recording.answer(method, target, body);
  if (exchange == nullptr) return "not recorded";
  return exchange->answered ? exchange->body : "cut";
}

TEST(Recording, ReadsShowWhatWasThereBeforeAndAfterAChange) {
  Recording recording =
      recording_of(line("GET", "/lb", "", 200, "none") + line("POST", "/lb", "{}", 202, "made") +
                   line("GET", "/lb", "", 200, "one") + line("DELETE", "/lb/1", "", 204, "gone") +
                   line("GET", "/lb", "", 200, "none again"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(recording, "GET", "/lb"), "none");
  EXPECT_EQ(ask(recording, "POST", "/lb", "{}"), "made");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(recording, "GET", "/lb"), "one");
  EXPECT_EQ(ask(recording, "DELETE", "/lb/1"), "gone");
  EXPECT_EQ(ask(recording, "GET", "/lb"), "none again");
}

TEST(Recording, FaultsComeInTheirOrder) {
  Recording recording =
      recording_of(line("GET", "/a", "", 502, "bad") + line("GET", "/a", "", 0, "") +
                   line("GET", "/a", "", 200, "good"));
  EXPECT_EQ(ask(recording, "GET", "/a"), "bad");
  EXPECT_EQ(ask(recording, "GET", "/a"), "cut");
  EXPECT_EQ(ask(recording, "GET", "/a"), "good");
  EXPECT_EQ(ask(recording, "GET", "/a"), "good");
}

TEST(Recording, AChangeIsFoundByItsBodyThenByItsPath) {
  Recording recording = recording_of(line("POST", "/lb", R"({"name":"a","port":1})", 202, "a") +
                                     line("POST", "/lb", R"({"name":"b","port":2})", 202, "b"));
  EXPECT_EQ(ask(recording, "POST", "/lb", R"({"port":2,"name":"b"})"), "b");
  EXPECT_EQ(ask(recording, "POST", "/lb", R"({"name":"of another cluster"})"), "a");
  EXPECT_EQ(ask(recording, "POST", "/lb", R"({"name":"third"})"), "b") << "the last one again";
}

// std::regex called itself for each of them, until the stack was full.
TEST(Recording, ManyDigitsAreOneName) {
  const std::string theirs(200'000, 'a');
  const std::string ours(200'000, 'b');
  Recording recording =
      recording_of(line("POST", "/lb", Json{{"name", theirs}}.dump(), 202, "made"));
  EXPECT_EQ(ask(recording, "POST", "/lb", Json{{"name", ours}}.dump()), "made");
  EXPECT_TRUE(recording.as_asked(theirs) == ours);
}

// Services have other UIDs there, and names and marks in the cloud have these.
TEST(Recording, AnswersHaveTheUidsOfTheClusterThatAsks) {
  const std::string theirs = "0c8ab2c3-1111-2222-3333-444455556666";
  const std::string ours = "11111111-aaaa-bbbb-cccc-ddddeeeeffff";
  const std::string lone = "[redacted] a0c8ab2c31111222233334444555566";
  const auto sent = [](const std::string& name, const std::string& tag, const std::string& size) {
    return Json{{"name", name}, {"tags", {"k8s:service:" + tag}}, {"size", size}}.dump();
  };
  Recording recording = recording_of(
      line("POST", "/lb", sent("a0c8ab2c31111222233334444555566", theirs, "REGIONAL"), 202, "") +
      line("POST", "/tags/k8s:service:" + theirs, "{}", 204, "tagged"));
  EXPECT_EQ(recording.as_asked(theirs), theirs) << "nothing was asked yet";
  ask(recording, "POST", "/lb", sent("a11111111aaaabbbbccccddddeeeeff", ours, "REGIONAL_NETWORK"));
  EXPECT_EQ(recording.as_asked(lone), "[redacted] a11111111aaaabbbbccccddddeeeeff");
  EXPECT_EQ(recording.as_asked("REGIONAL of " + theirs), "REGIONAL of " + ours);
  EXPECT_EQ(ask(recording, "POST", "/tags/k8s:service:" + ours, "{}"), "tagged");
  EXPECT_EQ(ask(recording, "POST", "/tags/k8s:service:" + theirs, "{}"), "tagged");
}

TEST(Recording, AUidInAnAddressIsThatOfTheClusterThatAsks) {
  const std::string theirs = "0c8ab2c3-1111-2222-3333-444455556666";
  const std::string ours = "11111111-aaaa-bbbb-cccc-ddddeeeeffff";
  const std::string of_the_cloud = "99999999-1111-2222-3333-444455556666";
  Recording recording =
      recording_of(line("GET", "/lb?tags=service%3A" + theirs, "", 200, of_the_cloud) +
                   line("GET", "/lb/" + of_the_cloud, "", 200, theirs));
  EXPECT_EQ(ask(recording, "GET", "/nodes?tags=service%3A" + ours), "not recorded");
  EXPECT_EQ(ask(recording, "GET", "/lb?tags=service%3A" + ours), of_the_cloud);
  EXPECT_EQ(recording.as_asked(theirs), ours);
  EXPECT_EQ(ask(recording, "GET", "/lb/" + theirs), "not recorded") << "the recording has that id";
}

TEST(Recording, RequestsThatWereNotRecordedHaveNoAnswer) {
  Recording recording = recording_of(line("GET", "/a?page=1&token=[redacted]&x=2", "", 200, "yes"));
  EXPECT_EQ(ask(recording, "GET", "/a"), "not recorded");
  EXPECT_EQ(ask(recording, "GET", "/a?page=2&token=t&x=2"), "not recorded");
  EXPECT_EQ(ask(recording, "GET", "/a?page=1&token=t"), "not recorded");
  EXPECT_EQ(ask(recording, "POST", "/a?page=1&token=t&x=2"), "not recorded");
  EXPECT_EQ(ask(recording, "GET", "/a?page=1&token=t&x=2"), "yes");
}

TEST(Recording, ALineThatIsNoneIsNamed) {
  for (const char* wrong : {"{", "[]", R"({"request":{}})",
                            R"({"request":{"method":"GET","url":"x","headers":[],"body":""}})"}) {
    try {
      (void)recording_of(line("GET", "/", "", 200, "") + wrong + "\n");
      ADD_FAILURE() << wrong;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("line 2 is no recorded exchange: ", 0), 0u);
    }
  }
}

}  // namespace
}  // namespace sandbox::replay
