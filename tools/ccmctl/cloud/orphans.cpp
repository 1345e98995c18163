// ccmctl orphans: what the manager made in the cloud and nothing in the cluster needs any more.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "cloud_session.hpp"
#include "cluster_objects.hpp"
#include "owned_table.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

namespace ccm::ctl {
namespace {

struct OrphansCommand {
  CloudOptions cloud;
  ManagerOptions cluster;
  std::string cluster_name = "kubernetes";
  Format format = Format::table;
};

int orphans_fault(const Status& status) {
  std::cerr << "ccmctl: " << printable(status.message()) << '\n';
  return status.code() == Code::invalid_argument ? kUsage : kFault;
}

// The objects that nothing needs, those of this cluster first.
std::vector<OwnedLine> orphans_among(const std::vector<OwnedObject>& objects,
                                     const ClusterObjects& cluster) {
  std::vector<OwnedLine> lines;
  for (const OwnedObject& object : objects) {
    if (is_needed(object, cluster)) continue;
    lines.push_back({object, subject_of(object, cluster), why_left(object)});
  }
  std::stable_partition(lines.begin(), lines.end(),
                        [](const OwnedLine& line) { return line.note.empty(); });
  return lines;
}

// The cluster is read before and after the cloud: a Service that is made or deleted meanwhile is no
// proof of anything.
Result<std::vector<OwnedLine>> find_orphans(const OrphansCommand& command) {
  const auto names = names_of_cluster(command.cluster, command.cluster_name);
  if (!names.ok()) return names.status();
  const auto before = read_cluster(command.cluster);
  if (!before.ok()) return before.status();
  auto session = CloudSession::open(command.cloud, command.cluster_name, &command.cluster,
                                    CloudSession::Access::reads);
  if (!session.ok()) return session.status();
  const auto objects = (*session)->list(*names);
  if (!objects.ok()) return objects.status().with_context("objects of the cloud");
  const auto after = read_cluster(command.cluster);
  if (!after.ok()) return after.status();
  std::vector<OwnedObject> unneeded;
  for (const OwnedObject& object : *objects) {
    if (!is_needed(object, *before)) unneeded.push_back(object);
  }
  return orphans_among(unneeded, *after);
}

int orphans(const OrphansCommand& command) {
  const auto lines = find_orphans(command);
  if (!lines.ok()) return orphans_fault(lines.status());
  const auto certain = std::count_if(lines->begin(), lines->end(),
                                     [](const OwnedLine& line) { return line.note.empty(); });
  if (command.format == Format::json) {
    std::cout << json_text(nlohmann::ordered_json{{"orphans", owned_json(*lines)}});
  } else if (lines->empty()) {
    std::cout << "No orphans\n";
  } else {
    std::cout << owned_table(*lines);
  }
  return certain == 0 ? kOk : kFault;
}

}  // namespace

void add_orphans(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "orphans",
      "List what bears the marks of this cluster in the cloud, and no Service or Node needs: load\n"
      "balancers, floating IPs, security groups, routes. Reads only. Give it the flags and the\n"
      "environment of the manager's command line; the user of the kubeconfig lists Services and\n"
      "Nodes, and gets the namespace kube-system. Runs code of the provider's plugin.");
  const auto options = std::make_shared<OrphansCommand>();
  add_cloud_options(*command, options->cloud);
  add_cluster_options(*command, options->cluster);
  command->add_option("--cluster-name", options->cluster_name, "As the manager's flag")
      ->capture_default_str()
      ->type_name("NAME");
  add_format(*command, options->format);
  command->callback([command, options, &exit_code] {
    options->cloud.more = command->remaining();
    exit_code = orphans(*options);
  });
}

}  // namespace ccm::ctl
