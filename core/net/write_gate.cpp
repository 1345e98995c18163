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
  if (const std::shared_ptr<WriteGate> gate = std::exchange(gate_, nullptr)) --gate->under_way_;
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

}  // namespace ccm::net
