#include "block_set.hpp"

#include <algorithm>
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
std::optional<uint32_t> BlockSet::free_in(uint32_t first, uint32_t end) const {
  if (first >= end) return std::nullopt;
  uint64_t before = bit_of(first) - 1;  // of the first word, what lies before `first`
  for (uint32_t word = first / kWord; word * kWord < end; ++word) {
    const uint64_t free = ~(words_[word] | before);
    before = 0;
    if (free == 0) continue;
    const uint32_t block = word * kWord + static_cast<uint32_t>(std::countr_zero(free));
    if (block < end) return block;
    break;
  }
  return std::nullopt;
}

std::optional<uint32_t> BlockSet::free_between(uint32_t first, uint32_t end, bool avoided) const {
  if (avoided) return free_in(first, end);
  for (const auto& [span, count] : avoided_) {
    if (span.first >= end) break;
    if (const auto block = free_in(first, std::min(span.first, end))) return block;
    first = std::max(first, span.second + 1);
  }
  return free_in(first, end);
}

std::optional<BlockSet::Free> BlockSet::find_free(uint32_t from) const {
  if (taken_ == size_) return std::nullopt;
  const uint32_t start = from % size_;
  for (const bool avoided : {false, true}) {
    auto block = free_between(start, size_, avoided);
    if (!block) block = free_between(0, start, avoided);
    if (block) return Free{*block, (*block + size_ - start) % size_};
  }
  return std::nullopt;
}

bool BlockSet::is_taken(uint32_t block) const {
  return (words_[block / kWord] & bit_of(block)) != 0;
}

uint32_t BlockSet::holders(uint32_t block) const {
  if (!is_taken(block)) return 0;
  const auto further = further_.find(block);
  return 1 + (further == further_.end() ? 0 : further->second);
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

void BlockSet::avoid(Span blocks) { ++avoided_[{blocks.first, blocks.last}]; }

void BlockSet::stop_avoiding(Span blocks) {
  const auto place = avoided_.find({blocks.first, blocks.last});
  if (place != avoided_.end() && --place->second == 0) avoided_.erase(place);
}

}  // namespace ccm::ipam
