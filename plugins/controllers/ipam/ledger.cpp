#include "ledger.hpp"

#include <ccm/range_claims.hpp>

#include <algorithm>
#include <utility>

namespace ccm::ipam {

Ledger::Ledger(const Settings& settings, const PoolMetrics& metrics)
    : service_ranges_(settings.service_ranges) {
  pools_.reserve(settings.pools.size());
  for (const PoolSettings& pool : settings.pools) {
    pools_.emplace_back(pool.cluster, pool.block_prefix, metrics);
  }
  for (const Cidr& range : service_ranges_) {  // IPAM-25
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

bool Ledger::observe(const NodeState& node, Source source) {
  auto claim = claims_.find(node.name);
  if (claim != claims_.end() && claim->second.uid != node.uid) {
    if (node.version != 0 && node.version < claim->second.version) return false;
    drop(claim);
    claim = claims_.end();
  }
  // Ranges never disappear again: a state without them is just older.
  if (node.cidrs.empty()) return false;
  const bool fresh = claim == claims_.end();
  if (fresh) {
    add(node, source);
  } else {
    claim->second.version = std::max(claim->second.version, node.version);
    claim->second.seen = claim->second.seen || source != Source::answer;
  }
  const auto reservation = reservations_.find(node.name);
  if (reservation != reservations_.end() && !reservation->second.in_flight) drop(reservation);
  return fresh;
}

void Ledger::add(const NodeState& node, Source source) {
  Claim claim{node.uid, node.created, node.version, {}, {}, {}, source != Source::answer};
  for (const std::string& text : node.cidrs) {
    auto trouble = take_in(claim, text);
    if (!claim.own) claim.own = std::move(trouble);
  }
  const bool ours = reservations_.contains(node.name);
  const auto place = claims_.emplace(node.name, std::move(claim)).first;
  for (const Cidr& range : place->second.ranges) {
    const Place here = *find(range);
    pools_[here.pool].hold(here.span);
    // A standby continues where the leader has stopped.
    if (source == Source::assigned && !ours) pools_[here.pool].follow(here.span.last);
    contested_ = contested_ || is_contested(node.name, {here.pool, here.span.first});
  }
  for (const Cidr& range : place->second.wide) {
    const Place here = *find(range);
    pools_[here.pool].avoid(here.span);
  }
}

std::optional<Trouble> Ledger::take_in(Claim& claim, const std::string& text) {
  const auto range = parse_cidr(text);
  const auto place = range ? find(*range) : std::nullopt;
  const std::string the_range = "The Node's Pod range " + text;
  if (!place) {
    return Trouble{"PodCIDROutOfRange", the_range + (range ? " lies outside of --cluster-cidr"
                                                           : " is no address range")};
  }
  const BlockSet& blocks = pools_[place->pool].blocks();
  if (is_wide(*range, *place)) {
    claim.wide.push_back(*range);
    return Trouble{"PodCIDRTooWide",
                   the_range + " is wider than one block of " + blocks.cluster().text() + ", a /" +
                       std::to_string(blocks.block_prefix()) +
                       ". No Node has more, so blocks within it go to other Nodes once all others "
                       "are in use. Make the Node again, or correct --node-cidr-mask-size"};
  }
  const auto same_pool = [&](const Cidr& other) { return find(other)->pool == place->pool; };
  if (std::any_of(claim.ranges.begin(), claim.ranges.end(), same_pool)) {
    return Trouble{"PodCIDRTooWide", the_range + " is one more of " + blocks.cluster().text() +
                                         ". No Node has more than one block of that"};
  }
  claim.ranges.push_back(*range);
  const auto taken = [&](const Cidr& services) { return services.overlaps(*range); };
  if (!std::any_of(service_ranges_.begin(), service_ranges_.end(), taken)) return std::nullopt;
  return Trouble{"CIDRConflict", the_range +
                                     " belongs to the Services (--service-cluster-ip-range). Make "
                                     "the Node again"};
}

bool Ledger::is_contested(const std::string& name, const Block& block) const {
  const uint32_t holders = pools_[block.first].blocks().holders(block.second);
  uint32_t own = 0;
  const auto reservation = reservations_.find(name);
  if (reservation != reservations_.end() &&
      reservation->second.blocks[block.first] == block.second) {
    ++own;
  }
  const auto claim = claims_.find(name);
  if (claim != claims_.end()) {
    own += static_cast<uint32_t>(
        std::count_if(claim->second.ranges.begin(), claim->second.ranges.end(), [&](Cidr range) {
          const Place place = *find(range);
          return Block(place.pool, place.span.first) == block;
        }));
  }
  return holders > own;
}

std::map<Ledger::Block, std::vector<Ledger::Claimant>> Ledger::contested_blocks() const {
  std::map<Block, std::vector<Claimant>> blocks;
  for (const auto& [name, claim] : claims_) {
    for (const Cidr& range : claim.ranges) {
      const Place place = *find(range);
      const Block block(place.pool, place.span.first);
      if (!is_contested(name, block)) continue;
      blocks[block].push_back({name, claim.uid, claim.created, range, false});
    }
  }
  for (const auto& [name, reservation] : reservations_) {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      const auto place = blocks.find({i, reservation.blocks[i]});
      if (place == blocks.end()) continue;
      const Cidr range = pools_[i].blocks().block(reservation.blocks[i]);
      place->second.push_back({name, reservation.uid, reservation.created, range, true});
    }
  }
  return blocks;
}

Ledger::Troubles Ledger::judge() const {
  Troubles troubles;
  for (const auto& [block, claimants] : contested_blocks()) {
    std::vector<RangeClaim> claims;
    for (const Claimant& one : claimants) claims.push_back({one.created, one.uid, one.range, 0});
    const auto holders = judge_ranges(claims);
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const Claimant& one = claimants[i];
      if (!holders[i] || one.reserved || claimants[*holders[i]].name == one.name) continue;
      const Claimant& other = claimants[*holders[i]];
      const std::string who = "Node " + std::string(other.name);
      troubles.insert_or_assign(
          std::string(one.name),
          Trouble{"CIDRConflict",
                  "The Node has the Pod range " + one.range.text() + ", but " +
                      (other.reserved ? "it is just being given to " + who
                                      : who + ", which is older, has it or a part of it") +
                      ". Make this Node again"});
    }
  }
  return troubles;
}

std::optional<Trouble> Ledger::trouble(const std::string& name) const {
  const auto claim = claims_.find(name);
  if (claim != claims_.end() && claim->second.own) return claim->second.own;
  const auto conflict = conflicts_.find(name);
  if (conflict == conflicts_.end()) return std::nullopt;
  return conflict->second;
}

std::vector<std::string> Ledger::compare() {
  std::vector<std::string> names;
  if (!std::exchange(contested_, false)) return names;
  Troubles now = judge();
  const auto differ = [&names](const Troubles& some, const Troubles& others) {
    for (const auto& [name, trouble] : some) {
      const auto other = others.find(name);
      if (other == others.end() || other->second != trouble) names.push_back(name);
    }
  };
  differ(now, conflicts_);
  differ(conflicts_, now);
  conflicts_ = std::move(now);
  return names;
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
  Reservation reservation{node.uid, node.created, {}, true, false};
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
  if (!gone) observe(node, Source::answer);
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
    const Place place = *find(range);
    contested_ = contested_ || is_contested(claim->first, {place.pool, place.span.first});
    freed_ += pools_[place.pool].release(place.span);
  }
  for (const Cidr& range : claim->second.wide) {
    const Place place = *find(range);
    pools_[place.pool].stop_avoiding(place.span);
  }
  claims_.erase(claim);
}

void Ledger::drop(Reservations::iterator reservation) {
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    const uint32_t block = reservation->second.blocks[i];
    contested_ = contested_ || is_contested(reservation->first, {i, block});
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
