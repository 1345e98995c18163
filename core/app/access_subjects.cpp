#include "app/access_subjects.hpp"

#include "access/access_rules.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <utility>

namespace ccm::app {
namespace {

constexpr const char* kRemedy = "ccmctl rbac prints the roles that it needs";

using access::permissions_of;

// The components that run, by the id of their plugin; the provider's first.
struct RunningPlugin {
  plugin_files::Manifest manifest;
  std::vector<std::string> components;
};

std::vector<RunningPlugin> running_plugins(const LoadedSelection& selection) {
  std::vector<RunningPlugin> all;
  const auto add = [&all](const SelectedComponent& component) {
    const plugin_files::Manifest& manifest = component.plugin.manifest;
    auto known =
        std::ranges::find(all, manifest.id, [](const auto& one) { return one.manifest.id; });
    if (known == all.end()) known = all.insert(all.end(), {manifest, {}});
    known->components.push_back(component.name);
  };
  add(selection.provider);
  for (const SelectedComponent& controller : selection.controllers) add(controller);
  return all;
}

// The rights of a plugin whose controllers have service accounts of their own.
access::Permissions permissions_by_account(const RunningPlugin& plugin) {
  access::Permissions all;
  for (const auto& [account, rules] :
       access::rules_by_account(plugin.manifest, plugin.components)) {
    access::add_permissions(all, permissions_of(rules, {}, account));
    if (account.empty()) continue;
    access::add_permissions(
        all, permissions_of(access::token_rules({account}), access::kAccountNamespace));
  }
  return all;
}

void require(access::Permissions& host, const std::vector<plugin_files::RbacRule>& rules,
             std::string_view namespace_name = {}) {
  access::add_permissions(host, permissions_of(rules, namespace_name));
}

// The endpoint's client may be another one (--authentication-kubeconfig), which is not asked for.
void add_endpoint(access::Permissions& host, const Options& options) {
  const std::string& ours = options.client_connection.kubeconfig;
  if (options.authentication.kubeconfig == ours) {
    require(host, access::authentication_rules());
    if (!options.authentication.skip_lookup) {
      require(host, access::cluster_trust_rules(), "kube-system");
    }
  }
  if (options.authorization.kubeconfig == ours) require(host, access::authorization_rules());
}

}  // namespace

std::vector<access::AccessSubject> access_subjects(const LoadedSelection& selection,
                                                   const MigrationPlan& migration,
                                                   const Options& options) {
  const SelectedComponent& provider = selection.provider;
  access::AccessSubject host{std::string(access::kHostSubject),
                             access::permissions_of(access::host_rules(access::offers_instances(
                                 provider.plugin.manifest, provider.name)))};
  const LeaderElectionOptions& election = options.leader_election;
  if (election.leader_elect) {
    std::vector<std::string> leases{election.resource_name};
    if (migration.active()) leases.push_back(migration.lease);
    require(host.permissions, access::lease_rules(leases), election.resource_namespace);
    if (options.generic.feature_gates.enabled(kCoordinatedLeaderElection)) {
      require(host.permissions, access::lease_candidate_rules(), election.resource_namespace);
    }
  }
  if (options.secure_serving.port != 0) add_endpoint(host.permissions, options);
  std::vector<access::AccessSubject> subjects{std::move(host)};
  const bool accounts = options.kube_cloud_shared.use_service_account_credentials;
  for (const RunningPlugin& plugin : running_plugins(selection)) {
    subjects.push_back({plugin.manifest.id, accounts ? permissions_by_account(plugin)
                                                     : permissions_of(access::rules_of(
                                                           plugin.manifest, plugin.components))});
  }
  return subjects;
}

void AccessFindings::tell(const access::AccessSubject& subject,
                          const access::Permissions& missing) {
  const bool host = subject.name == access::kHostSubject;
  const log::Field who{host ? "subject" : "plugin", subject.name};
  const std::string needed = to_string(missing.needed);
  const std::string optional = to_string(missing.optional);
  const access::Permissions before = std::exchange(logged_[subject.name], missing);
  if (missing.empty()) {
    log::info("The missing permissions were granted", {who});
  } else if (missing.needed != before.needed && !missing.needed.empty()) {
    log::warning(host ? "The host lacks permissions" : "A plugin waits for permissions",
                 {who, {"missing", needed}, {"remedy", kRemedy}});
  }
  if (missing.optional != before.optional && !missing.optional.empty()) {
    log::info("Continuing without optional permissions",
              {who, {"missing", optional}, {"remedy", kRemedy}});
  }
  if (missing.needed.empty() && before.needed.empty()) return;
  Status status;
  if (!needed.empty()) status = Status(Code::permission_denied, "it lacks " + needed);
  health_.set(
      "permissions-" + subject.name, [status] { return status; },
      serving::HealthRegistry::Scope::readiness);
}

}  // namespace ccm::app
