// ccmctl cleanup: removes what a cluster that is torn down has left in the cloud.
#include "ccmctl/commands.hpp"
#include "ccmctl/output.hpp"
#include "cloud_session.hpp"
#include "cluster_objects.hpp"
#include "owned_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <string_view>
#include <thread>

namespace ccm::ctl {
namespace {

using std::chrono::milliseconds;

// The default of --cluster-name: other clusters may have it, too.
constexpr const char* kDefaultName = "kubernetes";
constexpr milliseconds kShortestPause{500};
constexpr milliseconds kLongestPause{30'000};

struct CleanupCommand {
  CloudOptions cloud;
  ManagerOptions kubeconfig;  // asked only when it is given
  std::vector<std::string> clusters;
  std::vector<std::string> ids;
  bool allow_default_name = false;
  bool yes = false;
  unsigned timeout_seconds = 300;  // for one object
};

int cleanup_fault(const Status& status) {
  std::cerr << "ccmctl: " << printable(status.message()) << '\n';
  return status.code() == Code::invalid_argument ? kUsage : kFault;
}

// A load balancer takes its floating IP along, and no longer needs its security group.
int rank_of(const OwnedObject& object) {
  constexpr std::array<std::string_view, 4> kOrder{CCM_OWNED_LOAD_BALANCER, CCM_OWNED_FLOATING_IP,
                                                   CCM_OWNED_SECURITY_GROUP, CCM_OWNED_ROUTE};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), object.kind) - kOrder.begin());
}

bool is_named(const std::vector<std::string>& ids, const OwnedObject& object) {
  return std::find(ids.begin(), ids.end(), object.id) != ids.end();
}

std::vector<OwnedLine> lines_of(std::vector<OwnedObject> objects, const ClusterObjects* cluster,
                                const std::vector<std::string>& ids) {
  std::stable_sort(objects.begin(), objects.end(), [](const auto& left, const auto& right) {
    return rank_of(left) < rank_of(right);
  });
  static const ClusterObjects kNothingKnown;
  const ClusterObjects& known = cluster == nullptr ? kNothingKnown : *cluster;
  std::vector<OwnedLine> lines;
  for (OwnedObject& object : objects) {
    const bool confirmed = object.no_cluster && !object.shared && is_named(ids, object);
    std::string note = confirmed ? std::string() : why_left(object);
    if (note.empty() && cluster != nullptr && is_needed(object, *cluster)) {
      note = "the cluster still needs it";
    }
    std::string subject = subject_of(object, known);
    lines.push_back({std::move(object), std::move(subject), std::move(note)});
  }
  return lines;
}

bool agreed(std::size_t count) {
  std::cout << "Remove " << count << (count == 1 ? " object" : " objects") << "? [y/N] "
            << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Status remove_one(CloudSession& session, ClusterNames names, const OwnedObject& object,
                  std::chrono::seconds limit) {
  names.confirmed = object.no_cluster;
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    Status removed = session.remove(names, object);
    const bool works = removed.error_class() == ErrorClass::waiting;
    if (!works || std::chrono::steady_clock::now() >= end) return removed;
    std::this_thread::sleep_for(std::clamp(removed.retry_after(), kShortestPause, kLongestPause));
  }
}

// One line each; a failure keeps no other from being removed.
int remove_all(CloudSession& session, const ClusterNames& names,
               const std::vector<OwnedLine>& lines, std::chrono::seconds limit) {
  std::size_t failed = 0;
  for (const OwnedLine& line : lines) {
    if (!line.note.empty()) continue;
    const Status removed = remove_one(session, names, line.object, limit);
    if (removed.ok()) {
      std::cout << "removed " << object_label(line.object) << std::endl;
      continue;
    }
    ++failed;
    std::cout << "FAILED  " << object_label(line.object) << ": " << printable(removed.message())
              << std::endl;
  }
  if (failed == 0) return kOk;
  std::cerr << "ccmctl: " << failed << (failed == 1 ? " object was" : " objects were")
            << " not removed; run it again\n";
  return kFault;
}

Status check(const CleanupCommand& command) {
  const auto& names = command.clusters;
  if (std::find(names.begin(), names.end(), "") != names.end()) {
    return {Code::invalid_argument, "--cluster is empty"};
  }
  const bool by_default = std::find(names.begin(), names.end(), kDefaultName) != names.end();
  if (by_default && !command.allow_default_name) {
    return {Code::invalid_argument,
            "\"kubernetes\" is the default of --cluster-name, so marks of other clusters may have "
            "it, too; if none is in this account, give --allow-default-name"};
  }
  if (!command.yes && ::isatty(STDIN_FILENO) == 0) {
    return {Code::invalid_argument, "there is no terminal on which to ask; give --yes"};
  }
  return {};
}

// Before anything is removed: a typing error is none of the objects that are meant.
Status check_ids(const std::vector<std::string>& ids, const std::vector<OwnedObject>& objects) {
  for (const std::string& id : ids) {
    const auto place = std::find_if(objects.begin(), objects.end(),
                                    [&](const OwnedObject& object) { return object.id == id; });
    if (place == objects.end()) {
      return {Code::invalid_argument, "--id=" + id + ": no manager made an object of this id"};
    }
    if (place->shared) return {Code::invalid_argument, "--id=" + id + ": " + why_left(*place)};
  }
  return {};
}

int cleanup(const CleanupCommand& command) {
  if (Status status = check(command); !status.ok()) return cleanup_fault(status);
  ClusterObjects cluster;
  const bool ask_cluster_too = !command.kubeconfig.kubeconfig.empty();
  if (ask_cluster_too) {
    auto read = read_cluster(command.kubeconfig);
    if (!read.ok()) return cleanup_fault(read.status());
    cluster = *std::move(read);
  }
  auto session = CloudSession::open(command.cloud, command.clusters.front(), nullptr,
                                    CloudSession::Access::writes);
  if (!session.ok()) return cleanup_fault(session.status());
  const ClusterNames names{command.clusters, true};
  auto objects = (*session)->list(names);
  if (!objects.ok()) return cleanup_fault(objects.status().with_context("objects of the cloud"));
  if (ask_cluster_too) {
    const auto again = read_cluster(command.kubeconfig);
    if (!again.ok()) return cleanup_fault(again.status());
    cluster = of_two_looks(std::move(cluster), *again);
  }
  if (Status known = check_ids(command.ids, *objects); !known.ok()) return cleanup_fault(known);
  const auto lines =
      lines_of(*std::move(objects), ask_cluster_too ? &cluster : nullptr, command.ids);
  const auto removable = std::count_if(lines.begin(), lines.end(),
                                       [](const OwnedLine& line) { return line.note.empty(); });
  if (!lines.empty()) std::cout << owned_table(lines);
  if (removable == 0) {
    std::cout << "Nothing to remove\n";
    return kOk;
  }
  if (!command.yes && !agreed(static_cast<std::size_t>(removable))) {
    std::cout << "Nothing was removed\n";
    return kFault;
  }
  return remove_all(**session, names, lines, std::chrono::seconds(command.timeout_seconds));
}

}  // namespace

void add_cleanup(CLI::App& parent, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "cleanup",
      "Remove all that bears the marks of a cluster in the cloud, once the cluster is torn down "
      "and\n"
      "its manager has ended. Lists it, asks, and removes; what bears no mark of the cluster, or\n"
      "another cluster's as well, is left alone, and nothing is removed when the listing fails.\n"
      "Give it the flags and the environment of the manager's command line. Runs code of the\n"
      "provider's plugin.");
  const auto options = std::make_shared<CleanupCommand>();
  add_cloud_options(*command, options->cloud);
  command
      ->add_option(
          "--cluster", options->clusters,
          "The cluster's name in the marks, see the column CLUSTER of `orphans`: its\n"
          "--cluster-name, its id, or the UID of its namespace kube-system; may be repeated")
      ->required()
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--id", options->ids,
          "An object whose mark names no cluster and that is to go all the same: its ID in\n"
          "the table; may be repeated")
      ->type_name("ID")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--kubeconfig", options->kubeconfig.kubeconfig,
          "The cluster, if it still answers: what its Services and Nodes need is left alone")
      ->type_name("FILE");
  command->add_option("--context", options->kubeconfig.context, "Context of the kubeconfig")
      ->type_name("NAME");
  command->add_flag("--allow-default-name", options->allow_default_name,
                    "Take \"kubernetes\", the default of --cluster-name, for --cluster");
  command->add_flag("--yes", options->yes, "Do not ask");
  command->add_option("--timeout", options->timeout_seconds, "Seconds to wait for one object to go")
      ->check(CLI::Range(1, 3600).description(""))
      ->capture_default_str()
      ->type_name("SECONDS");
  command->callback([command, options, &exit_code] {
    options->cloud.more = command->remaining();
    exit_code = cleanup(*options);
  });
}

}  // namespace ccm::ctl
