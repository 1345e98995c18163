#include "app/access/access_subjects.hpp"

#include "base/log.hpp"
#include "plugin_files/access_rules.hpp"

#include <algorithm>
#include <utility>

namespace ccm::app {
namespace {

constexpr const char* kRemedy = "ccmctl rbac prints the roles that it needs";

using plugin_files::permissions_of;

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
plugin_files::Permissions permissions_by_account(const RunningPlugin& plugin) {
  plugin_files::Permissions all;
  for (const auto& [account, rules] :
       plugin_files::rules_by_account(plugin.manifest, plugin.components)) {
    plugin_files::add_permissions(all, permissions_of(rules, {}, account));
    if (account.empty()) continue;
    plugin_files::add_permissions(
        all, permissions_of(plugin_files::token_rules({account}), plugin_files::kAccountNamespace));
  }
  return all;
}

void require(plugin_files::Permissions& host, const std::vector<plugin_files::RbacRule>& rules,
             std::string_view namespace_name = {}) {
  plugin_files::add_permissions(host, permissions_of(rules, namespace_name));
}

// The endpoint's client may be another one (--authentication-kubeconfig), which is not asked for.
void add_endpoint(plugin_files::Permissions& host, const Options& options) {
  const std::string& ours = options.client_connection.kubeconfig;
  if (options.authentication.kubeconfig == ours) {
    require(host, plugin_files::authentication_rules());
    if (!options.authentication.skip_lookup) {
      require(host, plugin_files::cluster_trust_rules(), "kube-system");
    }
  }
  if (options.authorization.kubeconfig == ours) require(host, plugin_files::authorization_rules());
}

}  // namespace

std::vector<AccessSubject> access_subjects(const LoadedSelection& selection,
                                           const MigrationPlan& migration, const Options& options) {
  const SelectedComponent& provider = selection.provider;
  AccessSubject host{std::string(plugin_files::kHostSubject),
                     plugin_files::permissions_of(plugin_files::host_rules(
                         plugin_files::offers_instances(provider.plugin.manifest, provider.name)))};
  const LeaderElectionOptions& election = options.leader_election;
  if (election.leader_elect) {
    std::vector<std::string> leases{election.resource_name};
    if (migration.active()) leases.push_back(migration.lease);
    require(host.permissions, plugin_files::lease_rules(leases), election.resource_namespace);
    if (options.generic.feature_gates.enabled(kCoordinatedLeaderElection)) {
      require(host.permissions, plugin_files::lease_candidate_rules(), election.resource_namespace);
    }
  }
  if (options.secure_serving.port != 0) add_endpoint(host.permissions, options);
  std::vector<AccessSubject> subjects{std::move(host)};
  const bool accounts = options.kube_cloud_shared.use_service_account_credentials;
  for (const RunningPlugin& plugin : running_plugins(selection)) {
    subjects.push_back({plugin.manifest.id, accounts ? permissions_by_account(plugin)
                                                     : permissions_of(plugin_files::rules_of(
                                                           plugin.manifest, plugin.components))});
  }
  return subjects;
}

void AccessFindings::tell(const AccessSubject& subject, const plugin_files::Permissions& missing) {
  const bool host = subject.name == plugin_files::kHostSubject;
  const log::Field who{host ? "subject" : "plugin", subject.name};
  const std::string needed = to_string(missing.needed);
  const std::string optional = to_string(missing.optional);
  const plugin_files::Permissions before = std::exchange(told_[subject.name], missing);
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
