// ccmctl doctor: looks at a cluster and its cloud with reads only, and says what to do.
#include "ccmctl/cloud/cloud_session.hpp"
#include "ccmctl/cloud/cluster_objects.hpp"
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "ccmctl/rights/cloud_permissions.hpp"
#include "checks.hpp"
#include "cloud_checks.hpp"
#include "rights.hpp"

#include <ccm/http_date.hpp>
#include <ccm/percent_encode.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace ccm::ctl {
namespace {

constexpr std::chrono::seconds kSecondLook{4};  // longer than two renewals by default

struct DoctorCommand {
  CloudOptions cloud;
  ManagerOptions cluster;
  std::string cluster_name = "kubernetes";
  std::string service_account = "kube-system/cloud-controller-manager";
  bool own_rights = false;
  unsigned taint_minutes = 5;
  Format format = Format::table;
};

Finding failed_read(const std::string& check, const Status& status) {
  return {check, Health::problem, "it cannot be read: " + status.message(),
          "see the address and the user of the kubeconfig"};
}

// Null: there is none.
Result<nlohmann::json> read_lease(const DoctorCommand& command, const std::string& path) {
  auto lease = ask_cluster(command.cluster, path);
  if (lease.status().code() == Code::not_found) return nlohmann::json();
  return lease;
}

Finding look_at_lease(const DoctorCommand& command, const ManagerFlags& flags, SystemTime now) {
  const app::LeaderElectionOptions& election = flags.options().leader_election;
  if (!election.leader_elect) return {"lease", Health::ok, "there is no leader election", {}};
  const std::string path = "/apis/coordination.k8s.io/v1/namespaces/" +
                           percent_encode(election.resource_namespace) + "/leases/" +
                           percent_encode(election.resource_name);
  const auto lease = read_lease(command, path);
  if (!lease.ok()) return failed_read("lease", lease.status());
  LeaseLook look{election.resource_namespace + "/" + election.resource_name, *lease,
                 nlohmann::json(), now};
  if (!lease->is_null() && lease_seems_stale(*lease, now)) {
    // Its holder's clock may be another one.
    std::this_thread::sleep_for(kSecondLook);
    const auto later = read_lease(command, path);
    if (!later.ok()) return failed_read("lease", later.status());
    look.later = *later;
  }
  return check_lease(look);
}

std::vector<std::string> prefixes_of(const ManagerFlags& flags) {
  const auto manifests = flags.manifests();
  if (!manifests.ok()) return {};
  for (const plugin_files::Component& component : manifests->front().components) {
    if (component.name == flags.provider()) return component.provider_id_prefixes;
  }
  return {};
}

bool runs(const ManagerFlags& flags, const char* controller) {
  const auto controllers = flags.controllers();
  return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

bool allocates(const ManagerFlags& flags) {
  return flags.options().kube_cloud_shared.allocate_node_cidrs &&
         runs(flags, "node-ipam-controller");
}

void look_at_nodes(const DoctorCommand& command, const ManagerFlags& flags, SystemTime now,
                   const ClusterObjects& cluster, std::vector<Finding>& findings) {
  findings.push_back(
      check_uninitialized(cluster.nodes, now, std::chrono::minutes(command.taint_minutes)));
  findings.push_back(
      check_shutdown(cluster.nodes, now, std::chrono::minutes(command.taint_minutes)));
  findings.push_back(check_kubelets(cluster.nodes, prefixes_of(flags)));
  findings.push_back(check_provider_ids(cluster.nodes));
  findings.push_back(check_backends(cluster.nodes, cluster.services));
  findings.push_back(check_families(cluster.nodes));
  findings.push_back(check_pod_ranges(cluster.nodes, allocates(flags)));
}

Finding look_at_machines(CloudSession& session, const ManagerFlags& flags,
                         const nlohmann::json& nodes) {
  const std::vector<std::string> ids = provider_ids_of(nodes, prefixes_of(flags));
  const auto missing = session.missing_machines(ids);
  if (missing.ok()) return check_machines(nodes, ids, *missing);
  if (missing.status().code() == Code::unimplemented) {
    return {"machines", Health::unknown, missing.status().message(),
            "compare Nodes with the cloud's own console"};
  }
  return {"machines", Health::problem, missing.status().message(),
          "let the credential read instances"};
}

// Tried by a log-in of its own, so that one that lacks some spoils no other check. Nothing for a
// provider that cannot try them.
std::optional<Finding> look_at_permissions(const DoctorCommand& command,
                                           const ManagerFlags& flags) {
  app::EarlyOptions plugins;
  plugins.cloud_provider = command.cloud.provider;
  plugins.plugin_paths = command.cloud.plugin_paths;
  const auto permissions = read_cloud_permissions(plugins, flags.controllers());
  if (!permissions.ok() || permissions->trial_flag.empty()) return std::nullopt;
  std::string names;
  for (const std::string& name : permissions->names) names += (names.empty() ? "" : ",") + name;
  CloudOptions cloud = command.cloud;
  cloud.more.push_back("--" + permissions->trial_flag + "=" + names);
  const auto session = CloudSession::open(cloud, command.cluster_name, &command.cluster,
                                          CloudSession::Access::reads);
  return check_cloud_permissions(*permissions, session.status());
}

void look_at_cloud(const DoctorCommand& command, const ManagerFlags& flags,
                   const ClusterObjects& cluster, std::vector<Finding>& findings) {
  const auto session = CloudSession::open(command.cloud, command.cluster_name, &command.cluster,
                                          CloudSession::Access::reads);
  if (!session.ok()) {
    findings.push_back(check_cloud_failure(session.status()));
    return;
  }
  findings.push_back(look_at_machines(**session, flags, cluster.nodes));
  if (const Status failed = (*session)->cloud_failure(); !failed.ok()) {
    findings.push_back(check_cloud_failure(failed));
    return;
  }
  findings.push_back(check_load_balancer_finalizers(
      cluster.services,
      runs(flags, "service-lb-controller") && (*session)->offers_load_balancers()));
  const auto names = names_of_cluster(command.cluster, command.cluster_name);
  if (!names.ok()) {
    findings.push_back(failed_read("cloud", names.status()));
    return;
  }
  const auto objects = (*session)->list(*names);
  if (objects.status().code() == Code::unimplemented) {
    findings.push_back({"cloud", Health::unknown, "the log-in works; " + objects.status().message(),
                        "look for orphans in the cloud's own console"});
    return;
  }
  if (!objects.ok()) {
    findings.push_back(
        {"cloud", Health::problem, objects.status().message(), "see the rights of the credential"});
    return;
  }
  findings.push_back(check_cloud_speed((*session)->cloud_slowness()));
  findings.push_back(check_cluster_name(*objects, command.cluster_name));
  findings.push_back(check_orphans(*objects, cluster));
  findings.push_back(check_doubled(*objects, cluster));
  findings.push_back(check_node_ports(*objects, cluster));
}

std::vector<Finding> look_at_all(const DoctorCommand& command, const ManagerFlags& flags) {
  std::vector<Finding> findings;
  const auto date = ask_date(command.cluster);
  const SystemTime local = std::chrono::system_clock::now();
  if (!date.ok()) {
    findings.push_back(failed_read("api-server", date.status()));
    return findings;
  }
  std::optional<SystemTime> server;
  if (const auto time = parse_http_date(*date)) server = SystemTime(*time);
  findings.push_back(check_clock(server, local));
  const SystemTime now = server.value_or(local);
  findings.push_back(look_at_lease(command, flags, now));
  const ManagerUser user =
      command.own_rights ? ManagerUser() : service_account_user(command.service_account);
  findings.push_back(check_rights(flags, command.cluster, user));
  const auto cluster = read_cluster(command.cluster);
  if (!cluster.ok()) {
    findings.push_back(failed_read("cluster", cluster.status()));
    return findings;
  }
  look_at_nodes(command, flags, now, *cluster, findings);
  look_at_cloud(command, flags, *cluster, findings);
  if (auto finding = look_at_permissions(command, flags)) findings.push_back(*std::move(finding));
  return findings;
}

int doctor(const DoctorCommand& command) {
  ManagerFlags flags(command.cloud, command.cluster_name);
  if (Status status = flags.parse(); !status.ok()) {
    std::cerr << "ccmctl: " << printable(status.message()) << '\n';
    return kUsage;
  }
  const std::vector<Finding> findings = look_at_all(command, flags);
  if (command.format == Format::json) {
    std::cout << json_text(nlohmann::ordered_json{{"checks", findings_json(findings)}});
  } else {
    std::cout << findings_table(findings);
  }
  return has_problem(findings) ? kFault : kOk;
}

}  // namespace

void add_doctor(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "doctor",
      "Look at a cluster and its cloud with reads only, and say for each check whether it is well\n"
      "and what to do: clock, Lease, rights, Nodes that wait, kubelets, Pod ranges, instances,\n"
      "the cloud's credential, finalizers, orphans, doubled load balancers, node ports. Give it "
      "the\n"
      "flags and the environment of the manager's command line. Runs code of the provider's "
      "plugin.");
  const auto options = std::make_shared<DoctorCommand>();
  add_cloud_options(*command, options->cloud);
  add_cluster_options(*command, options->cluster);
  command->add_option("--cluster-name", options->cluster_name, "As the manager's flag")
      ->capture_default_str()
      ->type_name("NAME");
  command
      ->add_option("--service-account", options->service_account,
                   "The manager's service account, in whose place its rights are asked for")
      ->check([](const std::string& text) {
        return std::string(service_account_user(text).name.empty() ? "write NAMESPACE/NAME" : "");
      })
      ->capture_default_str()
      ->type_name("NAMESPACE/NAME");
  command->add_flag("--own-rights", options->own_rights,
                    "Ask about the rights of the kubeconfig's user instead");
  command
      ->add_option("--taint-minutes", options->taint_minutes,
                   "Minutes that a Node may wait until it is initialised")
      ->check(CLI::Range(1, 1440).description(""))
      ->capture_default_str()
      ->type_name("MINUTES");
  add_format(*command, options->format);
  command->callback([command, options, &exit_code] {
    options->cloud.more = command->remaining();
    exit_code = doctor(*options);
  });
}

}  // namespace ccm::ctl
