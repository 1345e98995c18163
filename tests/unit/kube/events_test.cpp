#include "kube/events.hpp"

#include "base/log.hpp"
#include "kube/event_correlator.hpp"
#include "loop_fixture.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <mutex>
#include <thread>

namespace ccm::kube {
namespace {

using std::chrono::seconds;
using test::ServerReply;
using test::ServerRequest;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

ObjectReference node_reference(const std::string& name = "n1") {
  ObjectReference about;
  about.api_version = "v1";
  about.kind = "Node";
  about.name = name;
  about.uid = "uid-" + name;
  about.resource_version = "7";
  return about;
}

RawEvent raw(const std::string& message, const std::string& reason = "Synced") {
  RawEvent event;
  event.about = node_reference();
  event.reason = reason;
  event.message = message;
  event.time = std::chrono::system_clock::time_point(seconds(1'767'323'045));
  return event;
}

TEST(EventCorrelator, API_113_EqualEventsAreCounted) {
  EventCorrelator correlator((EventOptions()));
  const EventCorrelator::TimePoint now{};
  const auto first = correlator.judge(raw("m"), now);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->count, 1);
  EXPECT_FALSE(first->stored_name_time);
  correlator.written(*first, std::chrono::nanoseconds(0xabc));
  const auto second = correlator.judge(raw("m"), now);
  EXPECT_EQ(second->count, 2);
  EXPECT_EQ(second->stored_name_time, std::chrono::nanoseconds(0xabc));
  EXPECT_EQ(second->first_time, first->first_time);
  EXPECT_FALSE(correlator.judge(raw("other"), now)->stored_name_time);
  EXPECT_FALSE(correlator.judge(raw("m", "Other"), now)->stored_name_time);
  RawEvent warning = raw("m");
  warning.type = EventType::warning;
  EXPECT_FALSE(correlator.judge(warning, now)->stored_name_time);
}

TEST(EventCorrelator, API_114_TenthDistinctMessageIsCombined) {
  EventCorrelator correlator((EventOptions()));
  EventCorrelator::TimePoint now{};
  now += seconds(10'000);
  for (int i = 1; i <= 9; ++i) {
    EXPECT_EQ(correlator.judge(raw("m" + std::to_string(i)), now)->message,
              "m" + std::to_string(i));
  }
  const auto tenth = correlator.judge(raw("m10"), now);
  EXPECT_EQ(tenth->message, "(combined from similar events): m10");
  correlator.written(*tenth, std::chrono::nanoseconds(7));
  const auto eleventh = correlator.judge(raw("m11"), now);
  EXPECT_EQ(eleventh->message, "(combined from similar events): m11");
  EXPECT_EQ(eleventh->stored_name_time, std::chrono::nanoseconds(7));
  EXPECT_EQ(eleventh->count, 2);
  const auto later = correlator.judge(raw("m12"), now + seconds(601));
  EXPECT_EQ(later->message, "m12");
}

TEST(EventCorrelator, API_115_SpamIsDroppedAndRefilledSlowly) {
  EventCorrelator correlator((EventOptions()));
  EventCorrelator::TimePoint now{};
  int passed = 0;
  for (int i = 0; i < 40; ++i) passed += correlator.judge(raw("m"), now).has_value() ? 1 : 0;
  EXPECT_EQ(passed, 25);
  EXPECT_FALSE(correlator.judge(raw("m"), now + seconds(299)));
  EXPECT_TRUE(correlator.judge(raw("m"), now + seconds(301)));
  EXPECT_FALSE(correlator.judge(raw("m"), now + seconds(302)));
  RawEvent other = raw("m");
  other.about = node_reference("n2");
  EXPECT_TRUE(correlator.judge(other, now));  // another object has its own allowance
}

TEST(EventCorrelator, API_113_115_DroppedOnesCountInTheNextThatIsSent) {
  EventCorrelator correlator((EventOptions()));
  EventCorrelator::TimePoint now{};
  for (int i = 0; i < 40; ++i) {
    if (const auto verdict = correlator.judge(raw("m"), now)) {
      correlator.written(*verdict, std::chrono::nanoseconds(7));
    }
  }
  EXPECT_EQ(correlator.judge(raw("m"), now + seconds(301))->count, 41);
}

TEST(EventText, API_110_Names) {
  EXPECT_EQ(event_name("n1", std::chrono::nanoseconds(0x1234abcd)), "n1.1234abcd");
  for (const std::string& bad : std::vector<std::string>{
           std::string("Node_1"), std::string(260, 'a'), std::string(), std::string("a..b")}) {
    const std::string name = event_name(bad, std::chrono::nanoseconds(1));
    EXPECT_THAT(
        name, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_EQ(name, event_name(bad, std::chrono::nanoseconds(1)));
    EXPECT_NE(name, event_name(bad, std::chrono::nanoseconds(2)));
    EXPECT_NE(name, event_name(bad + "!", std::chrono::nanoseconds(1)));
  }
}

TEST(EventText, API_109_111_Body) {
  EventCorrelator::Verdict verdict;
  const RawEvent event = raw("it's \"done\"");
  verdict.message = event.message;
  verdict.first_time = event.time;
  EXPECT_EQ(event_body(event, verdict, "node-controller", "n1.1"),
            R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"n1.1","namespace":"default"},)"
            R"("involvedObject":{"kind":"Node","apiVersion":"v1","name":"n1","uid":"uid-n1",)"
            R"("resourceVersion":"7"},"reason":"Synced","message":"it's \"done\"","type":"Normal",)"
            R"("source":{"component":"node-controller"},"reportingComponent":"node-controller",)"
            R"("reportingInstance":"","eventTime":null,"firstTimestamp":"2026-01-02T03:04:05Z",)"
            R"("lastTimestamp":"2026-01-02T03:04:05Z","count":1})");
  RawEvent service = event;
  service.about.namespace_name = "team";
  EXPECT_EQ(event_namespace(service.about), "team");
  verdict.message = std::string(1023, 'x') + "€";
  EXPECT_THAT(event_patch(event, verdict), HasSubstr(std::string(1023, 'x') + "\"}"));
}

TEST(EventText, Issue37_12_NothingTurnsAroundOrHidesThePartsOfAMessage) {
  EventCorrelator::Verdict verdict;
  const RawEvent event = raw("x");
  verdict.message = "annotation \"\u202e23\u200b\x1b[2J\" is\nwrong";
  for (const std::string& text :
       {event_body(event, verdict, "c", "n"), event_patch(event, verdict)}) {
    EXPECT_THAT(text, HasSubstr("annotation \\\"\ufffd23\ufffd\ufffd[2J\\\" is\\nwrong"));
  }
}

class EventRecorderTest : public KubeTest {
 protected:
  EventRecorderTest() : server_([this](const ServerRequest& request) { return answer(request); }) {
    options_.component = "node-controller";
    options_.delivery_interval = std::chrono::milliseconds(1);
  }
  ServerReply answer(const ServerRequest&) {
    const std::lock_guard lock(mutex_);
    if (replies_.empty()) return json_reply("{}", 201);
    ServerReply reply = replies_.front();
    replies_.pop_front();
    return reply;
  }
  EventRecorder& recorder() {
    if (!recorder_) recorder_ = std::make_unique<EventRecorder>(client_for(server_), options_);
    return *recorder_;
  }
  void record(const std::string& message) {
    recorder().record(node_reference(), EventType::normal, "Synced", message);
  }
  // Returns when all Events were delivered or given up.
  void deliver() {
    recorder().start();
    bool drained = false;
    boost::asio::co_spawn(loop_, recorder().drain(seconds(10)),
                          [&](std::exception_ptr) { drained = true; });
    run_until([&] { return drained; });
  }
  std::vector<std::string> calls() {
    std::vector<std::string> result;
    for (const ServerRequest& request : server_.requests()) {
      result.push_back(request.method + " " + request.target);
    }
    return result;
  }

  std::mutex mutex_;
  std::deque<ServerReply> replies_;
  EventOptions options_;
  test::TestHttpServer server_;
  std::unique_ptr<EventRecorder> recorder_;
};

// The messages of failures differ by request ids, so they do not count.
TEST_F(EventRecorderTest, HOST_138_AnEventThatRepeatsLeavesOneLineInTenMinutes) {
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  options_.steady_now = [&now] { return now; };
  int lines = 0;
  log::redirect([&lines](std::string_view line) {
    if (line.find("Event occurred") != std::string_view::npos) ++lines;
  });
  for (int i = 0; i < 5; ++i) record("request " + std::to_string(i));
  EXPECT_EQ(lines, 1);
  recorder().record(node_reference("n2"), EventType::normal, "Synced", "request 5");
  recorder().record(node_reference(), EventType::warning, "Failed", "request 6");
  EXPECT_EQ(lines, 3);
  now += std::chrono::minutes(10);
  record("request 7");
  EXPECT_EQ(lines, 4);
  log::redirect({});
}

TEST_F(EventRecorderTest, API_113_CreatesThenPatches) {
  record("m");
  record("m");
  deliver();
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[0], "POST /api/v1/namespaces/default/events");
  EXPECT_THAT(calls()[1], StartsWith("PATCH /api/v1/namespaces/default/events/n1."));
  const ServerRequest patch = server_.requests()[1];
  EXPECT_EQ(patch.header("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_THAT(patch.body, StartsWith(R"({"count":2,)"));
}

TEST_F(EventRecorderTest, API_113_VanishedEventIsCreatedAnew) {
  replies_ = {json_reply("{}", 201), status_reply(404, "NotFound")};
  record("m");
  record("m");
  deliver();
  ASSERT_EQ(calls().size(), 3u);
  EXPECT_THAT(server_.requests()[2].body, HasSubstr(R"("count":2)"));
}

TEST_F(EventRecorderTest, NothingIsWrittenBeforeTheStart) {
  record("m");
  loop_.poll();
  EXPECT_TRUE(calls().empty());
}

TEST_F(EventRecorderTest, API_116_StatusIsFinalAndLostConnectionsAreRepeated) {
  ServerReply reset;
  reset.reset = true;
  replies_ = {reset, reset, json_reply("{}", 201), status_reply(403, "Forbidden")};
  record("first");
  record("second");
  deliver();
  EXPECT_EQ(calls().size(), 4u);
}

TEST_F(EventRecorderTest, API_113_116_OneWhoseAnswerWasLostIsThere) {
  ServerReply reset;
  reset.reset = true;
  replies_ = {reset, status_reply(409, "AlreadyExists")};
  record("m");
  record("m");
  deliver();
  ASSERT_EQ(calls().size(), 3u);
  EXPECT_THAT(calls()[2], StartsWith("PATCH "));
}

// The answer of a load balancer before the server, say. Twelve tries, 10 s apart, would keep all
// others waiting for two minutes.
TEST_F(EventRecorderTest, API_116_AnAnswerWithoutAStatusIsFinalToo) {
  ServerReply bad_gateway;
  bad_gateway.status = 502;
  bad_gateway.body = "<html>Bad Gateway</html>";
  options_.delivery_interval = std::chrono::seconds(60);
  replies_ = {bad_gateway, json_reply("{}", 201)};
  record("first");
  record("second");
  deliver();
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_THAT(server_.requests()[1].body, HasSubstr("second"));
}

TEST_F(EventRecorderTest, API_116_GivesUpAfterTheLastAttempt) {
  ServerReply reset;
  reset.reset = true;
  options_.delivery_attempts = 3;
  replies_ = {reset, reset, reset};
  record("m");
  deliver();
  EXPECT_EQ(calls().size(), 3u);
}

TEST_F(EventRecorderTest, API_116_118_FullQueueDropsAndNeverBlocks) {
  options_.queue_limit = 3;
  std::vector<std::thread> threads;
  (void)recorder();
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] { record("m" + std::to_string(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  deliver();
  EXPECT_EQ(calls().size(), 3u);
}

TEST_F(EventRecorderTest, DrainWaitsForDelivery) {
  record("m");
  deliver();
  EXPECT_EQ(calls().size(), 1u);
}

}  // namespace
}  // namespace ccm::kube
