#include "kube/config.hpp"
#include "loop_fixture.hpp"

#include <ccm/base64.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ccm::kube {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

// A complete file around a cluster's and a user's lines (indented by six).
std::string file_of(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
         "contexts:\n- name: c\n  context:\n    cluster: k\n    user: u\n    namespace: team\n"
         "clusters:\n- name: k\n  cluster:\n" +
         (cluster.empty() ? "      {}\n" : cluster) + "users:\n- name: u\n  user:\n" +
         (user.empty() ? "      {}\n" : user);
}
const char kServer[] = "      server: https://api:6443/prefix/\n";

Result<ClientConfig> parse(const std::string& text, const std::string& directory = "/etc/k",
                           const std::string& master = "") {
  return parse_kubeconfig(text, "/etc/k/config", directory, master);
}

TEST(Kubeconfig, API_91_92_93_ReadsClusterUserAndContext) {
  const auto config =
      parse(file_of(std::string(kServer) +
                        "      tls-server-name: other\n      proxy-url: socks5://p:1080\n"
                        "      certificate-authority-data: " +
                        base64_encode("CA PEM") + "\n",
                    "      token: t0k\n      as: jane\n      as-uid: 7\n      as-groups: [a, b]\n"
                    "      as-user-extra: {scopes: [x, y]}\n"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://api:6443/prefix");
  EXPECT_EQ(config->tls_server_name, "other");
  EXPECT_EQ(config->proxy_url, "socks5://p:1080");
  EXPECT_EQ(config->ca_data, "CA PEM");
  EXPECT_EQ(config->token, "t0k");
  EXPECT_EQ(config->namespace_name, "team");
  EXPECT_EQ(config->impersonate.user, "jane");
  EXPECT_EQ(config->impersonate.uid, "7");
  EXPECT_THAT(config->impersonate.groups, ElementsAre("a", "b"));
  EXPECT_THAT(config->impersonate.extra, ElementsAre(Pair("scopes", ElementsAre("x", "y"))));
}

TEST(Kubeconfig, API_91_JsonIsReadToo) {
  const auto config = parse(
      R"({"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":)"
      R"({"cluster":"k","user":"u"}}],"clusters":[{"name":"k","cluster":{"server":"https://h",)"
      R"("insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{"username":"a","password":"b"}}]})");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_TRUE(config->insecure_skip_tls_verify);
  EXPECT_EQ(config->username, "a");
  EXPECT_EQ(config->password, "b");
  EXPECT_EQ(config->namespace_name, "default");
}

struct BadFile {
  const char* name;
  std::string cluster;
  std::string user;
  const char* message;
};

class KubeconfigRule : public testing::TestWithParam<BadFile> {};

TEST_P(KubeconfigRule, IsRefusedWithOneLine) {
  const auto config = parse(file_of(GetParam().cluster, GetParam().user), "/nowhere");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.status().code(), Code::invalid_argument);
  const std::string message = config.status().message();
  EXPECT_THAT(message,
              AllOf(testing::StartsWith("kubeconfig /etc/k/config: "),
                    HasSubstr(GetParam().message), Not(HasSubstr("\n")), Not(HasSubstr("s3cr3t"))));
}

const std::string kExec = "      exec:\n        command: get-token\n";
const std::string kExecV1 = "        apiVersion: client.authentication.k8s.io/v1\n";

INSTANTIATE_TEST_SUITE_P(
    All, KubeconfigRule,
    testing::Values(
        BadFile{"API_94_NoServer", "", "", "has no server"},
        BadFile{"API_94_CaTwice",
                std::string(kServer) +
                    "      certificate-authority: ca.pem\n      certificate-authority-data: QQ==\n",
                "", "both certificate-authority and certificate-authority-data"},
        BadFile{"API_94_CertTwice", kServer,
                "      client-certificate: a\n      client-certificate-data: QQ==\n",
                "both client-certificate and"},
        BadFile{"API_94_KeyTwice", kServer, "      client-key: a\n      client-key-data: QQ==\n",
                "both client-key and"},
        BadFile{"API_94_CertWithoutKey", kServer, "      client-certificate-data: QQ==\n",
                "without a key"},
        BadFile{"API_94_UnreadableCa",
                std::string(kServer) + "      certificate-authority: ca.pem\n", "",
                "cannot read /nowhere/ca.pem"},
        BadFile{"API_79_UnreadableToken", kServer, "      tokenFile: token\n",
                "cannot read /nowhere/token"},
        BadFile{"CaNoBase64", std::string(kServer) + "      certificate-authority-data: '%%%'\n",
                "", "is not base64"},
        BadFile{
            "InsecureWithCa",
            std::string(kServer) +
                "      insecure-skip-tls-verify: true\n      certificate-authority-data: QQ==\n",
            "", "remove one of them"},
        BadFile{"BadFlag", std::string(kServer) + "      insecure-skip-tls-verify: maybe\n", "",
                "must be true or false"},
        BadFile{"API_92_BadProxy", std::string(kServer) + "      proxy-url: ftp://x\n", "",
                "proxy-url must begin with"},
        BadFile{"BadScheme", "      server: ftp://x\n", "", "must begin with https://"},
        BadFile{"TwoMethods", kServer, "      token: s3cr3t\n      username: u\n",
                "both a token and username/password"},
        BadFile{"GroupsWithoutUser", kServer, "      as-groups: [a]\n", "without as"},
        BadFile{"AuthProvider", kServer, "      auth-provider: {name: gcp}\n",
                "auth-provider is not supported"},
        BadFile{"API_86_ExecAndProvider", kServer, "      auth-provider: {name: gcp}\n" + kExec,
                "both auth-provider and exec"},
        BadFile{"API_86_NoCommand", kServer, "      exec:\n" + kExecV1, "exec needs a command"},
        BadFile{"API_86_NoVersion", kServer, kExec, "exec.apiVersion"},
        BadFile{"API_86_OldVersion", kServer,
                kExec + "        apiVersion: client.authentication.k8s.io/v1alpha1\n",
                "exec.apiVersion"},
        BadFile{"API_86_ModeMissing", kServer, kExec + kExecV1, "interactiveMode must be"},
        BadFile{"API_86_BadMode", kServer, kExec + kExecV1 + "        interactiveMode: Sometimes\n",
                "interactiveMode must be"},
        BadFile{
            "API_86_EnvWithoutName", kServer,
            kExec + kExecV1 + "        interactiveMode: Never\n        env: [{value: s3cr3t}]\n",
            "has no name"},
        BadFile{"TokenIsAMap", kServer, "      token: {s3cr3t: 1}\n", "token must be a text"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Kubeconfig, BrokenFilesNameThePlaceAndNoSecret) {
  for (const std::string& text :
       std::vector<std::string>{"token: s3cr3t: [", "\t- s3cr3t", "- a\n- b", "just s3cr3t", "",
                                "apiVersion: v2\nkind: Config\n", "kind: Pod\n",
                                "contexts: 7\ncurrent-context: c\n", "contexts: [s3cr3t]\n",
                                "clusters: [{name: k, cluster: s3cr3t}]\ncurrent-context: c\n"
                                "contexts: [{name: c, context: {cluster: k}}]\n",
                                std::string("\0\xff\xfe", 3)}) {
    const auto config = parse(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_THAT(config.status().message(),
                AllOf(HasSubstr("/etc/k/config"), Not(HasSubstr("s3cr3t")), Not(HasSubstr("\n"))));
  }
}

TEST(Kubeconfig, API_99_ContextsAreNotGuessed) {
  const std::string tail =
      "clusters: [{name: k, cluster: {server: https://h}}]\nusers: [{name: u, user: {}}]\n";
  const std::string one = "contexts: [{name: a, context: {cluster: k, user: u}}]\n";
  EXPECT_TRUE(parse(one + tail).ok());
  const auto two = parse(
      "contexts: [{name: a, context: {cluster: k}}, {name: b, context: {cluster: k}}]\n" + tail);
  EXPECT_THAT(two.status().message(), HasSubstr("set current-context"));
  EXPECT_THAT(parse(tail).status().message(), HasSubstr("no contexts"));
  EXPECT_THAT(parse("current-context: x\n" + one + tail).status().message(),
              HasSubstr("\"x\" is not among the contexts"));
  EXPECT_THAT(parse("contexts: [{name: a, context: {cluster: z}}]\n" + tail).status().message(),
              HasSubstr("cluster \"z\""));
  EXPECT_THAT(
      parse("contexts: [{name: a, context: {cluster: k, user: z}}]\n" + tail).status().message(),
      HasSubstr("user \"z\""));
  EXPECT_THAT(parse(one + "clusters: [{name: k}, {name: k}]\n").status().message(),
              HasSubstr("are called \"k\""));
}

TEST(Kubeconfig, API_98_CredentialsStayAwayFromPlainHttp) {
  const auto config = parse(file_of("      server: http://h:8080\n", "      token: t\n"));
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->token, "");
}

TEST(Kubeconfig, API_2_BareAddressTakesTheSchemeFromTlsSettings) {
  EXPECT_EQ(parse(file_of("      server: h:80\n", ""))->server, "http://h:80");
  EXPECT_EQ(
      parse(file_of("      server: h:80\n      insecure-skip-tls-verify: true\n", ""))->server,
      "https://h:80");
}

TEST(Kubeconfig, API_95_RelativePathsBelongToTheFile) {
  TestFolder folder;
  folder.write("ca.pem", "CA");
  folder.write("token", " file-token\n");
  const std::string path =
      folder.write("config", file_of(std::string(kServer) + "      certificate-authority: ca.pem\n",
                                     "      tokenFile: token\n      token: old\n"));
  const auto config = load_kubeconfig(path);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->ca_file, folder.path() + "/ca.pem");
  EXPECT_EQ(config->token_file, folder.path() + "/token");
}

TEST(Kubeconfig, API_87_CommandPaths) {
  const auto command = [](const std::string& text) {
    const auto config = parse(file_of(kServer, "      exec:\n        command: " + text + "\n" +
                                                   kExecV1 + "        interactiveMode: Never\n"));
    EXPECT_TRUE(config.ok()) << config.status().message();
    return config->exec->command;
  };
  EXPECT_EQ(command("bin/tool"), "/etc/k/bin/tool");
  EXPECT_EQ(command("./tool"), "/etc/k/./tool");
  EXPECT_EQ(command("tool"), "tool");
  EXPECT_EQ(command("/opt/tool"), "/opt/tool");
}

TEST(Kubeconfig, API_88_90_ExecDetails) {
  const std::string exec =
      kExec +
      "        apiVersion: client.authentication.k8s.io/v1beta1\n        args: [a, '1']\n"
      "        env: [{name: A, value: b}]\n        provideClusterInfo: true\n        installHint: "
      "apt\n";
  const std::string cluster =
      std::string(kServer) +
      "      extensions:\n      - name: client.authentication.k8s.io/exec\n"
      "        extension: {audience: x, n: 5, yes: true, text: '5', list: [1, a], none: null}\n";
  const auto config = parse(file_of(cluster, exec));
  ASSERT_TRUE(config.ok()) << config.status().message();
  ASSERT_TRUE(config->exec.has_value());
  EXPECT_EQ(config->exec->interactive_mode, "IfAvailable");
  EXPECT_THAT(config->exec->args, ElementsAre("a", "1"));
  EXPECT_THAT(config->exec->env, ElementsAre(Pair("A", "b")));
  EXPECT_EQ(config->exec->cluster_config_json,
            R"({"audience":"x","n":5,"yes":true,"text":"5","list":[1,"a"],"none":null})");
  EXPECT_FALSE(parse(file_of(kServer, exec + "      token: t\n"))->exec.has_value());
}

// An alias may stand within its own anchor: the text is short, the tree has no end.
TEST(Kubeconfig, API_88_AnExtensionWithoutEndIsRefused) {
  const std::string exec = kExec +
                           "        apiVersion: client.authentication.k8s.io/v1beta1\n"
                           "        provideClusterInfo: true\n";
  const std::string cluster = std::string(kServer) +
                              "      extensions:\n      - name: client.authentication.k8s.io/exec\n"
                              "        extension: &a {b: [*a, *a]}\n";
  const auto config = parse(file_of(cluster, exec));
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), HasSubstr("nests too deep"));
}

TEST(Kubeconfig, API_96_ExplicitPathMustExist) {
  ConfigOptions options;
  options.kubeconfig = "/does/not/exist";
  const auto config = load_config(options);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(),
              AllOf(HasSubstr("/does/not/exist"), HasSubstr("--kubeconfig")));
  options.kubeconfig = "/tmp";
  EXPECT_THAT(load_config(options).status().message(), HasSubstr("not a regular file"));
}

TEST(Kubeconfig, HOST_91_MasterOverridesTheServer) {
  EXPECT_EQ(parse(file_of(kServer, "      token: t\n"), "/", "https://other:1/")->server,
            "https://other:1");
  EXPECT_EQ(parse("apiVersion: v1\nkind: Config\n", "/", "https://other:1")->server,
            "https://other:1");
  ConfigOptions options;
  options.master = "127.0.0.1:8080";
  EXPECT_EQ(load_config(options)->server, "http://127.0.0.1:8080");
  options.master = "ftp://h";
  EXPECT_EQ(load_config(options).status().code(), Code::invalid_argument);
}

ClusterEnvironment environment_of(std::map<std::string, std::string> variables,
                                  const std::string& directory) {
  ClusterEnvironment environment;
  environment.env = [variables](std::string_view name) {
    const auto found = variables.find(std::string(name));
    return found == variables.end() ? std::string() : found->second;
  };
  environment.directory = directory;
  return environment;
}

TEST(InCluster, API_77_EnvironmentAndFiles) {
  TestFolder folder;
  folder.write("token", "abc\n");
  folder.write("namespace", "kube-system\n");
  std::map<std::string, std::string> variables{{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                                               {"KUBERNETES_SERVICE_PORT", "443"}};
  const auto config = in_cluster_config(environment_of(variables, folder.path()));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->token, "abc");
  EXPECT_EQ(config->token_file, folder.path() + "/token");
  EXPECT_EQ(config->ca_file, folder.path() + "/ca.crt");
  EXPECT_TRUE(config->ca_file_optional);
  EXPECT_EQ(config->namespace_name, "kube-system");
  variables["POD_NAMESPACE"] = "mine";
  EXPECT_EQ(in_cluster_config(environment_of(variables, folder.path()))->namespace_name, "mine");
}

TEST(InCluster, API_77_WhatIsMissingIsNamed) {
  TestFolder folder;
  const auto outside = load_config({}, environment_of({}, folder.path()));
  EXPECT_THAT(outside.status().message(),
              AllOf(HasSubstr("KUBERNETES_SERVICE_HOST"), HasSubstr("--kubeconfig")));
  const auto no_token = in_cluster_config(environment_of(
      {{"KUBERNETES_SERVICE_HOST", "h"}, {"KUBERNETES_SERVICE_PORT", "1"}}, folder.path()));
  EXPECT_THAT(no_token.status().message(), HasSubstr(folder.path() + "/token"));
}

TEST(ClientConfig, HOST_131_AnonymousKeepsServerAndTrustOnly) {
  const auto config =
      parse(file_of(std::string(kServer) + "      certificate-authority-data: QQ==\n",
                    "      token: t\n      as: jane\n"));
  const ClientConfig bare = config->anonymous();
  EXPECT_EQ(bare.server, config->server);
  EXPECT_EQ(bare.ca_data, "A");
  EXPECT_EQ(bare.token, "");
  EXPECT_EQ(bare.impersonate.user, "");
}

// kubectl reads them, too.
TEST(Kubeconfig, MergeKeysAreFollowed) {
  const auto config = parse(R"(
x-user: &user {token: t, as: jane, as-user-extra: &extra {scopes: [view]}}
x-exec: &exec {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}
current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters:
- &first {name: other, cluster: &cluster {server: "https://other", tls-server-name: name}}
- {name: k, cluster: {<<: *cluster, server: "https://k"}}
users:
- {name: u, user: {<<: [*user, {token: not-this-one}], as: joe, as-user-extra: {<<: *extra, more: [x]}}}
)");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://k");
  EXPECT_EQ(config->tls_server_name, "name");
  EXPECT_EQ(config->token, "t");
  EXPECT_EQ(config->impersonate.user, "joe");
  EXPECT_EQ(config->impersonate.extra,
            (decltype(config->impersonate.extra){{"more", {"x"}}, {"scopes", {"view"}}}));
  const auto exec = parse(R"(
x-exec: &exec {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never,
               provideClusterInfo: true}
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters:
- name: k
  cluster:
    server: https://k
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {<<: {audience: a, "<<": 1}, audience: b}
users: [{name: u, user: {exec: {<<: *exec, command: helper}}}]
)");
  ASSERT_TRUE(exec.ok()) << exec.status().message();
  EXPECT_EQ(exec->exec->command, "helper");
  EXPECT_EQ(exec->exec->cluster_config_json, R"({"audience":"b","<<":1})");
}

TEST(Kubeconfig, MergeKeysThatCannotBeFollowedAreRefused) {
  const auto refusal = [](const std::string& user, const std::string& before = "") {
    return parse(before +
                 "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                 "clusters: [{name: k, cluster: {server: \"https://k\"}}]\n"
                 "users: [{name: u, user: " +
                 user + "}]\n")
        .status()
        .message();
  };
  EXPECT_THAT(refusal("{<<: secret}"), HasSubstr("line 3: << merges maps only"));
  EXPECT_THAT(refusal("&a {<<: *a}"), HasSubstr("merge keys nest too deep"));
  EXPECT_EQ(refusal("{<<: secret}").find("secret"), std::string::npos);
  std::string bomb = "a0: &a0 {x: x}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + before + ", " +
            before + "]}\n";
  }
  EXPECT_THAT(refusal("{<<: *a29}", bomb), HasSubstr("too many merged members"));
}

}  // namespace
}  // namespace ccm::kube
