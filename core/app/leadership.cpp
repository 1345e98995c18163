#include "app/leadership.hpp"

#include "base/log.hpp"
#include "election/kube_lease_client.hpp"

#include <memory>
#include <utility>

namespace ccm::app {
namespace {

election::ElectionOptions election_options(const LeaderElectionOptions& flags,
                                           std::string identity) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  election::ElectionOptions options;
  options.namespace_name = flags.resource_namespace;
  options.name = flags.resource_name;
  options.identity = std::move(identity);
  options.lease_duration = duration_cast<milliseconds>(flags.lease_duration);
  options.renew_deadline = duration_cast<milliseconds>(flags.renew_deadline);
  options.retry_period = duration_cast<milliseconds>(flags.retry_period);
  return options;
}

}  // namespace

Leadership::Leadership(const LeaderElectionOptions& options, const ClientFactory& clients,
                       runtime::EventLoop& loop)
    : options_(options), clients_(clients), loop_(loop) {}

void Leadership::start(Callbacks callbacks) {
  if (!options_.leader_elect) {
    assume();
    callbacks.started();
    return;
  }
  const auto identity = election::new_identity();
  if (!identity.ok()) {
    callbacks.lost(identity.status().message());
    return;
  }
  identity_ = *identity;
  const auto options = election_options(options_, identity_);
  election::ElectionCallbacks notify;
  notify.post = [this](std::function<void()> fn) { loop_.post(std::move(fn)); };
  notify.started_leading = [this, callbacks](int64_t transitions) {
    log::info("Acquired the Lease",
              {{"lease", options_.resource_namespace + "/" + options_.resource_name},
               {"identity", identity_},
               {"transitions", transitions}});
    callbacks.event(identity_ + " became leader");
    callbacks.started();
  };
  notify.lost = callbacks.lost;
  notify.new_leader = [this](const std::string& leader) {
    if (leader != identity_) log::info("Another process leads", {{"identity", leader}});
  };
  elector_.emplace(
      options,
      [this, options](const boost::asio::any_io_executor& executor) {
        return std::make_unique<election::KubeLeaseClient>(
            clients_.separate(executor, "leader-election"), options.namespace_name, options.name,
            election::request_timeout(options));
      },
      std::move(notify), callbacks.alive, clock_);
  current_ = &*elector_;
  elector_->start();
}

void Leadership::release(std::function<void()> done) {
  if (!elector_) return loop_.post(std::move(done));
  elector_->release([this, done = std::move(done)] { loop_.post(done); });
}

bool Leadership::leading() const {
  const election::LeaderElector* elector = current_;
  return always_ || (elector != nullptr && elector->leading());
}

uint64_t Leadership::transitions() const {
  const election::LeaderElector* elector = current_;
  return elector != nullptr ? static_cast<uint64_t>(elector->transitions()) : 0;
}

uint64_t Leadership::slow_paths() const {
  const election::LeaderElector* elector = current_;
  return elector != nullptr ? elector->slow_paths() : 0;
}

Status Leadership::health() const {
  const election::LeaderElector* elector = current_;
  return elector != nullptr ? elector->health() : Status();
}

kube::ObjectReference Leadership::lease_reference() const {
  kube::ObjectReference reference;
  reference.api_version = "coordination.k8s.io/v1";
  reference.kind = "Lease";
  reference.namespace_name = options_.resource_namespace;
  reference.name = options_.resource_name;
  return reference;
}

}  // namespace ccm::app
