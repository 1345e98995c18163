#include "net/write_gate.hpp"

namespace ccm::net {

WriteGate::Passage WriteGate::enter() {
  if (!open()) return {};
  ++under_way_;
  return Passage(this, [gate = shared_from_this()](const WriteGate*) { --gate->under_way_; });
}

Status WriteGate::refusal() {
  return Status(Code::failed_precondition,
                "this host does not hold the leader lease, so nothing was written")
      .with_reason("NotLeading");
}

}  // namespace ccm::net
