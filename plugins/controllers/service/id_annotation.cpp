#include "id_annotation.hpp"

#include <utility>

namespace ccm::service {

using std::chrono::milliseconds;

// Workers that arrive at the same moment share the call, and its failure.
Task<Status> IdAnnotation::learn(Ctx ctx) {
  if (name_) co_return Status();
  const milliseconds came = host_.timer.now();
  auto slot = co_await slot_.acquire();
  if (name_) co_return Status();
  if (!failure_.ok() && failed_ >= came) co_return failure_;
  const auto limits = co_await host_.load_balancers.limits(ctx);
  if (!limits.ok() && limits.status().code() != Code::unimplemented) {
    failed_ = host_.timer.now();
    co_return failure_ = limits.status();
  }
  std::string annotation(kLoadBalancerIdAnnotation);
  if (limits.ok() && !limits->id_annotation.empty()) annotation = limits->id_annotation;
  name_ = std::move(annotation);
  co_return Status();
}

}  // namespace ccm::service
