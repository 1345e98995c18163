// An API server that plays a script: what request it expects next, and what it answers.
#pragma once

#include "loop_fixture.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ccm::kube {

inline std::string node_json(const std::string& name, int version,
                             const std::string& provider_id = "sandbox://1",
                             const std::string& extra_status = "") {
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":")" + name + R"(","uid":"uid-)" +
         name + R"(","resourceVersion":")" + std::to_string(version) +
         R"(","managedFields":[{"manager":"kubelet"}]},"spec":{"providerID":")" + provider_id +
         R"("},"status":{"images":[{"sizeBytes":1}])" + extra_status + "}}";
}

inline std::string event_json(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

inline std::string bookmark_json(int version, bool initial_end = false) {
  return event_json(
      "BOOKMARK",
      R"({"kind":"Node","apiVersion":"v1","metadata":{"resourceVersion":")" +
          std::to_string(version) + R"(","creationTimestamp":null)" +
          (initial_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") +
          R"(},"spec":{},"status":{}})");
}

inline std::string error_event(unsigned code, const std::string& reason,
                               const std::string& details = "{}") {
  return event_json(
      "ERROR", R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":)" +
                   std::to_string(code) + R"(,"reason":")" + reason +
                   R"(","message":"scripted","details":)" + details + "}");
}

inline std::string list_json(int version, const std::vector<std::string>& items,
                             const std::string& more = "") {
  std::string body = R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                     std::to_string(version) + R"(")" +
                     (more.empty() ? "" : R"(,"continue":")" + more + "\"") + R"(},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) body += (i == 0 ? "" : ",") + items[i];
  return body + "]}\n";
}

class ScriptedApi {
 public:
  ScriptedApi() : server_([this](const test::ServerRequest& request) { return next(request); }) {}
  ~ScriptedApi() { release(); }

  // Lets every held stream end.
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    wake_.notify_all();
  }

  // The next request's target must contain all of `parts` (a leading '!': must not).
  ScriptedApi& expect(std::vector<std::string> parts, test::ServerReply reply) {
    const std::lock_guard lock(mutex_);
    steps_.push_back({std::move(parts), std::move(reply)});
    return *this;
  }
  enum class End { hold, close, cut };
  ScriptedApi& expect_watch(std::vector<std::string> parts, std::vector<std::string> events,
                            End end = End::hold) {
    parts.emplace_back("watch=true");
    return expect(std::move(parts), stream_reply(std::move(events), end));
  }
  test::ServerReply stream_reply(std::vector<std::string> events, End end) {
    test::ServerReply reply;
    reply.headers = {{"Content-Type", "application/json"}};
    events.insert(events.begin(), "\n");  // so that the answer is a stream even without an event
    reply.chunks = std::move(events);
    reply.no_last_chunk = end == End::cut;
    if (end == End::hold) {
      const std::size_t count = reply.chunks.size();
      reply.before_chunk = [this, count](std::size_t index) {
        if (index == count) hold();
      };
    }
    return reply;
  }

  [[nodiscard]] test::TestHttpServer& server() { return server_; }
  // Steps not played yet.
  [[nodiscard]] std::size_t left() const {
    const std::lock_guard lock(mutex_);
    return steps_.size();
  }
  [[nodiscard]] std::vector<std::string> complaints() const {
    const std::lock_guard lock(mutex_);
    return complaints_;
  }

 private:
  struct Step {
    std::vector<std::string> parts;
    test::ServerReply reply;
  };

  void hold() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return released_; });
  }

  test::ServerReply next(const test::ServerRequest& request) {
    std::unique_lock lock(mutex_);
    if (steps_.empty()) {  // the script is over: whatever comes now has to wait
      wake_.wait(lock, [this] { return released_; });
      return status_reply(503, "ServiceUnavailable");
    }
    Step step = std::move(steps_.front());
    steps_.pop_front();
    for (const std::string& part : step.parts) {
      const bool unwanted = part.front() == '!';
      const bool found = request.target.find(part.substr(unwanted ? 1 : 0)) != std::string::npos;
      if (found == unwanted) complaints_.push_back(part + " against " + request.target);
    }
    return step.reply;
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool released_ = false;
  std::deque<Step> steps_;
  std::vector<std::string> complaints_;
  test::TestHttpServer server_;  // last: its threads use the rest
};

}  // namespace ccm::kube
