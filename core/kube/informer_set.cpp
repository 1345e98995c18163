#include "kube/informer.hpp"
#include "kube/signal.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace ccm::kube {
namespace asio = boost::asio;

InformerSet::InformerSet(Client client, InformerTiming timing)
    : client_(std::move(client)), timing_(timing) {}

InformerSet::~InformerSet() { stop(); }

std::shared_ptr<Informer> InformerSet::informer(const InformerSpec& spec) {
  for (const auto& informer : informers_) {
    if (informer->spec() == spec) return informer;
  }
  informers_.push_back(std::make_shared<Informer>(client_, spec, timing_));
  const std::weak_ptr<Informer> made = informers_.back();
  if (started_) {  // the caller has its fields to declare first
    asio::post(client_.executor(), [made] {
      if (const auto informer = made.lock()) informer->start();
    });
  }
  return informers_.back();
}

void InformerSet::start() {
  started_ = true;
  for (const auto& informer : informers_) informer->start();
}

void InformerSet::stop() {
  for (const auto& informer : informers_) informer->stop();
}

asio::awaitable<Status> InformerSet::wait_synced(std::chrono::milliseconds timeout) {
  const auto informers = informers_;
  const auto limit = std::chrono::steady_clock::now() + timeout;
  asio::steady_timer timer(client_.executor());
  for (const auto& informer : informers) {
    while (!informer->synced()) {
      if (std::chrono::steady_clock::now() >= limit) {
        const Status failure = informer->last_failure();
        co_return Status(Code::deadline_exceeded, ErrorClass::unavailable,
                         "the cache of " + informer->spec().resource.id() +
                             " did not fill within " + std::to_string(timeout.count()) + " ms" +
                             (failure.ok() ? "" : ": " + failure.message()));
      }
      timer.expires_after(std::chrono::milliseconds(5));
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }
  co_return Status();
}

}  // namespace ccm::kube
