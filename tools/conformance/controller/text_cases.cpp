// Texts and numbers of a controller: Events, metrics, the log, bodies of its writes.
#include "stage.hpp"

#include <fmt/format.h>

namespace ccm::conformance {
namespace {

using namespace std::chrono_literals;

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Lives with large texts of many scripts, and with failures that are as long. `x` moves the place
// at which a text that is cut falls into the middle of a letter.
void talk(Stage& stage, const std::string& x) {
  stage.ready();
  const std::string odd = x + repeated("\u00e4\u6f22\U0001F600", 2000) + "\uFFFD";
  for (const WorldObject& usual : usual_objects()) {
    WorldJson object = usual.json;
    object["metadata"]["annotations"]["example.com/odd"] = odd;
    object["metadata"]["unknown"] = {{"member", odd}};
    object["spec"]["unknown"] = odd;
    stage.put({usual.resource, object});
  }
  const Status failure(Code::unavailable, ErrorClass::unavailable, odd);
  std::size_t failures = 0;
  stage.tap.judge([&](const HostCall& call, std::size_t) -> std::optional<Fault> {
    const bool fails = (call.service != "kube" || call.writes) && ++failures % 2 == 1;
    if (!fails) return std::nullopt;
    return Fault{Fault::Kind::fail, failure};
  });
  stage.settle();
  stage.tap.judge(nullptr);
  stage.settle();
}

void expect_none(Stage& stage, const char* kind) {
  const auto notes = stage.tap.notes(kind);
  Trial::expect(notes.empty(), notes.empty() ? "" : notes.front());
}

void names_events(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  talk(stage, "");
  if (stage.tap.notes("event-count").empty()) Trial::skip("it records no Event");
  expect_none(stage, "events");
}

void counts_soundly(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  talk(stage, "");
  expect_none(stage, "metrics");
}

void speaks_utf8(Trial& trial, const std::string& component) {
  for (const char* x : {"", "x", "xx", "xxx"}) {
    Stage& stage = Stage::make(trial, component);
    talk(stage, x);
    expect_none(stage, "text");
  }
}

void writes_json(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  talk(stage, "");
  expect_none(stage, "kube");
  if (stage.tap.writes().empty()) Trial::skip("it writes nothing");
}

void keeps_secrets(Trial& trial, const std::string& component) {
  Stage& stage = Stage::make(trial, component);
  talk(stage, "");
  const auto secrets = stage.tap.secrets();
  if (secrets.empty()) Trial::skip("it reads no secret");
  for (const std::string& secret : secrets) {
    Trial::expect(stage.tap.said().find(secret) == std::string::npos,
                  "a secret is in the log, in an Event or in a status");
  }
}

}  // namespace

void add_controller_text_cases(Cases& cases) {
  add_case(cases, "CONTROLLER-80", "the reason of an Event is CamelCase", "ccm/abi/event.h",
           "ccm_event.reason", &names_events);
  add_case(cases, "CONTROLLER-81", "metrics are defined soundly and recorded as they were defined",
           "ccm/abi/metrics.h", "ccm_host_metrics", &counts_soundly);
  add_case(cases, "CONTROLLER-82", "every text is UTF-8, also one that is cut", "ccm/abi/base.h",
           "ccm_str", &speaks_utf8);
  add_case(cases, "CONTROLLER-83", "the body of a write is JSON, and names its object",
           "ccm/abi/kube.h", "ccm_kube_patch_request", &writes_json);
  add_case(cases, "CONTROLLER-84", "no secret is in the log, in an Event or in a status",
           "ccm/abi/log.h", "never log a secret", &keeps_secrets);
}

}  // namespace ccm::conformance
