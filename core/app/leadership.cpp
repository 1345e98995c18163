#include "app/leadership.hpp"

#include "base/log.hpp"
#include "base/version.hpp"
#include "election/lease.hpp"

#include <memory>
#include <utility>

namespace ccm::app {
namespace {

election::ElectionOptions election_options(const LeaderElectionOptions& flags, std::string lease,
                                           std::string identity) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  election::ElectionOptions options;
  options.namespace_name = flags.resource_namespace;
  options.name = std::move(lease);
  options.identity = std::move(identity);
  options.lease_duration = duration_cast<milliseconds>(flags.lease_duration);
  options.renew_deadline = duration_cast<milliseconds>(flags.renew_deadline);
  options.retry_period = duration_cast<milliseconds>(flags.retry_period);
  // This program emulates no other version of itself.
  options.versions.binary = version().text.substr(version().text.starts_with('v') ? 1 : 0);
  options.versions.emulation = options.versions.binary;
  return options;
}

}  // namespace

Leadership::Leadership(const LeaderElectionOptions& options, bool coordinated,
                       std::string migration_lease, const ClientFactory& clients,
                       runtime::EventLoop& loop)
    : options_(options),
      clients_(clients),
      loop_(loop),
      main_{options.resource_name, coordinated},
      migration_{std::move(migration_lease)} {}

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
  event_ = callbacks.event;
  compete(main_, callbacks, [this, callbacks] {
    callbacks.started();
    if (migration_.lease.empty() || releasing_) return;
    log::info("Waiting for the Lease of the leader migration",
              {{"lease", options_.resource_namespace + "/" + migration_.lease}});
    compete(migration_, callbacks, callbacks.migration_started);
  });
}

void Leadership::publish(int port, const std::string& fingerprint) {
  const std::lock_guard lock(published_mutex_);
  published_ = {{election::kPortAnnotation, std::to_string(port)},
                {election::kCertificateAnnotation, fingerprint}};
}

void Leadership::compete(Election& entry, const Callbacks& callbacks, std::function<void()> won) {
  auto options = election_options(options_, entry.lease, identity_);
  if (&entry == &main_) {
    options.annotations = [this] {
      const std::lock_guard lock(published_mutex_);
      return published_;
    };
  }
  election::ElectionCallbacks notify;
  notify.post = [this](std::function<void()> fn) { loop_.post(std::move(fn)); };
  notify.started_leading = [this, &entry, lease = options.lease(),
                            won = std::move(won)](int64_t transitions) {
    log::info("Acquired the Lease",
              {{"lease", lease}, {"identity", identity_}, {"transitions", transitions}});
    entry.taken = true;
    event_(entry.lease, identity_ + " became leader");
    won();
  };
  notify.lost = [lost = callbacks.lost, lease = options.lease()](const std::string& reason) {
    lost(lease + ": " + reason);
  };
  notify.restored = callbacks.restored;
  notify.outvoted = callbacks.outvoted;
  notify.new_leader = [this, lease = options.lease()](const std::string& leader) {
    if (leader == identity_) return;
    log::info("Another process leads", {{"lease", lease}, {"identity", leader}});
  };
  election::LeaderElector::MakeCandidateClient candidates;
  if (entry.coordinated) {
    candidates = [this, options](const boost::asio::any_io_executor& executor) {
      return election::kube_lease_candidate_client(clients_.separate(executor, "leader-election"),
                                                   options.namespace_name, options.identity,
                                                   election::request_timeout(options));
    };
  }
  entry.elector.emplace(
      options,
      [this, options](const boost::asio::any_io_executor& executor) {
        return election::kube_lease_client(clients_.separate(executor, "leader-election"),
                                           options.namespace_name, options.name,
                                           election::request_timeout(options));
      },
      std::move(notify), callbacks.alive, clock_, candidates);
  entry.current = &*entry.elector;
  entry.elector->start();
}

void Leadership::tell_end() const {
  for (const Election* entry : {&migration_, &main_}) {
    if (entry->holds()) event_(entry->lease, identity_ + " stopped leading");
  }
}

void Leadership::release(std::function<void()> done) {
  releasing_ = true;
  auto open = std::make_shared<int>(1);
  auto ended = [open, done = std::move(done)] {
    if (--*open == 0) done();
  };
  for (Election* entry : {&migration_, &main_}) {
    if (!entry->elector) continue;
    ++*open;
    entry->elector->release([this, ended] { loop_.post(ended); });
  }
  loop_.post(ended);
}

bool Leadership::leading() const {
  return always_ || (main_.holds() && (!migration_.taken || migration_.holds()));
}

uint64_t Leadership::transitions() const {
  const election::LeaderElector* elector = main_.current;
  return elector != nullptr ? static_cast<uint64_t>(elector->transitions()) : 0;
}

std::vector<Leadership::LeaseReport> Leadership::leases() const {
  std::vector<LeaseReport> reports;
  for (const Election* entry : {&main_, &migration_}) {
    if (entry->lease.empty()) continue;
    const election::LeaderElector* elector = entry->current;
    reports.push_back(
        {entry->lease, entry->holds(), elector != nullptr ? elector->slow_paths() : 0});
  }
  return reports;
}

Status Leadership::health() const {
  for (const Election* entry : {&main_, &migration_}) {
    const election::LeaderElector* elector = entry->current;
    if (elector == nullptr) continue;
    if (Status status = elector->health(); !status.ok()) return status;
  }
  return {};
}

kube::ObjectReference Leadership::lease_reference(const std::string& name) const {
  kube::ObjectReference reference;
  reference.api_version = "coordination.k8s.io/v1";
  reference.kind = "Lease";
  reference.namespace_name = options_.resource_namespace;
  reference.name = name;
  return reference;
}

}  // namespace ccm::app
