// Lets requests that change something pass only while this process may write, asked at the last
// moment: after every wait for a rate limit, a retry, a connection or a handshake. Counts the
// writes under way, so that the Lease is released after the last one.
// Home thread: that of the HTTP clients which use it, except open().
#pragma once

#include <ccm/status.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace ccm::net {

class WriteGate : public std::enable_shared_from_this<WriteGate> {
 public:
  // `allowed` is asked before each write; it may be called on any thread.
  explicit WriteGate(std::function<bool()> allowed) : allowed_(std::move(allowed)) {}
  WriteGate& operator=(WriteGate&&) = delete;

  // Held by one write, from its first byte until its answer is complete or its connection is given
  // up.
  using Passage = std::shared_ptr<const WriteGate>;

  // Whether a write may begin now. Any thread.
  [[nodiscard]] bool open() const { return !closed_ && allowed_(); }
  // Begins a write; null when the gate is shut.
  [[nodiscard]] Passage enter();
  // The failure of a refused write: failed_precondition, reason "NotLeading". Nothing of it has
  // left this process.
  static Status refusal();

  // No write begins any more. Any thread.
  void close() { closed_ = true; }
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

 private:
  const std::function<bool()> allowed_;
  std::atomic<bool> closed_{false};
  std::size_t under_way_ = 0;
};

}  // namespace ccm::net
