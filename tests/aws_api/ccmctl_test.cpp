// ccmctl doctor with aws.so.
#include "aws_api/manager_fixture.hpp"
#include "support/command.hpp"

#include <gmock/gmock.h>

#include <string>

namespace ccm::aws_api {
namespace {

using ::testing::HasSubstr;

class AwsDoctorTest : public AwsManagerTest {
 protected:
  support::CommandOutcome doctor() {
    std::string command = "env";
    for (const auto& [name, value] : environment()) command += " " + name + "=" + value;
    return support::run_command(command +
                                " " CCM_CTL_PROGRAM
                                " doctor --login-timeout=20 --leader-elect=false --own-rights"
                                " --cloud-provider=aws --controllers=cloud-node-controller,tagging"
                                " --cloud-config=" +
                                (folder_.path() / "cloud.conf").string() +
                                " --kubeconfig=" + server_.kubeconfig().string());
  }
};

TEST_F(AwsDoctorTest, AWS_132_Issue43_DoctorSaysWhichPermissionTheKeysLack) {
  join_nodes(2);
  start("cloud-node-controller");
  ASSERT_TRUE(nodes_are_initialised(2)) << log_tail();
  const auto well = doctor();
  EXPECT_THAT(well.output, HasSubstr("the credential has what `ccmctl permissions` prints"));
  EXPECT_THAT(well.output, HasSubstr("not tried: writes of elasticloadbalancing"));
  cloud_.with([](World& world) { world.cloud.denied = {"CreateTags"}; });
  const auto lacking = doctor();
  EXPECT_EQ(lacking.exit_code, 1);
  EXPECT_THAT(lacking.output, HasSubstr("PROBLEM  cloud-permissions"));
  EXPECT_THAT(lacking.output, HasSubstr("the credential lacks ec2:CreateTags"));
  EXPECT_THAT(lacking.output, HasSubstr("OK       machines"));
  cloud_.with([](World& world) {
    for (const Machine& machine : world.cloud.machines) {
      EXPECT_FALSE(machine.tags.contains("ccm-trial"));
    }
  });
}

}  // namespace
}  // namespace ccm::aws_api
