// Limits the reviews under way, by client. Strangers cannot take the places of clients with a known
// credential, and no client can take all places of its kind. The server's thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ccm::serving {

// The client that a review is for: a user or token that is known to be valid, else the client's
// address.
struct Asker {
  std::string name;
  bool known = false;
};

class ReviewSlots {
 public:
  struct Limits {
    std::size_t all = 64;
    std::size_t strangers = 16;
    std::size_t one_stranger = 8;
    std::size_t one_known = 16;
  };

  explicit ReviewSlots(Limits limits) : counts_(std::make_shared<Counts>()), limits_(limits) {}

  // Held for as long as the review is under way.
  using Place = std::shared_ptr<void>;
  // Null: too many are under way.
  Place take(const Asker& asker);

 private:
  struct Counts {
    std::size_t all = 0;
    std::size_t strangers = 0;
    std::map<std::string, std::size_t> by_asker;
  };
  std::shared_ptr<Counts> counts_;
  Limits limits_;
};

}  // namespace ccm::serving
