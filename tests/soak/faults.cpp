#include "faults.hpp"

namespace ccm::soak {

using digitalocean_api::ApiFault;
using digitalocean_api::Milliseconds;

std::optional<ApiFault> Faults::choose() {
  if (std::uniform_real_distribution<double>(0, 1)(random_) >= share_) return std::nullopt;
  ApiFault fault;
  const auto struck = [&](const char* kind) {
    ++count_[kind];
    return fault;
  };
  switch (random_() % 8) {
    case 0:
      fault.status = 500;
      return struck("500");
    case 1:
      fault.status = 502;
      fault.body = "<html><body><h1>502 Bad Gateway</h1></body></html>";
      return struck("502");
    case 2:
      fault.status = 503;
      return struck("503");
    case 3:
      fault.status = 429;
      fault.retry_after = 1 + random_() % 3;
      return struck("429");
    case 4:
    case 5:
      fault.cut = true;
      return struck("cut before");
    case 6:
      fault.lose_answer = true;
      return struck("cut after");
    default:
      fault.delay = Milliseconds(1000 + random_() % 2000);
      return struck("slow");
  }
}

}  // namespace ccm::soak
