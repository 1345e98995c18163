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
// For what is to be made, and what this process alone can have made: AWS refuses to make it twice.
inline constexpr std::chrono::milliseconds kAgeToMake{86'400'000};

// When a listing is read, and which writes of ours it may not show, whatever it is of.
class Listing {
 public:
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  // Earlier readings are not used any more.
  void forget() { known_ = false; }

 protected:
  explicit Listing(Host& host) : host_(host) {}
  virtual ~Listing() = default;

  // Success: the last reading began at most `max_age` ago. Failures: those of reading.
  Task<Status> refresh(Ctx ctx, std::chrono::milliseconds max_age);
  // Carries an edit out on the last reading, and again on the one that is under way.
  void keep(std::function<void()> edit);

 private:
  // Reads, and makes what was read the last reading.
  virtual Task<Status> read(Ctx ctx) = 0;
  virtual void publish() = 0;

  struct Round {
    explicit Round(const Post& post) : ended(post) {}
    Gate ended;
    std::chrono::milliseconds began{0};
    Status outcome;
  };
  Task<Status> run(std::shared_ptr<Round> round);

  Host& host_;
  std::shared_ptr<Round> running_;
  bool known_ = false;
  std::chrono::milliseconds began_{0};
  std::vector<std::function<void()>> edits_;  // since the running reading began
};

template <typename T>
class Snapshot : public Listing {
 public:
  using Ptr = std::shared_ptr<const T>;
  using Read = std::function<Task<Status>(Ctx, T&)>;
  using Edit = std::function<void(T&)>;

  Snapshot(Host& host, Read read) : Listing(host), read_(std::move(read)) {}

  // One whose reading began at most `max_age` ago, with our own writes since then. Failures: those
  // of reading.
  Task<Result<Ptr>> get(Ctx ctx, std::chrono::milliseconds max_age) {
    Status fresh = co_await refresh(std::move(ctx), max_age);
    if (!fresh.ok()) co_return fresh;
    co_return Ptr(current_);
  }

  // The result of one of our writes. Callers that hold an earlier snapshot keep it as it is.
  void edit(Edit change) {
    keep([this, change = std::move(change)] {
      if (current_.use_count() > 1) current_ = std::make_shared<T>(*current_);
      change(*current_);
    });
  }

 private:
  Task<Status> read(Ctx ctx) override {
    next_ = std::make_shared<T>();
    return read_(std::move(ctx), *next_);
  }
  void publish() override { current_ = std::move(next_); }

  const Read read_;
  std::shared_ptr<T> current_;
  std::shared_ptr<T> next_;  // while it is read
};

}  // namespace ccm::aws
