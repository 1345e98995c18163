// The blocks of one cluster CIDR: which are taken, by how many holders, which are only given when
// no others are left, and where a free one is. One thread.
#pragma once

#include <ccm/cidr.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::ipam {

class BlockSet {
 public:
  // 2^24 blocks are 2 MiB of bitmap. Go's controller has no limit for IPv4 (TRAP-23).
  static constexpr unsigned kMostBits = 24;

  // Blocks first..last.
  struct Span {
    uint32_t first = 0;
    uint32_t last = 0;
  };
  struct Free {
    uint32_t block = 0;
    uint32_t skipped = 0;  // taken blocks on the way (MET-13)
  };

  // `block_prefix` is from cluster.prefix to cluster.prefix + kMostBits.
  BlockSet(Cidr cluster, unsigned block_prefix);

  [[nodiscard]] const Cidr& cluster() const { return cluster_; }
  [[nodiscard]] unsigned block_prefix() const { return block_prefix_; }
  [[nodiscard]] uint32_t size() const { return size_; }
  [[nodiscard]] uint32_t taken() const { return taken_; }

  // The range of a block.
  [[nodiscard]] Cidr block(uint32_t number) const;
  // The blocks that a range overlaps, whatever its size; nothing when it lies outside (IPAM-22).
  [[nodiscard]] std::optional<Span> span(const Cidr& range) const;

  // The first free block at or after `from`, around the end; nothing when all are taken (IPAM-21).
  // One that is avoided only when all others are taken.
  [[nodiscard]] std::optional<Free> find_free(uint32_t from) const;
  [[nodiscard]] bool is_taken(uint32_t block) const;
  // How many hold it.
  [[nodiscard]] uint32_t holders(uint32_t block) const;

  // Adds a holder to each block; returns how many were free before. A block of two Nodes is free
  // only after both have released it (IPAM-39).
  uint32_t hold(Span blocks);
  // Undoes one hold(); returns how many are free now.
  uint32_t release(Span blocks);

  // These blocks are given last. Costs the same for any number of blocks.
  void avoid(Span blocks);
  // Undoes one avoid().
  void stop_avoiding(Span blocks);

 private:
  // In [first, end); `avoided`: also one that is avoided.
  [[nodiscard]] std::optional<uint32_t> free_in(uint32_t first, uint32_t end) const;
  [[nodiscard]] std::optional<uint32_t> free_between(uint32_t first, uint32_t end,
                                                     bool avoided) const;

  Cidr cluster_;
  unsigned block_prefix_;
  uint32_t size_;
  uint32_t taken_ = 0;
  std::vector<uint64_t> words_;                     // 1 = taken; bits after the end are 1
  std::unordered_map<uint32_t, uint32_t> further_;  // holders beyond the first
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> avoided_;  // how often, by first and last
};

}  // namespace ccm::ipam
