#include "rights.hpp"

#include "access/access_check.hpp"
#include "access/access_rules.hpp"
#include "runtime/event_loop.hpp"

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <exception>
#include <map>
#include <utility>

namespace ccm::ctl {
namespace {

constexpr const char* kRight = "rights";

std::vector<access::AccessSubject> subjects_of(
    const ManagerFlags& flags, const std::vector<plugin_files::Manifest>& manifests) {
  const app::LeaderElectionOptions& election = flags.options().leader_election;
  const bool machines = access::offers_instances(manifests.front(), flags.provider());
  access::AccessSubject host{std::string(access::kHostSubject),
                             access::permissions_of(access::host_rules(machines))};
  if (election.leader_elect) {
    access::add_permissions(host.permissions,
                            access::permissions_of(access::lease_rules({election.resource_name}),
                                                   election.resource_namespace));
  }
  std::vector<access::AccessSubject> subjects{std::move(host)};
  const std::vector<std::string> running = flags.controllers();
  for (const plugin_files::Manifest& manifest : manifests) {
    subjects.push_back({manifest.id, access::permissions_of(access::rules_of(manifest, running))});
  }
  return subjects;
}

struct Answers {
  std::map<std::string, access::Permissions> missing;  // by subject
  bool answered = false;
  bool muted = false;  // the API server did not answer
};

Answers ask(const kube::ClientConfig& config, std::vector<access::AccessSubject> subjects) {
  runtime::EventLoop loop;
  Answers answers;
  kube::ClientOptions options;
  options.user_agent = "ccmctl";
  const kube::Client client(loop.executor(), config, options);
  access::AccessCallbacks callbacks;
  callbacks.changed = [&answers](const access::AccessSubject& subject,
                                 const access::Permissions& missing) {
    answers.missing[subject.name] = missing;
  };
  callbacks.answered = [&answers] { answers.answered = true; };
  access::AccessCheck check([&client](const std::string&) { return client; }, std::move(subjects),
                            {}, std::move(callbacks));
  bool over = false;
  boost::asio::co_spawn(loop.context(), check.run(), [&over](const std::exception_ptr& fault) {
    over = true;
    if (fault) std::rethrow_exception(fault);
  });
  while (!answers.answered && !over) loop.run_for(std::chrono::milliseconds(50));
  answers.muted = check.mute();
  check.stop();
  while (!over) loop.run_for(std::chrono::milliseconds(50));
  return answers;
}

std::string list_of(const std::map<std::string, access::Permissions>& missing, bool needed) {
  std::string text;
  for (const auto& [subject, lacks] : missing) {
    const auto& list = needed ? lacks.needed : lacks.optional;
    if (list.empty()) continue;
    text += (text.empty() ? "" : "; ") + subject + ": " + to_string(list);
  }
  return text;
}

}  // namespace

ManagerUser service_account_user(const std::string& account) {
  const std::size_t slash = account.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == account.size()) return {};
  const std::string space = account.substr(0, slash);
  return {"system:serviceaccount:" + space + ":" + account.substr(slash + 1),
          {"system:serviceaccounts", "system:serviceaccounts:" + space, "system:authenticated"}};
}

Finding check_rights(const ManagerFlags& flags, const ManagerOptions& cluster,
                     const ManagerUser& user) {
  Finding finding{kRight, Health::problem, {}, {}};
  const auto manifests = flags.manifests();
  auto config = cluster_config(cluster);
  if (!manifests.ok() || !config.ok()) {
    finding.text = (manifests.ok() ? config.status() : manifests.status()).message();
    finding.advice = "give the flags of the manager's command line";
    return finding;
  }
  std::string who = "this kubeconfig's user";
  if (!user.name.empty()) {
    config->impersonate = {user.name, {}, user.groups, {}};
    who = user.name;
  }
  const Answers answers = ask(*config, subjects_of(flags, *manifests));
  if (answers.muted) {
    finding.result = Health::warning;
    finding.text = "the API server does not answer access reviews about " + who;
    finding.advice = user.name.empty()
                         ? "let this user create selfsubjectaccessreviews"
                         : "ask as a user who may impersonate the service account, or with "
                           "--own-rights about this user";
    return finding;
  }
  if (const std::string needed = list_of(answers.missing, true); !needed.empty()) {
    finding.text = who + " lacks rights of " + needed;
  } else if (const std::string optional = list_of(answers.missing, false); !optional.empty()) {
    finding.result = Health::warning;
    finding.text = who + " lacks optional rights of " + optional;
  } else {
    finding.result = Health::ok;
    finding.text = who + " has all that `ccmctl rbac` prints";
    return finding;
  }
  finding.advice = "`ccmctl rbac` with the same flags prints the roles to apply";
  return finding;
}

}  // namespace ccm::ctl
