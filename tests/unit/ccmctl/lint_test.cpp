// ccmctl lint as a user calls it, on the table of a real provider.
#include "support/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ccm::ctl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::CommandOutcome;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kLb = "service.beta.kubernetes.io/do-loadbalancer-";

class LintTest : public ::testing::Test {
 protected:
  LintTest() {
    std::string name = testing::TempDir() + "ccm-lint-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    folder_ = name;
  }
  ~LintTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  static CommandOutcome run(const std::string& arguments) {
    return support::run_command(std::string(CCM_TEST_CCMCTL) + " lint " + arguments +
                                " --plugin-path " CCM_TEST_PLUGIN_PATH);
  }
  std::string file(const std::string& text, const std::string& name = "a.yaml") const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // A Service with these lines below "annotations:".
  static std::string service(const std::string& annotations,
                             const std::string& type = "LoadBalancer") {
    std::string text = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: shop\n";
    if (!annotations.empty()) text += "  annotations:\n" + annotations;
    return text + "spec:\n  type: " + type + "\n  ports:\n    - port: 443\n    - port: 80\n";
  }
  CommandOutcome lint(const std::string& annotations,
                      const std::string& type = "LoadBalancer") const {
    return run("--cloud-provider digitalocean " + file(service(annotations, type)));
  }
  static std::string line(const std::string& name, const std::string& value) {
    return "    " + kLb + name + ": " + value + "\n";
  }

  fs::path folder_;
};

TEST_F(LintTest, NothingWrongIsSilent) {
  const auto outcome = lint(
      line("type", "REGIONAL") + line("protocol", "http") + line("tls-ports", "\"443,80\"") +
      line("size-unit", "\"3\"") + line("enable-proxy-protocol", "\"true\"") +
      line("allow-rules", "\"ip:1.2.3.4, cidr:10.0.0.0/8\"") + "    example.com/other: anything\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_EQ(lint("").exit_code, 0);
}

TEST_F(LintTest, AMisspeltNameHasANearestOne) {
  const auto outcome = lint(line("tls-port", "\"443\""));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("a.yaml:1: Service shop/web: annotation " + kLb +
                                        "tls-port is not known to ccm.provider-digitalocean"));
  EXPECT_THAT(outcome.output, HasSubstr("did you mean " + kLb + "tls-ports"));
}

TEST_F(LintTest, ValuesAreChecked) {
  const std::array<std::array<std::string, 3>, 12> table = {{
      {"protocol", "smtp", "which is none of tcp, http, https, http2, http3"},
      {"type", "regional", "which is none of REGIONAL, REGIONAL_NETWORK"},
      {"size-unit", "\"101\"", "which is no number of 0 to 100"},
      {"http-idle-timeout-seconds", "\"ten\"", "which is no number of 30 to 600"},
      {"enable-proxy-protocol", "\"yes\"", "which is no boolean"},
      {"http-ports", "\"80, 443\"", "blanks are not allowed"},
      {"http-ports", "\"81\"", "names port 81, which the Service does not have"},
      {"http3-port", "\"x\"", "no port number"},
      {"deny-rules", "1.2.3.4", "begins with none of ip:, cidr:"},
      {"sticky-sessions-type", "cookies", "needs the annotation " + kLb + "sticky-sessions-cookie"},
      {"healthcheck-path", "/x", "needs the annotation " + kLb + "override-health-check"},
      {"size-unit", "3", "write it in quotes"},
  }};
  for (const auto& [name, value, finding] : table) {
    const auto outcome = lint(line(name, value));
    EXPECT_EQ(outcome.exit_code, 1) << name;
    EXPECT_THAT(outcome.output, HasSubstr(finding)) << name << " " << value;
  }
  EXPECT_THAT(lint(line("size-unit", "\"3\"") + line("size-slug", "lb-small")).output,
              HasSubstr("may not stand beside " + kLb + "size-unit"));
}

TEST_F(LintTest, DO_181_WhatTheTypeOfLoadBalancerDoesNotReadIsAFinding) {
  const auto network = lint(line("type", "REGIONAL_NETWORK") + line("protocol", "http"));
  EXPECT_EQ(network.exit_code, 1);
  EXPECT_THAT(network.output, HasSubstr(kLb + "protocol has no effect where " + kLb +
                                        "type is \"REGIONAL_NETWORK\", only with REGIONAL"));
  const auto by_default = lint(line("protocol", "http"));
  EXPECT_EQ(by_default.exit_code, 1);
  EXPECT_THAT(by_default.output, HasSubstr("the default is REGIONAL_NETWORK (DEFAULT_LB_TYPE"));
  ASSERT_EQ(::setenv("DEFAULT_LB_TYPE", "REGIONAL", 1), 0);
  EXPECT_EQ(lint(line("protocol", "http")).exit_code, 0);
  ::unsetenv("DEFAULT_LB_TYPE");
  EXPECT_EQ(lint(line("size-unit", "\"3\"")).exit_code, 0);
}

TEST_F(LintTest, WhatAnotherAnnotationLeavesWithoutEffectIsAFinding) {
  const auto outcome =
      lint(line("certificate-id", "i") + line("certificate-name", "n") + line("type", "REGIONAL") +
           line("sticky-sessions-cookie-name", "LB") + line("override-health-check", "\"\"") +
           line("healthcheck-protocol", "tcp") + line("healthcheck-path", "/x"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("certificate-name has no effect beside the annotation " +
                                        kLb + "certificate-id"));
  EXPECT_THAT(outcome.output, HasSubstr("sticky-sessions-cookie-name has no effect without " + kLb +
                                        "sticky-sessions-type: cookies"));
  EXPECT_THAT(outcome.output, HasSubstr("healthcheck-path has no effect where " + kLb +
                                        "healthcheck-protocol is \"tcp\""));
}

// kubectl applies it with them.
TEST_F(LintTest, MergeKeysOfYamlAreFollowed) {
  const auto outcome = lint("    <<: {" + kLb + "tls-port: \"443\"}\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr(kLb + "tls-port is not known"));
}

TEST_F(LintTest, AnnotationsOfOtherKindsOfServicesHaveNoEffect) {
  EXPECT_THAT(lint(line("protocol", "http"), "ClusterIP").output,
              HasSubstr("has no effect on a Service of type ClusterIP"));
  const std::string managed = "    kubernetes.digitalocean.com/firewall-managed: \"false\"\n";
  EXPECT_EQ(lint(managed, "NodePort").exit_code, 0);
}

TEST_F(LintTest, ManyDocumentsListsAndFiles) {
  const std::string bad = service(line("tls-port", "\"443\""));
  const std::string one = file("# nothing\n---\n" + bad + "---\napiVersion: v1\nkind: ConfigMap\n");
  const json listed = {
      {"apiVersion", "v1"},
      {"kind", "List"},
      {"items",
       json::array({{{"apiVersion", "v1"},
                     {"kind", "Service"},
                     {"metadata", {{"name", "api"}, {"annotations", {{kLb + "nam", "x"}}}}},
                     {"spec", {{"type", "LoadBalancer"}}}}})}};
  const std::string other = file(listed.dump(2), "b.json");
  const auto outcome = run("-o json " + one + " " + other);
  EXPECT_EQ(outcome.exit_code, 1);
  const json findings = json::parse(outcome.output);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0]["service"], "shop/web");
  EXPECT_EQ(findings[0]["line"], 3);
  EXPECT_EQ(findings[1]["file"], other);
  EXPECT_EQ(findings[1]["annotation"], kLb + "nam");
}

TEST_F(LintTest, WhatIsNoYamlIsAFinding) {
  const auto outcome = run(file("a: [1,\n b: }"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("cannot be read as YAML: line 2"));
}

TEST_F(LintTest, WrongUseEndsWithTwo) {
  EXPECT_EQ(run("").exit_code, 2);
  EXPECT_EQ(run((folder_ / "none.yaml").string()).exit_code, 2);
  EXPECT_EQ(run("--cloud-provider mars " + file(service(""))).exit_code, 2);
  const auto without = run("--cloud-provider sandbox " + file(service("")));
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.output, HasSubstr("no annotations of Services"));
}

}  // namespace
}  // namespace ccm::ctl
