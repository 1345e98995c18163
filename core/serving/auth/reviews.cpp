#include "serving/auth/reviews.hpp"

#include "net/coroutines.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <random>

namespace ccm::serving {

ReviewSlots::Place ReviewSlots::take(const Requester& requester) {
  Counts& now = *counts_;
  std::string key = (requester.known ? "k:" : "s:") + requester.name;
  const auto found = now.by_requester.find(key);
  const std::size_t own = found == now.by_requester.end() ? 0 : found->second;
  const bool full = now.all >= limits_.all ||
                    (!requester.known && now.strangers >= limits_.strangers) ||
                    own >= (requester.known ? limits_.each_known : limits_.each_stranger);
  if (full) return nullptr;
  ++now.all;
  now.strangers += requester.known ? 0 : 1;
  ++now.by_requester[key];
  const auto free = [counts = counts_, key = std::move(key), known = requester.known](void*) {
    --counts->all;
    counts->strangers -= known ? 0 : 1;
    if (--counts->by_requester[key] == 0) counts->by_requester.erase(key);
  };
  return Place(&now, free);
}

namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr double kJitter = 0.2;

// A review changes nothing, so it may be sent again whatever happened to the last one.
bool may_pass(const Status& status) {
  switch (status.code()) {
    case Code::unavailable:
    case Code::deadline_exceeded:
    case Code::resource_exhausted:
    case Code::internal:
      return true;
    default:
      return status.retry_after().count() > 0;
  }
}

milliseconds jittered(milliseconds pause) {
  static thread_local std::minstd_rand random(std::random_device{}());
  const double factor = 1 + std::uniform_real_distribution<double>(0, kJitter)(random);
  return std::chrono::duration_cast<milliseconds>(pause * factor);
}

Status busy() {
  return Status(Code::resource_exhausted, ErrorClass::throttled, "too many reviews are under way")
      .with_reason("Busy");
}

}  // namespace

ReviewClient::ReviewClient(kube::Client client, std::string path, ReviewLimits limits)
    : client_(std::move(client)), path_(std::move(path)), limits_(limits), slots_(limits.slots) {}

asio::awaitable<Result<std::string>> ReviewClient::post(std::string review, Requester requester) {
  const ReviewSlots::Place place = slots_.take(requester);
  if (!place) co_return busy();
  const auto limit = steady_clock::now() + limits_.budget;
  milliseconds pause = limits_.first_pause;
  for (int attempt = 1;; ++attempt) {
    kube::CallOptions call;
    call.max_retries = 0;
    call.max_response_bytes = 1u << 20;  // reading it as JSON takes many times that
    call.timeout = std::max(milliseconds(1),
                            std::chrono::duration_cast<milliseconds>(limit - steady_clock::now()));
    std::string method = "POST";
    std::string path = path_;
    std::string body = review;
    Result<std::string> answer =
        co_await client_.raw(std::move(method), std::move(path), std::move(body), call);
    if (answer.ok() || !may_pass(answer.status()) || attempt >= limits_.tries) co_return answer;
    const milliseconds wait = std::max(jittered(pause), answer.status().retry_after());
    if (steady_clock::now() + wait >= limit) co_return answer;
    co_await net::pause(client_.executor(), wait);
    pause = std::chrono::duration_cast<milliseconds>(pause * limits_.pause_factor);
  }
}

constexpr std::size_t kKeyBytes = 32;

ReviewCacheKey::ReviewCacheKey() : key_(kKeyBytes, '\0') {
  RAND_bytes(reinterpret_cast<unsigned char*>(key_.data()), static_cast<int>(key_.size()));
}

std::string ReviewCacheKey::operator()(std::string_view text) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return std::string(reinterpret_cast<const char*>(digest), size);
}

}  // namespace ccm::serving
