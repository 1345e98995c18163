// Keys that are kept: renewed before they end, in the background, while the old ones are used on
// (AWS-30). [serial]
#pragma once

#include "keys.hpp"
#include "source.hpp"

#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace ccm::aws {

class Credentials {
 public:
  explicit Credentials(Host& host) : host_(host) {}
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // The next keys come from there.
  void configure(KeySourcePtr source);
  // For logs; empty before configure().
  [[nodiscard]] std::string description() const;

  // Keys that hold. A call waits only when there are none that do; those that wait share one
  // question, and its answer for the source's pause(). Failures: failed_precondition before
  // configure(), those of the source, and the end of `ctx`.
  Task<Result<KeysPtr>> keys(Ctx ctx);
  // AWS does not take them: the next call gets new ones, if the source has others.
  void refused(const KeysPtr& keys);

 private:
  struct Round {
    explicit Round(const Host& host) : ended(host.post), since(host.timer.now()) {}
    Gate ended;
    const std::chrono::milliseconds since;
    Result<KeysPtr> outcome = Status(Code::unavailable, "nobody asked for keys");
  };

  [[nodiscard]] bool renewal_due() const;
  Task<Status> run(std::shared_ptr<Round> round);
  void keep(const Keys& keys);

  Host& host_;
  std::shared_ptr<KeySource> source_;  // shared with a round that runs
  KeysPtr current_;
  // By the monotonic clock.
  std::chrono::milliseconds renew_at_{0};
  std::chrono::milliseconds ends_at_{0};
  std::shared_ptr<Round> running_;
  std::shared_ptr<Round> last_;  // the one that ended last
};

}  // namespace ccm::aws
