#include "rate.hpp"

#include <algorithm>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr double kLeast = 0.5;   // calls a second
constexpr double kMost = 100.0;  // a limit above this is none
constexpr milliseconds kSecond{1'000};

}  // namespace

void Rate::recover(milliseconds now) {
  for (; limit_ > 0 && now - changed_at_ >= kSecond; changed_at_ += kSecond) {
    limit_ *= 1.1;
    if (limit_ > kMost) limit_ = 0;
  }
}

milliseconds Rate::take_turn(milliseconds now) {
  recover(now);
  if (now - second_begin_ >= kSecond) {
    sent_before_ = now - second_begin_ < 2 * kSecond ? sent_ : 0;
    sent_ = 0;
    second_begin_ = now;
  }
  ++sent_;
  if (limit_ == 0) return now;
  const double turn = std::max(next_ms_, static_cast<double>(now.count()));
  next_ms_ = turn + 1e3 / limit_;
  return milliseconds(static_cast<int64_t>(turn));
}

void Rate::throttled(milliseconds now) {
  recover(now);
  // Refusals of calls that were sent together are one piece of news.
  if (limit_ > 0 && now - throttled_at_ < kSecond) return;
  const double present = limit_ > 0 ? limit_ : static_cast<double>(std::max(sent_, sent_before_));
  limit_ = std::clamp(present / 2, kLeast, kMost);
  throttled_at_ = changed_at_ = now;
  next_ms_ = static_cast<double>(now.count()) + 1e3 / limit_;
}

Rate& Rates::of(const Call& call) {
  if (call.api == Api::sts) return all_[4];
  const size_t family = call.api == Api::ec2 ? 0 : 2;
  return all_[family + (is_read(call.action) ? 0 : 1)];
}

}  // namespace ccm::aws
