// Requests to the health endpoint (serving/request_reader.hpp, serving/health.hpp).
// Input: a byte that says where to cut, the bytes that a client sends.
// Properties: how they are cut changes nothing; the limits hold for what is kept and for what
// waits; an answer has a known status and a body in proportion to the request.
#include "fuzz.hpp"
#include "serving/health.hpp"
#include "serving/request_reader.hpp"

#include <algorithm>

namespace ccm::fuzz {
namespace {

using serving::RequestReader;

constexpr std::size_t kMaxHeader = 4096;

struct Heard {
  std::vector<std::string> requests;  // "GET /healthz keep"
  unsigned refusal = 0;
};

// Garbage in a header or chunk that has no end yet is refused at once or waited for, until it is
// above its limit.
bool alike(const Heard& left, const Heard& right) {
  const unsigned low = std::min(left.refusal, right.refusal);
  const unsigned high = std::max(left.refusal, right.refusal);
  return left.requests == right.requests &&
         (low == high || low == 0 || (low == 400 && high != 414));
}

void check_limits(const RequestReader& reader, const std::string& received, bool more) {
  const std::size_t most = kMaxHeader + RequestReader::kMaxTail;
  require(reader.taken() <= most, "what is taken of a request is limited");
  if (more) require(reader.taken() + received.size() <= most, "what waits is limited");
}

Heard hear(std::string_view stream, uint8_t cuts) {
  Heard heard;
  std::string received;
  auto reader = std::make_unique<RequestReader>(kMaxHeader);
  for (const std::string& piece : cut(stream, cuts)) {
    received += piece;
    while (!received.empty()) {
      const RequestReader::State state = reader->take(&received);
      const bool more = state == RequestReader::State::more;
      if (state != RequestReader::State::refused) check_limits(*reader, received, more);
      if (more) break;
      if (state == RequestReader::State::refused) {
        heard.refusal = reader->refusal();
        return heard;
      }
      const bool keep_alive = reader->keep_alive();
      const auto request = reader->request();
      heard.requests.push_back(request->method + " " + request->target +
                               (keep_alive ? " keep" : " close"));
      require(request->headers.size() <= RequestReader::kMaxFields, "as many fields as allowed");
      require(request->target.size() <= RequestReader::kMaxTarget, "a target within its limit");
      require(request->body.size() <= RequestReader::kMaxBody, "a body within its limit");
      if (!keep_alive) return heard;
      reader = std::make_unique<RequestReader>(kMaxHeader);
    }
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
  require(alike(whole, hear(input.rest(), 1)), "single bytes give the same requests");
  require(alike(whole, hear(input.rest(), cuts)), "another cut gives the same requests");
  require(whole.refusal == 0 || whole.refusal == 400 || whole.refusal == 413 ||
              whole.refusal == 414 || whole.refusal == 431,
          "a known refusal");
  check_answers(whole);
  serving::HealthRegistry empty;
  (void)serving::answer_health("GET", input.rest(), empty);
}

}  // namespace ccm::fuzz
