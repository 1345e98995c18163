// Shared by all scenarios of a run: one API server and one cloud, cleaned between scenarios.
#pragma once

#include "support/file.hpp"
#include "support/test_server.hpp"

#include <filesystem>
#include <memory>

namespace ccm::e2e {

// One thread at a time.
class World {
 public:
  World();

  support::TestServer& server() { return server_; }
  support::TestCloud& cloud() { return cloud_; }
  support::KubeClient& api() { return api_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  void keep_folder() { folder_.keep(); }

  // No nodes, no services, no events, no leases of managers, an empty cloud without faults.
  void clean();

 private:
  void remove_services();
  void remove_one(const std::string& path);
  void remove_all(const std::string& collection, const std::string& name_prefix = {});

  support::TemporaryFolder folder_{"ccm-scenarios"};
  support::TestServer server_;
  support::TestCloud cloud_;
  support::KubeClient api_;
};

}  // namespace ccm::e2e
