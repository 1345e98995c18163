// Which Node has which block. [serial]
//
// A claim is what a Node has by the watch or by the API server's answer. A reservation is what this
// controller is giving to a Node, until it is known whether the write happened: as long as that is
// open, the blocks belong to nobody else, and the next try writes the same ones. Every hold on a
// block belongs to exactly one claim or reservation, so nothing leaks and nothing is freed twice.
#pragma once

#include "node_state.hpp"
#include "pool.hpp"
#include "settings.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ccm::ipam {

// Something wrong with a Node's ranges, for an Event.
struct Trouble {
  std::string reason;
  std::string message;
};

class Ledger {
 public:
  enum class Source {
    watch,
    assigned,  // the watch showed the ranges come
    answer,    // of a call to the API server, so possibly ahead of the watch
  };

  Ledger(const Settings& settings, const PoolMetrics& metrics);

  // Takes in a Node that exists. What is older than what is known changes nothing.
  std::optional<Trouble> observe(const NodeState& node, Source source);
  // Takes in a Node that the watch saw leave.
  void forget(const NodeState& last);

  // One block of each pool for a Node without ranges; the same ones as before while it is open
  // whether an earlier write happened. All or nothing: a family with room loses none when the other
  // has no room (TRAP-21). `apart`: far from where the last ones came from.
  // resource_exhausted, waiting: a pool is full.
  Result<std::vector<Cidr>> reserve(const NodeState& node, bool apart);
  // The end of a reserve(), if any: the Node has ranges now, ours or others'.
  void settle(const NodeState& node);
  // ... the write did not happen and never will.
  void abandon(const std::string& name);
  // ... nobody knows yet.
  void keep(const std::string& name);

  // What is reserved for that Node, as texts; empty = nothing.
  [[nodiscard]] std::vector<std::string> reserved(const std::string& name) const;
  // Whether the end of a reserve() is still to come: a try that the host gave up may linger.
  [[nodiscard]] bool is_writing(const std::string& name) const;
  // Whether that Node's ranges are known already, by its uid.
  [[nodiscard]] bool has_claim(const NodeState& node) const;
  // Whether the ranges that a Node shows may come from this controller's own write.
  [[nodiscard]] bool expects(const NodeState& node) const;
  // Whether the watch has yet to show the ranges that the Node has by an answer.
  [[nodiscard]] bool unseen(const std::string& name) const;
  [[nodiscard]] bool empty() const { return claims_.empty(); }
  [[nodiscard]] const std::vector<Pool>& pools() const { return pools_; }
  // Blocks that became free since the last call.
  uint32_t take_freed();

 private:
  struct Claim {
    std::string uid;
    uint64_t version = 0;
    std::vector<Cidr> ranges;  // those within a pool
    bool seen = false;
  };
  struct Reservation {
    std::string uid;
    std::vector<uint32_t> blocks;  // one of each pool
    bool in_flight = false;
    bool gone = false;  // the Node left meanwhile
  };
  using Claims = std::unordered_map<std::string, Claim>;
  using Reservations = std::map<std::string, Reservation, std::less<>>;

  struct Place {
    std::size_t pool = 0;
    BlockSet::Span span;
  };
  [[nodiscard]] std::optional<Place> find(const Cidr& range) const;
  [[nodiscard]] std::vector<Cidr> blocks_of(const Reservation& reservation) const;
  // Why `range` of a Node must not be, or nothing.
  [[nodiscard]] std::optional<Trouble> conflict(const std::string& name, const Cidr& range,
                                                const Place& place) const;
  std::optional<Trouble> add(const NodeState& node, Source source);
  void drop(Claims::iterator claim);
  void drop(Reservations::iterator reservation);

  std::vector<Pool> pools_;
  Claims claims_;
  Reservations reservations_;
  uint32_t freed_ = 0;
};

}  // namespace ccm::ipam
