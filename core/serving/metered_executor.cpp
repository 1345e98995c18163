#include "serving/metered_executor.hpp"

#include <ctime>

namespace ccm::serving {

namespace {
thread_local bool measuring = false;
}

std::chrono::nanoseconds thread_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

MeteredStep::MeteredStep(Meter& meter) : meter_(measuring ? nullptr : &meter) {
  if (meter_ == nullptr) return;
  measuring = true;
  start_ = thread_time();
}

MeteredStep::~MeteredStep() {
  if (meter_ == nullptr) return;
  measuring = false;
  meter_->add(thread_time() - start_);
}

}  // namespace ccm::serving
