// A provider plugin that runs inside ccmctl as in the manager, without controllers: for commands
// that look at the cloud, and for `cleanup`, which changes it. One thread.
#pragma once

#include "ccmctl/manager/manager_query.hpp"
#include "ccmctl/manager_flags.hpp"

#include <ccm/owned.hpp>
#include <ccm/status.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ccm::ctl {

class CloudSession {
 public:
  enum class Access { reads, writes };

  // Loads the provider and lets it log in. `cluster`: whose namespace kube-system it may ask for;
  // null = none. `cluster_name`: --cluster-name. Failures: invalid_argument for a wrong command
  // line, else what stopped the plugin or the log-in; how the cloud fails, as cloud_failure() says
  // it.
  static Result<std::unique_ptr<CloudSession>> open(const CloudOptions& options,
                                                    const std::string& cluster_name,
                                                    const ManagerOptions* cluster, Access access);
  ~CloudSession();
  CloudSession(const CloudSession&) = delete;
  CloudSession& operator=(const CloudSession&) = delete;

  [[nodiscard]] const std::string& provider() const;
  // Whether the provider, as it is configured, has load balancers.
  [[nodiscard]] bool offers_load_balancers() const;
  // How the cloud fails, with the fault's name as the reason, such as "credential-refused"; ok
  // while it answers.
  [[nodiscard]] Status cloud_failure() const;
  // "the cloud is slow (8s a call)", as of the last few calls; empty while it is not.
  [[nodiscard]] std::string cloud_slowness() const;
  // Which of these provider IDs a whole list of the cloud's instances does not have.
  // Unimplemented when the provider cannot list them.
  Result<std::vector<std::string>> missing_machines(const std::vector<std::string>& provider_ids);
  // Unimplemented when the provider cannot tell.
  Result<std::vector<OwnedObject>> list(const ClusterNames& cluster);
  // Class waiting while the cloud works. With Access::writes only.
  Status remove(const ClusterNames& cluster, const OwnedObject& object);

 private:
  struct Impl;
  explicit CloudSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ccm::ctl
