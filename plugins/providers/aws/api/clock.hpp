// The time that signatures carry: the machine's, until AWS says that it is wrong (AWS-32).
#pragma once

#include <ccm/http.hpp>
#include <ccm/log.hpp>

#include <chrono>
#include <string_view>

namespace ccm::aws {

class Clock {
 public:
  [[nodiscard]] std::chrono::milliseconds now(std::chrono::milliseconds wall_clock) const {
    return wall_clock + ahead_;
  }
  // An answer was refused. True when that was for the time: AWS says so, and the Date of the answer
  // is more than 4 minutes from the time that was signed. Then calls are signed with AWS's time.
  // An answer that was merely slow changes nothing.
  bool corrected(std::string_view code, std::string_view message, const HttpResponse& answer,
                 std::chrono::milliseconds wall_clock);
  [[nodiscard]] std::chrono::milliseconds ahead() const { return ahead_; }
  // Says so in the log.
  void tell(const Log& log) const;

 private:
  std::chrono::milliseconds ahead_{0};  // AWS, of the machine
};

}  // namespace ccm::aws
