#include "snapshot.hpp"

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kReadTimeout{60'000};

}  // namespace

Task<Status> Listing::refresh(Ctx ctx, std::chrono::milliseconds max_age) {
  const std::chrono::milliseconds oldest = host_.timer.now() - max_age;
  for (;;) {
    if (known_ && began_ >= oldest) co_return Status();
    std::shared_ptr<Round> round = running_;
    if (!round) {
      round = running_ = std::make_shared<Round>(host_.post);
      round->began = host_.timer.now();
      host_.spawn(run(round));
    }
    co_await round->ended.wait(ctx);
    if (Status ended = ctx.status(); !ended.ok()) co_return ended;
    if (round->began >= oldest && !round->outcome.ok()) co_return round->outcome;
  }
}

void Listing::keep(std::function<void()> edit) {
  if (known_) edit();
  if (running_) edits_.push_back(std::move(edit));
}

Task<Status> Listing::run(std::shared_ptr<Round> round) {
  Ctx ctx = host_.background().with_timeout(kReadTimeout);
  Task<Status> reading = read(ctx);
  round->outcome = co_await std::move(reading);
  if (round->outcome.ok()) {
    publish();
    known_ = true;
    began_ = round->began;
    for (const auto& edit : edits_) edit();
  }
  edits_.clear();
  running_.reset();
  round->ended.open();
  co_return Status();  // the callers get the failure
}

}  // namespace ccm::aws
