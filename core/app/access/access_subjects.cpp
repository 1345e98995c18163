#include "app/access/access_subjects.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ccm::app {
namespace {

constexpr const char* kRemedy = "ccmctl rbac prints the roles that it needs";

void add_subject(std::vector<AccessSubject>& subjects, const plugin::Manifest& manifest) {
  const auto known = std::find_if(subjects.begin(), subjects.end(), [&](const AccessSubject& each) {
    return each.name == manifest.id;
  });
  if (known == subjects.end()) {
    subjects.push_back({manifest.id, plugin::permissions_of(manifest.rbac)});
  }
}

// The endpoint's client may be another one (--authentication-kubeconfig), which is not asked for.
void add_endpoint(plugin::Permissions& host, const Options& options) {
  const std::string& ours = options.client_connection.kubeconfig;
  if (options.authentication.kubeconfig == ours) {
    plugin::add_permissions(host, plugin::permissions_of(plugin::authentication_rules()));
    if (!options.authentication.skip_lookup) {
      plugin::add_permissions(host,
                              plugin::permissions_of(plugin::cluster_trust_rules(), "kube-system"));
    }
  }
  if (options.authorization.kubeconfig == ours) {
    plugin::add_permissions(host, plugin::permissions_of(plugin::authorization_rules()));
  }
}

}  // namespace

std::vector<AccessSubject> access_subjects(const LoadedSelection& selection,
                                           const Options& options) {
  const SelectedComponent& provider = selection.provider;
  AccessSubject host{std::string(plugin::kHostAsker),
                     plugin::permissions_of(plugin::host_rules(
                         plugin::offers_machines(provider.plugin.manifest, provider.name)))};
  const LeaderElectionOptions& election = options.leader_election;
  if (election.leader_elect) {
    plugin::add_permissions(host.permissions,
                            plugin::permissions_of(plugin::lease_rules(election.resource_name),
                                                   election.resource_namespace));
  }
  if (options.secure_serving.port != 0) add_endpoint(host.permissions, options);
  std::vector<AccessSubject> subjects{std::move(host)};
  add_subject(subjects, provider.plugin.manifest);
  for (const SelectedComponent& controller : selection.controllers) {
    add_subject(subjects, controller.plugin.manifest);
  }
  return subjects;
}

void AccessNews::tell(const AccessSubject& subject, const plugin::Permissions& missing) {
  const bool host = subject.name == plugin::kHostAsker;
  const log::Field who{host ? "subject" : "plugin", subject.name};
  const std::string needed = plugin::to_string(missing.needed);
  const std::string optional = plugin::to_string(missing.optional);
  const plugin::Permissions before = std::exchange(told_[subject.name], missing);
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
