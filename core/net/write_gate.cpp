#include "net/write_gate.hpp"

#include <utility>

namespace ccm::net {

WriteGate::Passage& WriteGate::Passage::operator=(Passage&& other) noexcept {
  if (this == &other) return *this;
  end();
  gate_ = std::move(other.gate_);
  return *this;
}

void WriteGate::Passage::end() {
  const std::shared_ptr<WriteGate> gate = std::exchange(gate_, nullptr);
  if (!gate || --gate->under_way_ > 0) return;
  if (const auto idle = std::exchange(gate->idle_, nullptr)) idle();
}

WriteGate::Passage WriteGate::enter() {
  if (!open()) return {};
  ++under_way_;
  return Passage(shared_from_this());
}

Status WriteGate::refusal() {
  return Status(Code::failed_precondition,
                "this host does not hold the leader lease, so nothing was written")
      .with_reason("NotLeading");
}

void WriteGate::when_idle(std::function<void()> fn) {
  if (under_way_ == 0) return fn();
  idle_ = std::move(fn);
}

}  // namespace ccm::net
