#include "ledger.hpp"

#include <algorithm>
#include <utility>

namespace ccm::ipam {

Ledger::Ledger(const Settings& settings, const PoolMetrics& metrics) {
  pools_.reserve(settings.pools.size());
  for (const PoolSettings& pool : settings.pools) {
    pools_.emplace_back(pool.cluster, pool.block_prefix, metrics);
  }
  for (const Cidr& range : settings.service_ranges) {  // IPAM-25
    if (const auto place = find(range)) pools_[place->pool].hold(place->span);
  }
}

// A range is looked up by its family, not by its position in the list (IPAM-27): a Node created
// under another order of --cluster-cidr has the same blocks.
std::optional<Ledger::Place> Ledger::find(const Cidr& range) const {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    if (const auto span = pools_[i].blocks().span(range)) return Place{i, *span};
  }
  return std::nullopt;
}

std::vector<Cidr> Ledger::blocks_of(const Reservation& reservation) const {
  std::vector<Cidr> ranges;
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    ranges.push_back(pools_[i].blocks().block(reservation.blocks[i]));
  }
  return ranges;
}

std::optional<Trouble> Ledger::conflict(const std::string& name, const Cidr& range,
                                        const Place& place) const {
  const BlockSet& blocks = pools_[place.pool].blocks();
  if (!blocks.any_taken(place.span)) return std::nullopt;
  const auto own = reservations_.find(name);
  if (own != reservations_.end() && blocks.block(own->second.blocks[place.pool]) == range) {
    return std::nullopt;
  }
  std::string other;
  for (const auto& [node, claim] : claims_) {
    const bool shared = std::any_of(claim.ranges.begin(), claim.ranges.end(),
                                    [&](const Cidr& theirs) { return theirs.overlaps(range); });
    if (shared && node != name) other = "Node " + node + " has it, too, or a part of it";
  }
  for (const auto& [node, reservation] : reservations_) {
    if (node != name && blocks.block(reservation.blocks[place.pool]).overlaps(range)) {
      other = "it is just being given to Node " + node;
    }
  }
  if (other.empty()) {
    // Two small ranges within one block do not conflict, and neither does our own open write.
    if (own != reservations_.end() || range.prefix > blocks.block_prefix()) return std::nullopt;
    other = "it belongs to the Services (--service-cluster-ip-range)";
  }
  return Trouble{"CIDRConflict", "The Node has the Pod range " + range.text() + ", but " + other};
}

std::optional<Trouble> Ledger::observe(const NodeState& node, Source source) {
  auto claim = claims_.find(node.name);
  if (claim != claims_.end() && claim->second.uid != node.uid) {
    if (node.version != 0 && node.version < claim->second.version) return std::nullopt;
    drop(claim);
    claim = claims_.end();
  }
  // Ranges never disappear again: a state without them is just older.
  if (node.cidrs.empty()) return std::nullopt;
  std::optional<Trouble> trouble;
  if (claim == claims_.end()) {
    trouble = add(node, source);
  } else {
    claim->second.version = std::max(claim->second.version, node.version);
    claim->second.seen = claim->second.seen || source != Source::answer;
  }
  const auto reservation = reservations_.find(node.name);
  if (reservation != reservations_.end() && !reservation->second.in_flight) drop(reservation);
  return trouble;
}

std::optional<Trouble> Ledger::add(const NodeState& node, Source source) {
  std::optional<Trouble> trouble;
  Claim claim{node.uid, node.version, {}, source != Source::answer};
  for (const std::string& text : node.cidrs) {
    const auto range = parse_cidr(text);
    const auto place = range ? find(*range) : std::nullopt;
    if (!place) {
      trouble = Trouble{"PodCIDROutOfRange",
                        "The Node's Pod range " + text +
                            (range ? " lies outside of --cluster-cidr" : " is no address range")};
      continue;
    }
    if (auto found = conflict(node.name, *range, *place)) trouble = std::move(found);
    Pool& pool = pools_[place->pool];
    const bool ours = reservations_.contains(node.name);
    pool.hold(place->span);
    // A standby continues where the leader has stopped.
    if (source == Source::assigned && !ours) pool.follow(place->span.last);
    claim.ranges.push_back(*range);
  }
  claims_.emplace(node.name, std::move(claim));
  return trouble;
}

void Ledger::forget(const NodeState& last) {
  const auto reservation = reservations_.find(last.name);
  if (reservation != reservations_.end() && reservation->second.uid == last.uid) {
    // An open write carries the uid as its precondition, so it cannot happen any more; one that is
    // under way may just have.
    if (reservation->second.in_flight) {
      reservation->second.gone = true;
    } else {
      drop(reservation);
    }
  }
  const auto claim = claims_.find(last.name);
  if (claim == claims_.end()) return;
  // The deletion of a former Node of that name says nothing about the present one.
  if (claim->second.uid == last.uid || last.version > claim->second.version) drop(claim);
}

Result<std::vector<Cidr>> Ledger::reserve(const NodeState& node, bool apart) {
  const auto open = reservations_.find(node.name);
  if (open != reservations_.end()) {
    if (open->second.uid == node.uid) {
      open->second.in_flight = true;
      return blocks_of(open->second);
    }
    drop(open);
  }
  std::vector<BlockSet::Free> found;
  for (const Pool& pool : pools_) {
    const auto free = pool.find_free(apart);
    if (!free) {
      const BlockSet& blocks = pool.blocks();
      return Status(Code::resource_exhausted, ErrorClass::waiting,
                    "no block of /" + std::to_string(blocks.block_prefix()) + " is left in " +
                        blocks.cluster().text() + ", all " + std::to_string(blocks.size()) +
                        " are in use")
          .with_reason("CIDRNotAvailable");
    }
    found.push_back(*free);
  }
  Reservation reservation{node.uid, {}, true, false};
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    pools_[i].take(found[i], apart);
    reservation.blocks.push_back(found[i].block);
  }
  const auto place = reservations_.insert_or_assign(node.name, std::move(reservation)).first;
  return blocks_of(place->second);
}

void Ledger::settle(const NodeState& node) {
  const auto reservation = reservations_.find(node.name);
  const bool gone = reservation != reservations_.end() && reservation->second.gone;
  if (!gone) (void)observe(node, Source::answer);
  abandon(node.name);
}

void Ledger::abandon(const std::string& name) {
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end()) drop(reservation);
}

void Ledger::keep(const std::string& name) {
  const auto reservation = reservations_.find(name);
  if (reservation == reservations_.end()) return;
  reservation->second.in_flight = false;
  // The watch may have delivered it before the call returned.
  const auto claim = claims_.find(name);
  const bool known = claim != claims_.end() && claim->second.uid == reservation->second.uid;
  if (known || reservation->second.gone) drop(reservation);
}

void Ledger::drop(Claims::iterator claim) {
  for (const Cidr& range : claim->second.ranges) {
    if (const auto place = find(range)) freed_ += pools_[place->pool].release(place->span);
  }
  claims_.erase(claim);
}

void Ledger::drop(Reservations::iterator reservation) {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const uint32_t block = reservation->second.blocks[i];
    freed_ += pools_[i].release({block, block});
  }
  reservations_.erase(reservation);
}

std::vector<std::string> Ledger::reserved(const std::string& name) const {
  std::vector<std::string> texts;
  const auto reservation = reservations_.find(name);
  if (reservation == reservations_.end()) return texts;
  for (const Cidr& block : blocks_of(reservation->second)) texts.push_back(block.text());
  return texts;
}

bool Ledger::is_writing(const std::string& name) const {
  const auto reservation = reservations_.find(name);
  return reservation != reservations_.end() && reservation->second.in_flight;
}

bool Ledger::has_claim(const NodeState& node) const {
  const auto claim = claims_.find(node.name);
  return claim != claims_.end() && claim->second.uid == node.uid;
}

bool Ledger::expects(const NodeState& node) const {
  if (has_claim(node)) return true;
  const auto reservation = reservations_.find(node.name);
  if (reservation == reservations_.end()) return false;
  if (reservation->second.in_flight) return true;  // its answer will tell
  return reserved(node.name) == node.cidrs;
}

bool Ledger::unseen(const std::string& name) const {
  const auto claim = claims_.find(name);
  return claim != claims_.end() && !claim->second.seen;
}

uint32_t Ledger::take_freed() { return std::exchange(freed_, 0); }

}  // namespace ccm::ipam
