#include "block_set.hpp"

#include <bit>

namespace ccm::ipam {
namespace {

constexpr uint32_t kWord = 64;
constexpr uint64_t bit_of(uint32_t block) { return uint64_t{1} << (block % kWord); }

}  // namespace

BlockSet::BlockSet(Cidr cluster, unsigned block_prefix)
    : cluster_(cluster),
      block_prefix_(block_prefix),
      size_(uint32_t{1} << (block_prefix - cluster.prefix)),
      words_((size_ + kWord - 1) / kWord, 0) {
  if (size_ < kWord) words_[0] = ~uint64_t{0} << size_;
}

Cidr BlockSet::block(uint32_t number) const {
  Cidr range = cluster_;
  range.prefix = block_prefix_;
  set_bit_field(range.network, cluster_.prefix, block_prefix_, number);
  return range;
}

std::optional<BlockSet::Span> BlockSet::span(const Cidr& range) const {
  if (!cluster_.overlaps(range)) return std::nullopt;
  if (range.prefix <= cluster_.prefix) return Span{0, size_ - 1};
  const uint32_t first = bit_field(range.network, cluster_.prefix, block_prefix_);
  if (range.prefix >= block_prefix_) return Span{first, first};
  return Span{first, first + (uint32_t{1} << (block_prefix_ - range.prefix)) - 1};
}

// By words, so that a nearly full set of 2^16 blocks costs a thousand steps at most.
std::optional<BlockSet::Free> BlockSet::find_free(uint32_t from) const {
  if (taken_ == size_) return std::nullopt;
  const auto words = static_cast<uint32_t>(words_.size());
  const uint32_t start = from % size_;
  uint64_t before = bit_of(start) - 1;  // of the first word, what lies before `start`
  for (uint32_t step = 0; step <= words; ++step) {
    const uint32_t word = (start / kWord + step) % words;
    const uint64_t free = ~(words_[word] | before);
    before = 0;
    if (free == 0) continue;
    const uint32_t block = word * kWord + static_cast<uint32_t>(std::countr_zero(free));
    return Free{block, (block + size_ - start) % size_};
  }
  return std::nullopt;
}

bool BlockSet::is_taken(uint32_t block) const {
  return (words_[block / kWord] & bit_of(block)) != 0;
}

bool BlockSet::any_taken(Span blocks) const {
  for (uint32_t block = blocks.first; block <= blocks.last; ++block) {
    if (is_taken(block)) return true;
  }
  return false;
}

uint32_t BlockSet::hold(Span blocks) {
  uint32_t fresh = 0;
  for (uint32_t block = blocks.first; block <= blocks.last; ++block) {
    uint64_t& word = words_[block / kWord];
    if ((word & bit_of(block)) != 0) {
      ++further_[block];
    } else {
      word |= bit_of(block);
      ++fresh;
    }
  }
  taken_ += fresh;
  return fresh;
}

uint32_t BlockSet::release(Span blocks) {
  uint32_t freed = 0;
  for (uint32_t block = blocks.first; block <= blocks.last; ++block) {
    const auto further = further_.find(block);
    if (further != further_.end()) {
      if (--further->second == 0) further_.erase(further);
    } else if (is_taken(block)) {
      words_[block / kWord] &= ~bit_of(block);
      ++freed;
    }
  }
  taken_ -= freed;
  return freed;
}

}  // namespace ccm::ipam
