#include "clock.hpp"

#include <ccm/http_date.hpp>

#include <string>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTolerated{240'000};

bool is_about_time(std::string_view code, std::string_view message) {
  if (code == "RequestTimeTooSkewed" || code == "RequestExpired") return true;
  const bool signature = code == "SignatureDoesNotMatch" || code == "InvalidSignatureException" ||
                         code == "AuthFailure";
  return signature && (message.find("expired") != std::string_view::npos ||
                       message.find("not yet current") != std::string_view::npos);
}

}  // namespace

bool Clock::corrected(std::string_view code, std::string_view message, const HttpResponse& answer,
                      milliseconds wall_clock) {
  const auto date = parse_http_date(answer.header("date"));
  if (!date || !is_about_time(code, message)) return false;
  const milliseconds ahead = *date - now(wall_clock);
  if (ahead < kTolerated && ahead > -kTolerated) return false;
  ahead_ = *date - wall_clock;
  return true;
}

void Clock::tell(const Log& log) const {
  log.warning("This machine's clock is wrong; calls to AWS are signed with AWS's time",
              {{"ahead_seconds", std::to_string(-ahead_.count() / 1'000)}});
}

}  // namespace ccm::aws
