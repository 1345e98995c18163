// What a listing of AWS had, read once for all callers of about the same moment and kept up by our
// own writes: fifty load balancers that are made at once cost one listing. [serial]
#pragma once

#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ccm::aws {

// Our own writes are in a listing, so one that is a minute old says what is there.
inline constexpr std::chrono::milliseconds kKnown{60'000};

template <typename T>
class Snapshot {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Read = std::function<Task<Result<T>>(Ctx)>;
  using Edit = std::function<void(T&)>;

  Snapshot(Host& host, Read read) : host_(host), read_(std::move(read)) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  // One whose reading began at most `max_age` ago, with our own writes since then. Failures: those
  // of reading.
  Task<Result<Ptr>> get(Ctx ctx, std::chrono::milliseconds max_age) {
    const std::chrono::milliseconds oldest = host_.timer.now() - max_age;
    for (;;) {
      if (current_ && began_ >= oldest) co_return Ptr(current_);
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

  // The result of one of our writes. Callers that hold an earlier snapshot keep it as it is.
  void edit(Edit change) {
    if (current_) {
      if (current_.use_count() > 1) current_ = std::make_shared<T>(*current_);
      change(*current_);
    }
    if (running_) edits_.push_back(std::move(change));
  }
  // Earlier readings are not used any more.
  void forget() { current_.reset(); }

 private:
  struct Round {
    explicit Round(const Post& post) : ended(post) {}
    Gate ended;
    std::chrono::milliseconds began{0};
    Status outcome = Status(Code::unavailable, "nothing was listed");
  };

  static constexpr std::chrono::milliseconds kTimeout{60'000};

  Task<Status> run(std::shared_ptr<Round> round) {
    Ctx ctx = host_.background().with_timeout(kTimeout);
    auto read = co_await read_(ctx);
    round->outcome = read.status();
    if (read.ok()) {
      current_ = std::make_shared<T>(*std::move(read));
      began_ = round->began;
      for (const Edit& change : edits_) change(*current_);
    }
    edits_.clear();
    running_.reset();
    round->ended.open();
    co_return Status();  // the callers get the failure
  }

  Host& host_;
  const Read read_;
  std::shared_ptr<Round> running_;
  std::shared_ptr<T> current_;
  std::chrono::milliseconds began_{0};
  std::vector<Edit> edits_;  // since the running reading began
};

}  // namespace ccm::aws
