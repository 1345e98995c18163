#include "clock.hpp"

#include <ccm/timestamp.hpp>

#include <array>
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

std::optional<milliseconds> parse_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  // "Fri, 27 Nov 2026 09:30:00 GMT"
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  for (size_t month = 0; month < kMonths.size(); ++month) {
    if (text.substr(8, 3) != kMonths[month]) continue;
    const std::string number = (month < 9 ? "0" : "") + std::to_string(month + 1);
    return parse_timestamp(std::string(text.substr(12, 4)) + "-" + number + "-" +
                           std::string(text.substr(5, 2)) + "T" + std::string(text.substr(17, 8)) +
                           "Z");
  }
  return std::nullopt;
}

bool Clock::corrected(std::string_view code, std::string_view message, const HttpResponse& answer,
                      milliseconds wall_clock) {
  const auto date = parse_http_date(answer.header("date"));
  if (!date || !is_about_time(code, message)) return false;
  const milliseconds ahead = *date - now(wall_clock);
  if (ahead < kTolerated && ahead > -kTolerated) return false;
  ahead_ = *date - wall_clock;
  return true;
}

}  // namespace ccm::aws
