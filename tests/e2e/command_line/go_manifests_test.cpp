// Command lines as the manifests of Go managers have them, with what Kubernetes 1.37 brought and
// took away. A provider that is not in this tree is the sandbox here, and its own flags are left
// out.
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccm::e2e {
namespace {

struct Manifest {
  const char* name;
  std::vector<std::string> flags;
};

const std::vector<Manifest> kManifests = {
    {"DigitalOcean", {"--cloud-provider=digitalocean", "--leader-elect=false"}},
    {"OpenStack",
     {"--v=1", "--cluster-name=kubernetes", "--cloud-config=/etc/config/cloud.conf",
      "--cloud-provider=openstack", "--use-service-account-credentials=false",
      "--bind-address=127.0.0.1"}},
    {"OpenStacksChart",
     {"--v=2", "--cluster-name=kubernetes", "--cloud-config=/etc/config/cloud.conf",
      "--cloud-provider=openstack", "--use-service-account-credentials=true",
      "--controllers=cloud-node,cloud-node-lifecycle,route,service", "--bind-address=127.0.0.1"}},
    {"Hetzner",
     {"--allow-untagged-cloud", "--cloud-provider=sandbox", "--route-reconciliation-period=30s",
      "--webhook-secure-port=0", "--allocate-node-cidrs=true", "--cluster-cidr=10.244.0.0/16",
      "--leader-elect=false", "--secure-port=10288"}},
    {"Amazon",
     {"--v=2", "--cloud-provider=sandbox", "--allocate-node-cidrs=false",
      "--cluster-cidr=100.96.0.0/11", "--configure-cloud-routes=false", "--leader-elect=true",
      "--use-service-account-credentials=true"}},
    {"Azure",
     {"--allocate-node-cidrs=true", "--cloud-config=/etc/kubernetes/azure.json",
      "--cloud-provider=sandbox", "--cluster-cidr=10.244.0.0/16", "--cluster-name=kubernetes",
      "--configure-cloud-routes=true", "--controllers=*,-cloud-node", "--leader-elect=true",
      "--route-reconciliation-period=10s", "--v=2", "--secure-port=10267"}},
    {"Google",
     {"--bind-address=127.0.0.1", "--cloud-provider=sandbox", "--concurrent-node-syncs=10",
      "--concurrent-node-status-updates=10", "--controllers=*,-nodeipam",
      "--feature-gates=ContextualLogging=true", "--use-service-account-credentials=true"}},
    // New in 1.37, and the feature gates that are gone from it.
    {"Of137",
     {"--cloud-provider=sandbox", "--concurrent-node-lifecycle-syncs=5",
      "--concurrent-node-syncs=5", "--concurrent-service-syncs=5",
      "--feature-gates=EtcdRangeStream=false,WatchListCompression=true,NativeHistograms=true"}},
    {"Of136",
     {"--cloud-provider=sandbox",
      "--feature-gates=APIServerTracing=true,RetryGenerateName=true,BtreeWatchCache=true"}},
    {"LeaderMigrationGuide",
     {"--cloud-provider=sandbox", "--leader-elect=true", "--enable-leader-migration",
      "--leader-migration-config=/etc/leadermigration.conf"}},
};

void PrintTo(const Manifest& manifest, std::ostream* out) { *out << manifest.name; }

// --version reads all flags first, the plugins' included, and contacts nothing.
int exit_code_with(const std::vector<std::string>& flags) {
  const support::TemporaryFolder own("ccm-go-manifests");
  std::vector<std::string> command = {support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM)};
  command.insert(command.end(), flags.begin(), flags.end());
  command.emplace_back("--version");
  support::Process manager(command, {own.path() / "log", {{"KUBECONFIG", ""}, {"HOME", ""}}});
  const auto ended = manager.wait(support::patience());
  if (!ended) throw std::runtime_error("it goes on:\n" + manager.log());
  EXPECT_EQ(ended->code == 0, manager.log().find("Error:") == std::string::npos) << manager.log();
  return ended->code;
}

class GoManifestTest : public testing::TestWithParam<Manifest> {};

TEST_P(GoManifestTest, HOST_8_to_74_ItsFlagsAreTaken) {
  EXPECT_EQ(exit_code_with(GetParam().flags), 0);
}

TEST(GoManifests, AnUnknownFlagWouldBeSeen) {
  EXPECT_EQ(exit_code_with({"--cloud-provider=sandbox", "--concurrent-pod-syncs=1"}), 1);
}

INSTANTIATE_TEST_SUITE_P(Manifests, GoManifestTest, testing::ValuesIn(kManifests),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ccm::e2e
