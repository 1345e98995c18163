// OpenStack as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "api.hpp"
#include "compute/servers.hpp"
#include "config/settings.hpp"
#include "identity/session.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>

namespace ccm::openstack {

class Provider {
 public:
  explicit Provider(Host& host);

  // Reads cloud.conf, logs in, looks for Nova and Neutron in the catalog. invalid_argument, one
  // line, when cloud.conf is wrong; the cloud's own failure when it cannot be reached or refuses
  // the log-in, which the host tries again (OS-8 does not).
  Task<Status> initialize(Ctx ctx);
  // One short call to Nova.
  Task<Status> health(Ctx ctx);
  // The Go manager says so, too, so that --allow-untagged-cloud never matters (OS-3).
  bool has_cluster_id() { return true; }

  // See compute/servers.hpp.
  Task<Result<InstanceList>> list(Ctx ctx) { return servers_.list(std::move(ctx)); }
  Task<Result<Instance>> get(Ctx ctx, NodeIdentity node) {
    return servers_.get(std::move(ctx), std::move(node));
  }

 private:
  [[nodiscard]] Result<Settings> read_settings() const;
  void use(Settings settings);
  void reload();

  Host& host_;
  Session session_;
  Api api_;
  Servers servers_;
  Settings settings_;
};

}  // namespace ccm::openstack
