// One cluster CIDR that blocks are taken from, with upstream's metrics (MET-9..13). One thread.
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

  // Whether there was room and how to find it; nothing is taken yet.
  [[nodiscard]] std::optional<BlockSet::Free> find_free(bool apart) const;
  // Takes what find_free() found. The next search begins behind it, so that a block that becomes
  // free is not used again at once (IPAM-21); not so after one that was found `apart`.
  void take(BlockSet::Free found, bool apart);
  // Somebody's range: our own of before, a Service range, one set by hand.
  void hold(BlockSet::Span span);
  // Returns how many blocks are free now that were not.
  uint32_t release(BlockSet::Span span);
  // The next search begins behind that block.
  void follow(uint32_t block) { cursor_ = (block + 1) % blocks_.size(); }

 private:
  void record_usage() const;

  BlockSet blocks_;
  std::string label_;
  const PoolMetrics& metrics_;
  uint32_t cursor_ = 0;
};

}  // namespace ccm::ipam
