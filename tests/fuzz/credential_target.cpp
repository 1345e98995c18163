// Sources of credentials: an exec plugin's answer, base64, times (kube/credentials.hpp,
// ccm/base64.hpp, kube/time_text.hpp). Input: a text.
// Properties: an accepted answer has a credential and a time that can be compared; base64 and times
// survive a round trip; nothing overflows.
#include "fuzz.hpp"
#include "kube/client.hpp"
#include "kube/client_status.hpp"
#include "kube/credentials.hpp"
#include "kube/time_text.hpp"

#include <ccm/base64.hpp>
#include <ccm/trim.hpp>

namespace ccm::fuzz {
namespace {

constexpr std::string_view kVersion = "client.authentication.k8s.io/v1";

void check_exec(std::string_view text) {
  const auto answer = kube::parse_exec_answer(text, kVersion);
  if (!answer.ok()) {
    require(!answer.status().message().empty(), "a failure says what is wrong");
    return;
  }
  require(!answer->token.empty() || !answer->certificate_pem.empty(), "there is a credential");
  require(answer->certificate_pem.empty() == answer->private_key_pem.empty(), "a pair is a pair");
}

void check_base64(std::string_view text) {
  const auto decoded = base64_decode(text);
  if (decoded) {
    const auto again = base64_decode(base64_encode(*decoded));
    require(again.has_value(), "what is encoded can be decoded");
    require_equal(*again, *decoded, "base64 and back");
    require(decoded->size() <= text.size(), "decoding does not grow");
  }
  const auto back = base64_decode(base64_encode(text));
  require(back.has_value(), "what is encoded can be decoded");
  require_equal(*back, text, "base64 and back");
}

void check_time(std::string_view text) {
  const auto time = kube::parse_time(text);
  if (!time) return;
  require(text.size() >= 20, "a time has a date, a clock and a zone");
  require(text.find_first_not_of("0123456789-:.+TtZz") == std::string_view::npos,
          "and no other characters");
  const std::string shown = kube::format_time(*time);
  const auto again = kube::parse_time(shown);
  require(again.has_value(), "what is written can be read");
  require(*again <= *time && *time - *again < std::chrono::seconds(1), "to the second");
  require_equal(kube::format_time(*again), shown, "writing is idempotent");
}

}  // namespace

void credential_target(std::string_view bytes) {
  const Exact text(bytes);
  check_exec(text.view());
  check_base64(text.view());
  check_time(text.view());
  const std::string_view trimmed = trim(text.view());
  require_equal(trim(trimmed), trimmed, "trimming is idempotent");
  const Status status = kube::status_of_object(text.view());
  require(!status.ok() && !status.message().empty(), "an ERROR event is a failure");
  require(status.retry_after() <= std::chrono::hours(24), "nobody waits for more than a day");
}

}  // namespace ccm::fuzz
