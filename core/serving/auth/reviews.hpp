// Reviews that the API server is asked for: sent a limited number at once, retried within one time
// limit (API-124, HOST-103), each question once at a time, and their answers kept for a while
// (API-120, 123). The server's thread, which is the client's.
#pragma once

#include "base/recent_map.hpp"
#include "kube/client.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ccm::serving {

// The client that a review is for: a user or token that is known to be valid, else the client's
// address.
struct Requester {
  std::string name;
  bool known = false;
};

// Limits the reviews under way, by client. Strangers cannot take the places of clients with a known
// credential, and no client can take all places of its kind.
class ReviewSlots {
 public:
  struct Limits {
    std::size_t all = 64;
    std::size_t strangers = 16;
    std::size_t each_stranger = 8;
    std::size_t each_known = 16;
  };

  explicit ReviewSlots(Limits limits) : counts_(std::make_shared<Counts>()), limits_(limits) {}

  // Held for as long as the review is under way.
  using Place = std::shared_ptr<void>;
  // Null: too many are under way.
  Place take(const Requester& requester);

 private:
  struct Counts {
    std::size_t all = 0;
    std::size_t strangers = 0;
    std::map<std::string, std::size_t> by_requester;
  };
  std::shared_ptr<Counts> counts_;
  Limits limits_;
};

struct ReviewLimits {
  std::chrono::milliseconds budget{10'000};  // for one review, with all its attempts
  std::chrono::milliseconds first_pause{500};
  double pause_factor = 1.5;
  int tries = 5;
  // Beyond it a review fails at once: clients with made-up tokens cannot pile up work.
  ReviewSlots::Limits slots{};
};

class ReviewClient {
 public:
  ReviewClient(kube::Client client, std::string path, ReviewLimits limits);

  // The answer to a POST of `review`. Failures: resource_exhausted with reason "Busy" when too many
  // are under way; else the failure of the last attempt.
  boost::asio::awaitable<Result<std::string>> post(std::string review, Requester requester);

  [[nodiscard]] boost::asio::any_io_executor executor() const { return client_.executor(); }

 private:
  kube::Client client_;
  std::string path_;
  ReviewLimits limits_;
  ReviewSlots slots_;
};

// Keys of the cache: a keyed hash of the question, so that entries reveal neither tokens nor names,
// and collisions cannot be made on purpose (API-120). The hash's own key is random and lives as
// long as the object.
class ReviewCacheKey {
 public:
  ReviewCacheKey();
  [[nodiscard]] std::string operator()(std::string_view text) const;  // 32 bytes

 private:
  std::string key_;
};

template <typename Answer>
class ReviewCache {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;
  static constexpr std::size_t kLimit = 8192;

  explicit ReviewCache(Now now = Clock::now) : now_(std::move(now)) {}

  [[nodiscard]] std::optional<Answer> find(const std::string& key) {
    const Entry* const entry = entries_.find(key);
    if (entry == nullptr) return std::nullopt;
    if (now_() < entry->until) return entries_.write(key).answer;  // the newest now
    entries_.erase(key);
    return std::nullopt;
  }

  void put(const std::string& key, Answer answer, std::chrono::nanoseconds lifetime) {
    if (lifetime.count() <= 0) return;
    const auto until = now_() + std::chrono::duration_cast<Clock::duration>(lifetime);
    entries_.write(key) = Entry{std::move(answer), until};
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Answer answer{};
    Clock::time_point until{};
  };
  Now now_;
  RecentMap<Entry> entries_{kLimit};
};

// A question under way: the first caller runs the review, the others wait for its end.
template <typename Answer>
class ReviewsUnderWay {
 public:
  struct Review {
    explicit Review(const boost::asio::any_io_executor& executor)
        : ended(executor, boost::asio::steady_timer::time_point::max()) {}
    boost::asio::steady_timer ended;
    std::optional<Result<Answer>> result;
  };

  // Null: nobody asks this yet; then start() and finish() are the caller's.
  [[nodiscard]] std::shared_ptr<Review> find(const std::string& key) const {
    const auto found = reviews_.find(key);
    return found == reviews_.end() ? nullptr : found->second;
  }
  void start(const std::string& key, const boost::asio::any_io_executor& executor) {
    reviews_[key] = std::make_shared<Review>(executor);
  }
  void finish(const std::string& key, Result<Answer> result) {
    const auto found = reviews_.find(key);
    found->second->result = std::move(result);
    found->second->ended.cancel();
    reviews_.erase(found);
  }
  static boost::asio::awaitable<Result<Answer>> wait(std::shared_ptr<Review> review) {
    if (!review->result) {
      co_await review->ended.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    if (review->result) co_return *review->result;
    co_return Status(Code::cancelled, "the server stops");
  }
  [[nodiscard]] std::size_t size() const { return reviews_.size(); }

 private:
  std::unordered_map<std::string, std::shared_ptr<Review>> reviews_;
};

}  // namespace ccm::serving
