// node-ipam-controller: gives each Node without spec.podCIDRs one block of every cluster CIDR, by
// upstream's RangeAllocator (IPAM-14, IPAM-20..40). [serial]
//
// The ledger is filled by the watch, on a standby, too, and the host reconciles nothing before the
// first listing is in. A new leader's watch may still lack the former leader's last writes. So the
// first allocation of a process goes alone, far from the last known blocks, and the others wait
// until the watch has brought that write back: then it has brought all earlier ones, too.
#pragma once

#include "ledger.hpp"
#include "node_state.hpp"
#include "rivals.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/semaphore.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ccm::ipam {

class Controller {
 public:
  explicit Controller(Host& host);

  // Unimplemented without --allocate-node-cidrs; invalid_argument with all faults of the other
  // flags.
  Status setup(Setup& setup);
  Task<Status> reconcile(Ctx ctx, Request request);

 private:
  void on_event(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  // Requeues as many Nodes as blocks became free.
  void wake(const Queue& queue);

  // Also ok when there is nothing left to do, because the Node was deleted or another writer was
  // faster.
  Task<Status> assign(Ctx ctx, NodeState node);
  Task<Status> conclude(Ctx ctx, NodeState node, Status refused);
  // Reads the Node from the API server. True: nothing is left to do, and the ledger has the reason.
  Task<Result<bool>> look_again(Ctx ctx, NodeState node);
  bool caught_up();
  [[nodiscard]] Status behind() const;
  Task<Status> await_watch(Ctx ctx);

  Task<Status> look_at_foreign(Ctx ctx, NodeState node);
  void note_foreign(const Object& node, const NodeState& state);
  [[nodiscard]] Status held_off() const;

  // Reports what is new. A permanent failure while something is wrong with the Node's ranges.
  Status judge_ranges_of(const Object& node);
  Status report(const Object& node, Status status, uint32_t attempt);

  Host& host_;
  const Events events_;
  const PoolMetrics metrics_;
  std::optional<Ledger> ledger_;  // from setup() on
  Rivals rivals_;
  Semaphore first_;         // for the allocation that goes alone
  std::string probe_;       // the Node of the first write that succeeded
  bool caught_up_ = false;  // the watch has brought that write back
  std::map<std::string, std::chrono::milliseconds, std::less<>>
      starved_;  // last recorded as an Event
  std::map<std::string, std::pair<std::string, Trouble>, std::less<>> reported_;  // uid and what
  std::set<std::string, std::less<>> foreign_;  // to be reconciled
  Queue queue_;
};

}  // namespace ccm::ipam
