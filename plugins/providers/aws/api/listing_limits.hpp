// How much one listing may be, whoever writes its pages. One for each listing; plain values.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace ccm::aws {

class ListingLimits {
 public:
  static constexpr size_t kMostPages = 1'000;
  static constexpr size_t kMostBytes = size_t{1} << 30;  // 100,000 instances take less

  // After each page: whether the next one, of `token`, may be asked for.
  bool allows(size_t bytes, const std::string& token) {
    bytes_ += bytes;
    return tokens_.insert(std::hash<std::string>()(token)).second && tokens_.size() < kMostPages &&
           bytes_ < kMostBytes;
  }

 private:
  std::set<size_t> tokens_;  // hashes, since a token may be long
  size_t bytes_ = 0;
};

}  // namespace ccm::aws
