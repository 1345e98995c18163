#include "credentials.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBeforeTheEnd{300'000};   // AWS-30
constexpr milliseconds kNextTry{30'000};         // after a renewal that failed
constexpr milliseconds kRenewalTimeout{30'000};  // of one round

}  // namespace

void Credentials::configure(KeySourcePtr source) {
  source_ = std::move(source);
  current_.reset();
  running_.reset();
  last_.reset();
}

std::string Credentials::description() const { return source_ ? source_->description() : ""; }

void Credentials::refused(const KeysPtr& keys) {
  if (current_ == keys) current_.reset();
}

bool Credentials::renewal_due() const { return !current_ || host_.timer.now() >= renew_at_; }

Task<Result<KeysPtr>> Credentials::keys(Ctx ctx) {
  if (!source_) co_return Status(Code::failed_precondition, "no source of keys is configured");
  if (!renewal_due()) co_return current_;
  std::shared_ptr<Round> round = running_;
  if (!round && last_ && host_.timer.now() < last_->since + source_->pause()) {
    co_return last_->outcome;
  }
  if (!round) {
    round = running_ = std::make_shared<Round>(host_);
    host_.spawn(run(round));
  }
  if (current_ && host_.timer.now() < ends_at_) co_return current_;
  co_await round->ended.wait(ctx);
  if (Status ended = ctx.status(); !ended.ok()) co_return ended;
  co_return round->outcome;
}

void Credentials::keep(const Keys& keys) {
  current_ = std::make_shared<const Keys>(keys);
  if (keys.expires_at == milliseconds::max()) {
    renew_at_ = ends_at_ = milliseconds::max();
    return;
  }
  const milliseconds now = host_.timer.now();
  const milliseconds lasts = keys.expires_at - host_.timer.wall_clock();
  ends_at_ = now + lasts;
  // Short-lived keys are renewed in their last fifth; none before the pause after a failure, so
  // that keys which have ended when they come are not asked for without a break.
  renew_at_ = std::max(ends_at_ - std::min(kBeforeTheEnd, lasts / 5), now + kNextTry);
}

// Not within the call that asked first: others wait for it as well.
Task<Status> Credentials::run(std::shared_ptr<Round> round) {
  const std::shared_ptr<KeySource> source = source_;
  Ctx ctx = host_.background().with_timeout(kRenewalTimeout);
  auto fetched = co_await source->fetch(ctx);
  if (running_ == round) {
    if (fetched.ok()) {
      keep(*fetched);
      round->outcome = current_;
    } else {
      round->outcome =
          fetched.status().with_context("AWS credentials (" + source->description() + ")");
    }
    if (!fetched.ok() && current_) {
      renew_at_ = host_.timer.now() + kNextTry;
      if (source->outlives_expiry()) {
        ends_at_ = std::max(ends_at_, renew_at_);
        round->outcome = current_;
      }
      host_.log.warning("AWS credentials could not be renewed; the old ones are used on",
                        {{"source", source->description()}, {"err", fetched.status()}});
    }
    last_ = std::move(running_);
  }
  round->ended.open();
  co_return Status();  // the failure is told to those who asked
}

}  // namespace ccm::aws
