// Requests to the health endpoint (serving/request_reader.hpp, serving/health_page.hpp).
// Input: a byte that says where to cut, the bytes that a client sends.
// Properties: how they are cut changes nothing; header limits hold; an answer has a known status
// and a body in proportion to the request.
#include "fuzz.hpp"
#include "serving/health_page.hpp"
#include "serving/health_registry.hpp"
#include "serving/request_reader.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

using serving::RequestReader;

constexpr std::size_t kMaxHeader = 1024;

struct Heard {
  std::vector<std::string> requests;  // "GET /healthz keep"
  unsigned refusal = 0;
};

// Garbage in a header that has no end yet is refused at once or waited for. Whether the first line
// counts for the header's limit depends on the pieces in which it arrives.
bool alike(const Heard& left, const Heard& right, std::size_t size) {
  if (size > kMaxHeader && (left.refusal == 431 || right.refusal == 431)) return true;
  const unsigned low = std::min(left.refusal, right.refusal);
  const unsigned high = std::max(left.refusal, right.refusal);
  return left.requests == right.requests && (low == high || (low == 0 && high == 400));
}

Heard hear(std::string_view stream, uint8_t cuts) {
  Heard heard;
  std::string received;
  auto reader = std::make_unique<RequestReader>(kMaxHeader);
  for (const std::string& piece : cut(stream, cuts)) {
    received += piece;
    while (!received.empty()) {
      const RequestReader::State state = reader->take(&received);
      if (state == RequestReader::State::more) break;
      if (state == RequestReader::State::refused) {
        heard.refusal = reader->refusal();
        return heard;
      }
      heard.requests.push_back(std::string(reader->method()) + " " + std::string(reader->target()) +
                               (reader->keep_alive() ? " keep" : " close"));
      if (!reader->keep_alive()) return heard;
      reader = std::make_unique<RequestReader>(kMaxHeader);
    }
    require(received.size() <= 2 * kMaxHeader + stream.size() / 8 + 8192, "what waits is limited");
  }
  return heard;
}

void check_answers(const Heard& heard) {
  serving::HealthRegistry registry;
  registry.set("leaderElection", [] { return Status(); });
  registry.set("node", [] { return Status(Code::unavailable, "it sleeps"); });
  for (const std::string& request : heard.requests) {
    const std::size_t first = request.find(' ');
    const std::string_view view = request;
    const std::string_view target = view.substr(first + 1, view.rfind(' ') - first - 1);
    const serving::Answer answer = serving::answer_health(view.substr(0, first), target, registry);
    require(answer.status == 200 || answer.status == 404 || answer.status == 405 ||
                answer.status == 500,
            "a known status");
    require(answer.body.size() <= 1024 + 4 * target.size(), "a body in proportion");
    require(answer.body.find("it sleeps") == std::string::npos, "reasons are withheld");
  }
}

}  // namespace

void serving_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t cuts = input.byte();
  const Heard whole = hear(input.rest(), 0);
  require(alike(whole, hear(input.rest(), 1), input.rest().size()),
          "single bytes give the same requests");
  require(alike(whole, hear(input.rest(), cuts), input.rest().size()),
          "another cut gives the same requests");
  require(
      whole.refusal == 0 || whole.refusal == 400 || whole.refusal == 413 || whole.refusal == 431,
      "a known refusal");
  check_answers(whole);
  serving::HealthRegistry empty;
  (void)serving::answer_health("GET", input.rest(), empty);
}

}  // namespace ccm::fuzz
