// The blocks and the Nodes that hold them. [serial]
//
// A claim is a Node's ranges by the watch or by the API server's answer. A reservation is an
// allocation to a Node whose write is not yet known to have happened: while that is open, the
// blocks belong to nobody else, and the next attempt writes the same ones. Every hold on a block
// belongs to exactly one claim or reservation, so nothing leaks and nothing is freed twice.
//
// A kubelet chooses the ranges of its own Node when it registers, so a claim holds one block of a
// pool at most, whatever it says: a range within a block holds that block, and of a wider one the
// blocks are given to others when no others are left. Of several claims to one block the Nodes
// alone decide (ccm/range_claims.hpp), not the order in which they come.
#pragma once

#include "node_state.hpp"
#include "pool.hpp"
#include "settings.hpp"

#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::ipam {

// A fault of a Node's ranges, for an Event.
struct Trouble {
  std::string reason;
  std::string message;
  bool operator==(const Trouble&) const = default;
};

class Ledger {
 public:
  enum class Source {
    watch,
    assigned,  // the watch showed the ranges being set
    answer,    // of a call to the API server, so possibly ahead of the watch
  };

  Ledger(const Settings& settings, const PoolMetrics& metrics);

  // Takes in an existing Node. A state older than the known one changes nothing. Whether it has
  // ranges that were not known.
  bool observe(const NodeState& node, Source source);
  // Takes in a Node that the watch saw deleted.
  void forget(const NodeState& last);

  // One block of each pool for a Node without ranges; the same blocks as before while an earlier
  // write is open. All or nothing: a family with room loses no block when the other has no room
  // (TRAP-21). `apart`: far from the last allocated ones.
  // resource_exhausted, waiting: a pool is full.
  Result<std::vector<Cidr>> reserve(const NodeState& node, bool apart);
  // Ends a reserve(), if any: the Node has ranges now, ours or others'.
  void settle(const NodeState& node);
  // ... the write did not happen and never will.
  void abandon(const std::string& name);
  // ... its result is unknown.
  void keep(const std::string& name);

  // The ranges reserved for that Node, as texts; empty = none.
  [[nodiscard]] std::vector<std::string> reserved(const std::string& name) const;
  // Whether the end of a reserve() is still to come: an abandoned attempt may linger.
  [[nodiscard]] bool is_writing(const std::string& name) const;
  // Whether that Node's ranges are known already, by its uid.
  [[nodiscard]] bool has_claim(const NodeState& node) const;
  // Whether the ranges that a Node shows may come from this controller's own write.
  [[nodiscard]] bool expects(const NodeState& node) const;
  // Whether the watch has yet to show the ranges that an answer has confirmed.
  [[nodiscard]] bool unseen(const std::string& name) const;
  // Whether the Nodes have to be compared with each other again.
  [[nodiscard]] bool contested() const { return contested_; }
  // Compares them if that is so. The Nodes whose trouble is another one now.
  std::vector<std::string> compare();
  // The fault of that Node's ranges, as of the last compare().
  [[nodiscard]] std::optional<Trouble> trouble(const std::string& name) const;
  [[nodiscard]] bool empty() const { return claims_.empty(); }
  [[nodiscard]] const std::vector<Pool>& pools() const { return pools_; }
  // Blocks that became free since the last call.
  uint32_t take_freed();

 private:
  struct Claim {
    std::string uid;
    std::string created;
    uint64_t version = 0;
    std::vector<Cidr> ranges;    // each holds one block, at most one of each pool
    std::vector<Cidr> wide;      // their blocks are given last
    std::optional<Trouble> own;  // whatever other Nodes have
    bool seen = false;
  };
  struct Reservation {
    std::string uid;
    std::string created;
    std::vector<uint32_t> blocks;  // one of each pool
    bool in_flight = false;
    bool gone = false;  // the Node left meanwhile
  };
  using Claims = std::unordered_map<std::string, Claim>;
  using Reservations = std::map<std::string, Reservation, std::less<>>;

  using Troubles = std::map<std::string, Trouble, std::less<>>;
  using Block = std::pair<std::size_t, uint32_t>;  // of that pool

  struct Place {
    std::size_t pool = 0;
    BlockSet::Span span;
  };
  // One of several Nodes that claim one block.
  struct Claimant {
    std::string_view name;
    std::string_view uid;
    std::string_view created;
    Cidr range;
    bool reserved = false;
  };
  [[nodiscard]] std::optional<Place> find(const Cidr& range) const;
  [[nodiscard]] std::vector<Cidr> blocks_of(const Reservation& reservation) const;
  [[nodiscard]] bool is_wide(const Cidr& range, const Place& place) const {
    return range.prefix < pools_[place.pool].blocks().block_prefix();
  }
  void add(const NodeState& node, Source source);
  // Takes `range` into the claim, or says why not.
  std::optional<Trouble> take_in(Claim& claim, const std::string& text);
  // Whether others than that Node hold the block, besides its own claim and reservation.
  [[nodiscard]] bool is_contested(const std::string& name, const Block& block) const;
  [[nodiscard]] std::map<Block, std::vector<Claimant>> contested_blocks() const;
  [[nodiscard]] Troubles judge() const;
  void drop(Claims::iterator claim);
  void drop(Reservations::iterator reservation);

  std::vector<Pool> pools_;
  const std::vector<Cidr> service_ranges_;
  Claims claims_;
  Reservations reservations_;
  Troubles conflicts_;      // between Nodes, as of the last compare()
  bool contested_ = false;  // something came to a block with several holders, or left it
  uint32_t freed_ = 0;
};

}  // namespace ccm::ipam
