// One cluster CIDR that supplies blocks, with upstream's metrics (MET-9..13). One thread.
#pragma once

#include "block_set.hpp"

#include <ccm/metrics.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ccm::ipam {

// [create]
struct PoolMetrics {
  explicit PoolMetrics(const Metrics& metrics);
  Metric allocations;
  Metric releases;
  Metric size;
  Metric usage;
  Metric tries;
};

class Pool {
 public:
  // `metrics` outlives it.
  Pool(Cidr cluster, unsigned block_prefix, const PoolMetrics& metrics);

  [[nodiscard]] const BlockSet& blocks() const { return blocks_; }

  // The result of a search; nothing is taken yet.
  [[nodiscard]] std::optional<BlockSet::Free> find_free(bool apart) const;
  // Takes the result of find_free(). The next search begins after it, so that a freed block is not
  // used again at once (IPAM-21); not so after one that was found `apart`.
  void take(BlockSet::Free found, bool apart);
  // An existing range: an earlier one of ours, a Service range, one set by hand.
  void hold(BlockSet::Span span);
  // Returns how many blocks have become free.
  uint32_t release(BlockSet::Span span);
  void avoid(BlockSet::Span span) { blocks_.avoid(span); }
  void stop_avoiding(BlockSet::Span span) { blocks_.stop_avoiding(span); }
  // The next search begins after that block.
  void follow(uint32_t block) { cursor_ = (block + 1) % blocks_.size(); }

 private:
  void record_usage() const;

  BlockSet blocks_;
  std::string label_;
  const PoolMetrics& metrics_;
  uint32_t cursor_ = 0;
};

}  // namespace ccm::ipam
