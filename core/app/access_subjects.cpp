#include "app/access_subjects.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ccm::app {
namespace {

void add_subject(std::vector<AccessSubject>& subjects, const plugin::Manifest& manifest) {
  const auto known = std::find_if(subjects.begin(), subjects.end(), [&](const AccessSubject& each) {
    return each.name == manifest.id;
  });
  if (known == subjects.end()) {
    subjects.push_back({manifest.id, plugin::permissions_of(manifest.rbac)});
  }
}

}  // namespace

std::vector<AccessSubject> access_subjects(const LoadedSelection& selection,
                                           const LeaderElectionOptions& election) {
  const SelectedComponent& provider = selection.provider;
  AccessSubject host{std::string(plugin::kHostAsker),
                     plugin::permissions_of(plugin::host_rules(
                         plugin::offers_machines(provider.plugin.manifest, provider.name)))};
  if (election.leader_elect) {
    const auto lease = plugin::permissions_of(plugin::lease_rules(election.resource_name),
                                              election.resource_namespace);
    host.permissions.insert(host.permissions.end(), lease.begin(), lease.end());
  }
  std::vector<AccessSubject> subjects{std::move(host)};
  add_subject(subjects, provider.plugin.manifest);
  for (const SelectedComponent& controller : selection.controllers) {
    add_subject(subjects, controller.plugin.manifest);
  }
  return subjects;
}

void tell_access(const AccessSubject& subject, const std::vector<plugin::Permission>& missing,
                 serving::HealthRegistry& health) {
  const bool host = subject.name == plugin::kHostAsker;
  const std::string text = plugin::to_string(missing);
  if (missing.empty()) {
    log::info("the missing permissions are there", {{"plugin", subject.name}});
  } else if (host) {
    log::warning("the host lacks permissions",
                 {{"missing", text}, {"remedy", "ccmctl rbac prints the roles that it needs"}});
  } else {
    log::warning("a plugin waits for permissions",
                 {{"plugin", subject.name},
                  {"missing", text},
                  {"remedy", "ccmctl rbac prints the roles that it needs"}});
  }
  Status status;
  if (!missing.empty()) status = Status(Code::permission_denied, "it lacks " + text);
  health.set(
      "permissions-" + subject.name, [status] { return status; },
      serving::HealthRegistry::Scope::readiness);
}

}  // namespace ccm::app
