#include "aws/api/call.hpp"
#include "aws/api/listing_limits.hpp"
#include "aws/credentials/assumed_role.hpp"
#include "aws/credentials/container_keys.hpp"
#include "provider_fixture.hpp"

#include <ccm/testing/fake_process.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::aws {
namespace {

using testing::FakeHttp;

const std::string kStsAnswer =
    "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA1</AccessKeyId>"
    "<SecretAccessKey>s-key-1234</SecretAccessKey><SessionToken>t-token-1234</SessionToken>"
    "<Expiration>2026-01-01T01:15:00.123Z</Expiration></Credentials></AssumeRoleResult>"
    "</AssumeRoleResponse>";
const std::string kJsonKeys =
    R"({"Code":"Success","AccessKeyId":"ASIA2","SecretAccessKey":"s-key-5678","Token":"t-token-5678",
        "Expiration":"2026-01-01T06:00:00Z"})";

class AwsStartTest : public AwsProviderTest {
 protected:
  using Variables = Environment::Variables;
  // Without keys in the environment.
  void keys_from(Variables more) {
    Variables& all = TestProvider::variables();
    all.erase("AWS_ACCESS_KEY_ID");
    all.erase("AWS_SECRET_ACCESS_KEY");
    all.erase("AWS_EC2_METADATA_DISABLED");
    for (auto& [name, value] : more) all[name] = value;
  }
  static std::string header(const HttpRequest& request, std::string_view name) {
    for (const HttpHeader& header : request.headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }
  // Whose keys signed the last call.
  std::string signer() {
    const std::string text = header(host.http.requests().back(), "authorization");
    const size_t begin = text.find("Credential=") + 11;
    return text.substr(begin, text.find('/') - begin);
  }
  // The metadata service of instance 7, with a token check.
  void metadata_answers() {
    other = [this](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
      const std::string base = "http://169.254.169.254/";
      if (!request.url.starts_with(base)) return std::nullopt;
      const std::string path = request.url.substr(base.size());
      if (path == "latest/api/token") {
        ++tokens;
        const bool life = header(request, "x-aws-ec2-metadata-token-ttl-seconds") == "300";
        return text(request.method == "PUT" && life ? 200 : 400, "token-" + std::to_string(tokens));
      }
      if (header(request, "x-aws-ec2-metadata-token") != "token-" + std::to_string(tokens)) {
        return text(401, "");
      }
      const auto found = metadata.find(path);
      return found == metadata.end() ? text(404, "") : text(200, found->second);
    };
  }
  int tokens = 0;
  std::map<std::string, std::string> metadata{
      {"latest/meta-data/placement/region", "us-east-1"},
      {"latest/meta-data/instance-id", "i-00000000000000007\n"},
      {"latest/meta-data/iam/security-credentials/", "nodes"},
      {"latest/meta-data/iam/security-credentials/nodes", kJsonKeys}};
};

TEST_F(AwsStartTest, AWS_31_33_CallsAreSigned) {
  start();
  EXPECT_EQ(signer(), "AKIDEXAMPLE");
  const HttpRequest call = host.http.requests().back();
  EXPECT_EQ(call.url, "http://aws/");
  EXPECT_EQ(header(call, "user-agent").find("aws-cloud-controller-manager/"), 0u);
  EXPECT_TRUE(call.read_only) << "a standby may ask";
}

TEST_F(AwsStartTest, AWS_6_7_AStartIsOneReadAndAsksNothingThatIsConfigured) {
  TestProvider::variables().erase("AWS_EC2_METADATA_DISABLED");
  ASSERT_TRUE(make().initialize().ok());
  ASSERT_EQ(host.http.requests().size(), 1u) << "not the metadata service";
  EXPECT_EQ(host.http.requests().front().url, "http://aws/");
  EXPECT_EQ(cloud.calls("DescribeAvailabilityZones"), 1u);
}

TEST_F(AwsStartTest, AWS_28_KeysThatAreRefusedAreNotFollowedByTheNextPlace) {
  TestProvider::variables()["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/token";
  TestProvider::variables()["AWS_ROLE_ARN"] = "arn:r";
  host.files.set("/token", "a.b.c");
  cloud.faults.push_back({"", 100, 403, "InvalidClientTokenId", "The token is invalid."});
  EXPECT_EQ(make().initialize().error_class(), ErrorClass::auth);
  for (const HttpRequest& request : host.http.requests()) {
    EXPECT_EQ(request.body.find("WithWebIdentity"), std::string::npos);
  }
}

TEST_F(AwsStartTest, KeysThatAreRefusedShowAtOnce) {
  cloud.faults.push_back({"", 1, 403, "SignatureDoesNotMatch", "The signature does not fit."});
  const Status status = make().initialize();
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  EXPECT_EQ(status.message(),
            "DescribeAvailabilityZones: AWS answered 403 SignatureDoesNotMatch: The signature does "
            "not fit. (request r-1)");
}

TEST_F(AwsStartTest, AWS_12_TheRegion) {
  host.config.set_cloud_config("[Global]\nVPC = vpc-1\nKubernetesClusterID = c1\n");
  EXPECT_EQ(refusal(),
            "no region: neither [Global] Region nor Zone in --cloud-config nor AWS_REGION is set, "
            "and access disabled to EC2 IMDS: AWS_EC2_METADATA_DISABLED is set");
  TestProvider::variables()["AWS_REGION"] = "eu-west-3";
  start();
  EXPECT_NE(header(host.http.requests().back(), "authorization").find("/eu-west-3/ec2/"),
            std::string::npos);
  host.config.set_cloud_config(
      "[Global]\nZone = us-west-2a\nRegion = x\nVPC = vpc-1\n"
      "KubernetesClusterID = c1\n");
  start();
  EXPECT_NE(header(host.http.requests().back(), "authorization").find("/us-west-2/ec2/"),
            std::string::npos);
}

TEST_F(AwsStartTest, AWS_13_26_29_AllFromTheMetadataService) {
  metadata_answers();
  keys_from({});
  cloud.add_machine(7).tags["kubernetes.io/cluster/c1"] = "whatever";
  host.config.set_cloud_config("");
  start();
  EXPECT_EQ(signer(), "ASIA2");
  EXPECT_EQ(tokens, 1) << "one token for all";
  const auto list = provider->list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(cloud.journal().front().at("Filter.1.Value.1"), "vpc-1");
}

TEST_F(AwsStartTest, AWS_29_ATokenThatIsRefusedIsRenewed) {
  metadata_answers();
  keys_from({});
  cloud.add_machine(7);
  host.config.set_cloud_config("[Global]\nVPC = vpc-1\n");
  start();
  // The service was restarted and knows no token.
  tokens += 10;
  host.loop.advance(std::chrono::milliseconds(6 * 3'600'000 - 240'000));
  EXPECT_TRUE(provider->list().ok());
}

TEST_F(AwsStartTest, AWS_4_26_TagsOfTheInstance) {
  metadata_answers();
  aws_api::Machine& self = cloud.add_machine(7);
  host.config.set_cloud_config("");
  TestProvider::variables().erase("AWS_EC2_METADATA_DISABLED");
  self.tags = {};
  EXPECT_EQ(refusal().find("AWS cloud failed to find ClusterID: instance i-00000000000000007"), 0u);
  self.tags = {{"kubernetes.io/cluster/a", "owned"}, {"kubernetes.io/cluster/b", "shared"}};
  EXPECT_EQ(refusal().find("Found multiple cluster tags with prefix kubernetes.io/cluster/"), 0u);
  self.tags = {{"KubernetesCluster", "a"}};
  EXPECT_TRUE(make().initialize().ok());
}

TEST_F(AwsStartTest, AWS_16_ARoleOfTheCloudConfig) {
  host.config.set_cloud_config(
      "[Global]\nRegion=us-east-1\nVPC=vpc-1\nKubernetesClusterID=c1\n"
      "RoleARN=arn:aws:iam::123456789012:role/x\nSourceARN=arn:aws:eks:y\n");
  std::vector<HttpRequest> asked;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.body.find("Action=AssumeRole&") == std::string::npos) return std::nullopt;
    asked.push_back(request);
    return text(200, kStsAnswer);
  };
  start();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(header(asked[0], "x-amz-source-account"), "123456789012");
  EXPECT_EQ(header(asked[0], "x-amz-source-arn"), "arn:aws:eks:y");
  EXPECT_NE(header(asked[0], "authorization").find("Credential=AKIDEXAMPLE/"), std::string::npos);
  EXPECT_EQ(signer(), "ASIA1");
  EXPECT_EQ(header(host.http.requests().back(), "x-amz-security-token"), "t-token-1234");
  EXPECT_EQ(account_of("no arn"), "");
}

TEST_F(AwsStartTest, AWS_27_WebIdentity) {
  keys_from({{"AWS_WEB_IDENTITY_TOKEN_FILE", "/token"},
             {"AWS_ROLE_ARN", "arn:r"},
             {"AWS_ROLE_SESSION_NAME", "me"}});
  host.files.set("/token", "a.b.c\n");
  std::string body;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.body.find("WithWebIdentity") == std::string::npos) return std::nullopt;
    body = request.body;
    EXPECT_EQ(header(request, "authorization"), "");
    std::string answer = kStsAnswer;
    for (size_t at; (at = answer.find("AssumeRoleRes")) != std::string::npos;) {
      answer.replace(at, 10, "AssumeRoleWithWebIdentity");
    }
    return text(200, answer);
  };
  start();
  EXPECT_EQ(body,
            "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Ar"
            "&RoleSessionName=me&WebIdentityToken=a.b.c");
  EXPECT_EQ(signer(), "ASIA1");
  TestProvider::variables().erase("AWS_ROLE_ARN");
  EXPECT_EQ(refusal(), "AWS_WEB_IDENTITY_TOKEN_FILE is set, but not AWS_ROLE_ARN");
}

TEST_F(AwsStartTest, AWS_27_ContainerEndpoints) {
  keys_from({{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.23/v1/credentials"},
             {"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "/pod-token"}});
  host.files.set("/pod-token", "pod-secret-1\n");
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.url != "http://169.254.170.23/v1/credentials") return std::nullopt;
    EXPECT_EQ(header(request, "authorization"), "pod-secret-1");
    return text(200, kJsonKeys);
  };
  start();
  EXPECT_EQ(signer(), "ASIA2");
  EXPECT_FALSE(host.log.contains("pod-secret-1"));
}

TEST(AwsContainerUrlTest, AWS_27_NoKeysInTheClear) {
  for (const char* url :
       {"https://anywhere.example/x", "http://127.0.0.1:80/x", "http://localhost/x",
        "http://169.254.170.2/x", "http://[fd00:ec2::23]/x"}) {
    EXPECT_TRUE(check_container_url(url).ok()) << url;
  }
  for (const char* url : {"http://10.0.0.1/", "http://127.0.0.1.example/", "ftp://127.0.0.1/",
                          "http://127.0.0.1@evil.example/", "http://169.254.170.2.example/"}) {
    EXPECT_FALSE(check_container_url(url).ok()) << url;
  }
}

TEST_F(AwsStartTest, AWS_27_ProfilesOfTheSharedFiles) {
  keys_from({{"HOME", "/home/u"}, {"AWS_PROFILE", "p"}});
  EXPECT_EQ(refusal(), "profile p: is in neither of the shared files");
  host.files.set("/home/u/.aws/credentials",
                 "[p]\naws_access_key_id=AKIDP\n"
                 "aws_secret_access_key=p-secret-key\n");
  start();
  EXPECT_EQ(signer(), "AKIDP");
  EXPECT_FALSE(host.log.contains("p-secret-key"));
  host.files.set("/home/u/.aws/config",
                 "[profile q]\ncredential_process = /bin/keys\n"
                 "[profile s]\nsso_session = x\n"
                 "[profile a]\nsource_profile=b\nrole_arn=r\n"
                 "[profile b]\nsource_profile=a\nrole_arn=r\n"
                 "[profile n]\ncredential_source=Nowhere\nrole_arn=r\n"
                 "[profile r]\nsource_profile=p\nrole_arn=arn:r\n");
  TestProvider::variables()["AWS_PROFILE"] = "q";
  EXPECT_EQ(refusal(),
            "DescribeAvailabilityZones: AWS credentials (credential_process of profile q): this "
            "host does not offer run of draft.ccm.host.process/1");
  TestProvider::variables()["AWS_PROFILE"] = "s";
  EXPECT_EQ(refusal().find("profile s: SSO needs somebody who logs in"), 0u);
  TestProvider::variables()["AWS_PROFILE"] = "a";
  EXPECT_NE(refusal().find("source_profile goes round in a circle"), std::string::npos);
  TestProvider::variables()["AWS_PROFILE"] = "n";
  EXPECT_NE(refusal().find("credential_source is none of"), std::string::npos);
  TestProvider::variables()["AWS_PROFILE"] = "r";
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.body.find("Action=AssumeRole&") == std::string::npos) return std::nullopt;
    EXPECT_NE(header(request, "authorization").find("Credential=AKIDP/"), std::string::npos);
    EXPECT_EQ(header(request, "x-amz-source-account"), "");
    return text(200, kStsAnswer);
  };
  start();
  EXPECT_EQ(signer(), "ASIA1");
}

TEST_F(AwsStartTest, AWS_29_WhatTheMetadataServiceSaysBecomesNoAddressAndNoHeader) {
  metadata_answers();
  keys_from({});
  host.config.set_cloud_config("[Global]\nVPC = vpc-1\nKubernetesClusterID = c1\n");
  metadata["latest/meta-data/placement/region"] = "us-east-1@evil.example/#";
  EXPECT_NE(refusal().find("the instance metadata service says none"), std::string::npos);
  metadata["latest/meta-data/placement/region"] = "us-east-1";
  host.config.set_cloud_config("[Global]\nRegion = us-east-1\n");
  metadata["latest/meta-data/instance-id"] = "i-1\nE: all is lost";
  EXPECT_NE(refusal().find("has an instance-id that is none"), std::string::npos);
  const auto right = other;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.method == "PUT") return text(200, "two\r\nheaders: yes");
    return right(request);
  };
  EXPECT_NE(refusal().find("has a token that is none"), std::string::npos) << refusal();
}

class AwsProcessKeysTest : public AwsStartTest {
 protected:
  AwsProcessKeysTest() { keys_from({{"HOME", "/h"}}); }
  static std::string keys(const std::string& id, const std::string& end) {
    return R"({"Version": 1, "AccessKeyId": ")" + id +
           R"(", "SecretAccessKey": "p-secret-key", "SessionToken": "p-session-token")" +
           (end.empty() ? "" : R"(, "Expiration": ")" + end + "\"") + "}";
  }
  void prints(std::string output) { programs.set(command, std::move(output)); }

  const std::string command = "/bin/keys --for 'a b'";

  testing::FakePrograms programs{host};
};

TEST_F(AwsProcessKeysTest, AWS_27_KeysOfAProgramAreRenewedBeforeTheyEnd) {
  host.files.set("/h/.aws/config",
                 "[default]\ncredential_process = /bin/keys --for 'a b' # of the team\n");
  prints(keys("ASIA3", "2026-01-01T02:00:00Z"));
  start();
  EXPECT_EQ(signer(), "ASIA3");
  EXPECT_EQ(header(host.http.requests().back(), "x-amz-security-token"), "p-session-token");
  ASSERT_EQ(programs.runs().size(), 1u);
  const Command asked = programs.runs().front();
  EXPECT_EQ(asked.file, "/h/.aws/config");
  EXPECT_EQ(asked.setting, "credential_process");
  EXPECT_TRUE(host.log.contains("credential_process of profile default"));
  host.loop.advance(std::chrono::minutes(90));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(programs.runs().size(), 1u) << "they hold for 13 minutes more";
  prints(keys("ASIA4", ""));
  host.loop.advance(std::chrono::minutes(9));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(signer(), "ASIA4");
  host.loop.advance(std::chrono::hours(30));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(programs.runs().size(), 2u) << "keys without an end last";
  EXPECT_FALSE(host.log.contains("p-secret-key") || host.log.contains("p-session-token"));
}

TEST_F(AwsProcessKeysTest, AWS_27_ARoleStandsOnThem) {
  host.files.set("/h/.aws/credentials", "[base]\nCredential_Process = /bin/keys --for 'a b'\n");
  host.files.set("/h/.aws/config", "[default]\nsource_profile = base\nrole_arn = arn:r\n");
  prints(keys("ASIA3", ""));
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.body.find("Action=AssumeRole&") == std::string::npos) return std::nullopt;
    EXPECT_NE(header(request, "authorization").find("Credential=ASIA3/"), std::string::npos);
    return text(200, kStsAnswer);
  };
  start();
  EXPECT_EQ(signer(), "ASIA1");
  EXPECT_EQ(programs.runs().front().file, "/h/.aws/credentials");
}

TEST_F(AwsProcessKeysTest, AWS_27_NoFailureShowsWhatTheProgramPrinted) {
  host.files.set("/h/.aws/config", "[default]\ncredential_process = /bin/keys --for 'a b'\n");
  const std::string where =
      "DescribeAvailabilityZones: AWS credentials (credential_process of profile default): ";
  prints(R"(p-secret-key is no JSON)");
  EXPECT_EQ(refusal().find(where), 0u) << refusal();
  EXPECT_EQ(refusal().find("p-secret-key"), std::string::npos);
  prints(kJsonKeys);
  EXPECT_NE(refusal().find(R"(does not say "Version": 1)"), std::string::npos) << refusal();
  prints(R"({"Version": 1, "AccessKeyId": "p-secret-key"})");
  EXPECT_NE(refusal().find("has no AccessKeyId or SecretAccessKey"), std::string::npos);
  EXPECT_EQ(refusal().find("p-secret-key"), std::string::npos);
  programs.set(command, Status(Code::failed_precondition, "/bin/keys ended with exit code 3"));
  EXPECT_EQ(refusal(), where + "/bin/keys ended with exit code 3");
}

TEST_F(AwsProcessKeysTest, AFailureOfTheProgramIsOneOfTheCredential) {
  const std::string right = "[default]\ncredential_process = /bin/keys --for 'a b'\n";
  host.files.set("/h/.aws/config", right);
  programs.set(command, Status(Code::failed_precondition, "/bin/keys ended with exit code 3"));
  Status status = make().initialize();
  EXPECT_EQ(status.code(), Code::unauthenticated);
  EXPECT_EQ(status.error_class(), ErrorClass::auth);
  EXPECT_EQ(status.reason(), "CloudCredentialRefused");
  programs.set(command, Status(Code::deadline_exceeded, "/bin/keys did not end"));
  EXPECT_EQ(make().initialize().code(), Code::deadline_exceeded);
  // Somebody writes the file while it is read.
  for (const char* half : {"", "[default]\n", "[defau", "[default]\ncredential_proc"}) {
    host.files.set("/h/.aws/config", right);
    prints(keys("ASIA3", "2026-01-01T02:00:00Z"));
    start();
    host.files.set("/h/.aws/config", half);
    host.loop.advance(std::chrono::hours(3));
    cloud.faults.push_back({"", 1, 401, "AuthFailure", "ended"});
    EXPECT_FALSE(provider->list().ok());
    status = provider->list().status();
    EXPECT_EQ(status.error_class(), ErrorClass::auth) << half << ": " << status.message();
  }
}

TEST_F(AwsProcessKeysTest, AProgramIsNotRunForEachCall) {
  host.files.set("/h/.aws/config", "[default]\ncredential_process = /bin/keys --for 'a b'\n");
  prints(keys("ASIA3", ""));
  start();
  host.loop.advance(std::chrono::minutes(1));
  cloud.faults.push_back({"", 20, 401, "AuthFailure", "no"});
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(provider->list().ok());
  EXPECT_EQ(programs.runs().size(), 2u) << "once anew, since AWS refused them";
  programs.set(command, Status(Code::failed_precondition, "/bin/keys ended with exit code 3"));
  host.loop.advance(std::chrono::seconds(6));
  for (int i = 0; i < 4; ++i) {
    const auto failed = provider->list().status();
    EXPECT_NE(failed.message().find("exit code 3"), std::string::npos) << failed.message();
  }
  EXPECT_EQ(programs.runs().size(), 3u);
  cloud.faults.clear();
  prints(keys("ASIA4", ""));
  host.loop.advance(std::chrono::seconds(6));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(signer(), "ASIA4");
  EXPECT_EQ(programs.runs().size(), 4u);
}

TEST_F(AwsStartTest, AWS_27_ARoleOfAProfileWithoutASourceStandsOnWhatIsAround) {
  metadata_answers();
  keys_from({{"HOME", "/h"}});
  host.files.set("/h/.aws/config", "[default]\nrole_arn = arn:r\n");
  std::string asked_by;
  const auto metadata_only = other;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.body.find("Action=AssumeRole&") == std::string::npos) return metadata_only(request);
    asked_by = header(request, "authorization");
    return text(200, kStsAnswer);
  };
  start();
  EXPECT_NE(asked_by.find("Credential=ASIA2/"), std::string::npos) << "the instance's keys";
  EXPECT_EQ(signer(), "ASIA1") << "not without the role";
  EXPECT_TRUE(host.log.contains("role arn:r by instance metadata"));
}

TEST_F(AwsStartTest, AWS_27_OlderNamesOfVariables) {
  keys_from({{"HOME", "/h"}, {"AWS_ACCESS_KEY", "AKIDOLD"}, {"AWS_SECRET_KEY", kSecretKey}});
  start();
  EXPECT_EQ(signer(), "AKIDOLD");
  TestProvider::variables().erase("AWS_ACCESS_KEY");
  TestProvider::variables()["AWS_DEFAULT_PROFILE"] = "p";
  EXPECT_EQ(refusal(), "profile p: is in neither of the shared files");
}

TEST_F(AwsStartTest, RotatedKeysOfAFileAreReadAgainWhenTheOldOnesAreRefused) {
  keys_from({{"HOME", "/h"}});
  const auto write = [&](const std::string& id) {
    host.files.set("/h/.aws/credentials",
                   "[default]\naws_access_key_id=" + id + "\naws_secret_access_key=p-secret-key\n");
  };
  write("AKID1");
  start();
  write("AKID2");
  cloud.faults.push_back({"", 1, 401, "AuthFailure", "no"});
  EXPECT_FALSE(provider->list().ok());
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(signer(), "AKID2");
}

TEST_F(AwsStartTest, AWS_30_KeysAreRenewedInTheBackgroundBeforeTheyEnd) {
  keys_from({{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/k"}});
  int asked = 0;
  bool down = false;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.url != "http://169.254.170.2/k") return std::nullopt;
    ++asked;
    if (down) return text(500, "down");
    std::string keys = kJsonKeys;
    keys.replace(keys.find("ASIA2"), 5, "ASIA" + std::to_string(asked + 2));
    if (asked > 1) keys.replace(keys.find("T06"), 3, "T12");
    return text(200, keys);
  };
  start();
  EXPECT_EQ(asked, 1);
  host.loop.advance(std::chrono::hours(5));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(asked, 1);
  // 2026-01-01T05:56, the host's wall clock: 5 minutes before the end.
  down = true;
  host.loop.advance(std::chrono::minutes(40));
  EXPECT_TRUE(provider->list().ok()) << "the old ones hold while they cannot be renewed";
  EXPECT_EQ(signer(), "ASIA3");
  EXPECT_GE(asked, 2);
  down = false;
  host.loop.advance(std::chrono::seconds(31));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_TRUE(provider->list().ok());
  EXPECT_NE(signer(), "ASIA3");
}

TEST_F(AwsStartTest, AWS_25_ABundleOfCas) {
  TestProvider::variables()["AWS_CA_BUNDLE"] = "/ca.pem";
  start();
  bool used = false;
  for (const HttpClientOptions& client : host.http.clients()) used |= client.ca_file == "/ca.pem";
  EXPECT_TRUE(used);
}

TEST_F(AwsStartTest, AWS_32_AWrongClockIsCorrectedAfterARefusal) {
  start();
  bool first = true;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (!first) {
      EXPECT_EQ(header(request, "x-amz-date"), "20260101T100000Z");
      return std::nullopt;
    }
    first = false;
    FakeHttp::Answer answer;
    answer.outcome = HttpResponse{400,
                                  {{"date", "Thu, 01 Jan 2026 10:00:00 GMT"}},
                                  "<Response><Errors><Error><Code>RequestExpired</Code><Message>"
                                  "Request has expired.</Message></Error></Errors></Response>"};
    return answer;
  };
  EXPECT_TRUE(provider->list().ok());
  EXPECT_FALSE(first);
}

TEST_F(AwsStartTest, AWS_16_32_ARoleIsAssumedWithAWrongClock) {
  host.config.set_cloud_config(
      "[Global]\nRegion=us-east-1\nVPC=vpc-1\nKubernetesClusterID=c1\nRoleARN=arn:r\n");
  std::vector<std::string> dates;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    dates.push_back(header(request, "x-amz-date"));
    if (request.body.find("Action=AssumeRole&") == std::string::npos) return std::nullopt;
    std::string answer = kStsAnswer;
    answer.replace(answer.find("T01:15"), 6, "T10:15");
    if (dates.size() > 1) return text(200, answer);
    FakeHttp::Answer refused;
    refused.outcome =
        HttpResponse{403,
                     {{"date", "Thu, 01 Jan 2026 10:00:00 GMT"}},
                     "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code><Message>Signature "
                     "expired: 20260101T010000Z</Message></Error></ErrorResponse>"};
    return refused;
  };
  start();
  ASSERT_GE(dates.size(), 3u);
  EXPECT_NE(dates[0], dates[1]);
  EXPECT_EQ(dates[1], "20260101T100000Z");
  EXPECT_EQ(dates[2], "20260101T100000Z") << "the next call knows";
  EXPECT_EQ(signer(), "ASIA1");
  // The keys end in a quarter of an hour, by AWS's time.
  dates.clear();
  host.loop.advance(std::chrono::minutes(5));
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(dates.size(), 1u) << "no other session";
}

TEST_F(AwsStartTest, AWS_34_36_ThrottledCallsAreTriedAgain) {
  start();
  cloud.faults.push_back({"DescribeInstances", 2});
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(cloud.calls("DescribeInstances"), 3u);
  cloud.faults.push_back({"DescribeInstances", 3});
  const Status status = provider->list().status();
  EXPECT_EQ(status.error_class(), ErrorClass::throttled);
  EXPECT_GT(status.retry_after().count(), 0);
  EXPECT_EQ(host.metrics.values("cloudprovider_aws_api_throttled_requests_total").size(), 5u);
}

TEST_F(AwsStartTest, WhoIsToldWhenToComeBackDoesNotComeBackBefore) {
  start();
  int asked = 0;
  other = [&](const HttpRequest&) -> std::optional<FakeHttp::Answer> {
    ++asked;
    FakeHttp::Answer answer;
    answer.outcome = HttpResponse{429, {{"retry-after", "7"}}, "{}"};
    return answer;
  };
  const Status status = provider->list().status();
  EXPECT_EQ(status.error_class(), ErrorClass::throttled);
  EXPECT_EQ(status.retry_after(), std::chrono::seconds(7));
  EXPECT_EQ(asked, 1);
}

TEST_F(AwsStartTest, AWS_8_EveryCallIsCounted) {
  start();
  const auto count = [this](const char* metric) {
    return host.metrics.values(std::string("cloudprovider_aws_api_") + metric).size();
  };
  const size_t before = count("request_duration_seconds");
  ASSERT_TRUE(provider->list().ok());
  EXPECT_EQ(count("request_duration_seconds"), before + cloud.calls());
  EXPECT_EQ(count("request_errors"), 0u);
  cloud.faults.push_back({"DescribeInstances", 1, 403, "UnauthorizedOperation", "no"});
  ASSERT_FALSE(provider->list().ok());
  EXPECT_EQ(count("request_errors"), 1u);
  EXPECT_EQ(count("response_status_total"), 1u);
  EXPECT_EQ(count("throttled_requests_total"), 0u);
}

TEST_F(AwsStartTest, AnAnswerThatIsNoneOfAwsIsAFailure) {
  start();
  for (const std::string body :
       {"", "<a>", "<html><body>Please log in</body></html>",
        "<DescribeInstancesResponse><reservationSet><item><instancesSet><item/></instancesSet>"
        "</item></reservationSet></DescribeInstancesResponse>"}) {
    other = [&](const HttpRequest&) -> std::optional<FakeHttp::Answer> { return text(200, body); };
    const Status status = provider->list().status();
    EXPECT_EQ(status.code(), Code::data_loss) << body;
    EXPECT_EQ(status.message().find("DescribeInstances: AWS's answer"), 0u) << status.message();
  }
  other = [&](const HttpRequest&) -> std::optional<FakeHttp::Answer> {
    return text(200,
                "<DescribeInstancesResponse><reservationSet/><nextToken>again</nextToken>"
                "</DescribeInstancesResponse>");
  };
  EXPECT_EQ(provider->list().status().message(),
            "DescribeInstances: AWS's answer has pages without an end");
}

TEST_F(AwsStartTest, AnAnswerWithoutItsListIsNoEmptyListing) {
  start();
  for (const std::string inside :
       {"", "<requestId>r-1</requestId>", "<requestId>r-1</requestId><nextToken>t</nextToken>"}) {
    other = [&](const HttpRequest&) -> std::optional<FakeHttp::Answer> {
      return text(200, "<DescribeInstancesResponse>" + inside + "</DescribeInstancesResponse>");
    };
    EXPECT_EQ(provider->list().status().code(), Code::data_loss) << inside;
  }
  other = [](const HttpRequest&) -> std::optional<FakeHttp::Answer> {
    return text(200, "<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>");
  };
  EXPECT_TRUE(provider->list().ok());
}

TEST(AwsAnswerTest, WhatALoadBalancersAnswerHasToHave) {
  const auto answers = [](const std::string& action, const std::string& inside) {
    const auto document =
        XmlDocument::parse("<" + action + "Response>" + inside + "</" + action + "Response>");
    return Answer(*document).answers(Call{Api::elbv2, action});
  };
  const std::string id = "<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>";
  EXPECT_FALSE(answers("DescribeTags", id));
  EXPECT_FALSE(answers("DescribeTags", "<DescribeTagsResult/>" + id));
  EXPECT_FALSE(answers("DescribeTags", "<DescribeRulesResult><Rules/></DescribeRulesResult>" + id));
  EXPECT_TRUE(
      answers("DescribeTags", "<DescribeTagsResult><TagDescriptions/></DescribeTagsResult>" + id));
  EXPECT_TRUE(answers("DeleteListener", "<DeleteListenerResult/>" + id)) << "it asks for nothing";
}

TEST_F(AwsStartTest, PagesThatRepeatHaveAnEnd) {
  start();
  int asked = 0;
  other = [&](const HttpRequest&) -> std::optional<FakeHttp::Answer> {
    return text(200, "<DescribeInstancesResponse><reservationSet/><nextToken>" +
                         std::string(++asked % 2 == 0 ? "even" : "odd") +
                         "</nextToken></DescribeInstancesResponse>");
  };
  EXPECT_EQ(provider->list().status().message(),
            "DescribeInstances: AWS's answer has pages without an end");
  EXPECT_EQ(asked, 3);
}

TEST(AwsListingLimitsTest, AllPagesTogether) {
  const auto pages = [](size_t bytes) {
    ListingLimits limits;
    size_t count = 1;
    while (limits.allows(bytes, std::to_string(count))) ++count;
    return count;
  };
  EXPECT_EQ(pages(1), 1'000U);
  EXPECT_EQ(pages(16u << 20), 64U) << "1 GiB";
  ListingLimits limits;
  for (const char* token : {"a", "b"}) EXPECT_TRUE(limits.allows(1, token));
  EXPECT_FALSE(limits.allows(1, "a")) << "not the last one alone";
}

TEST_F(AwsStartTest, APageThatIsTooLargeIsAskedForInSmallerOnes) {
  for (int i = 1; i <= 600; ++i) cloud.add_machine(i);
  for (int i = 0; i < 900; ++i) cloud.more_of_each += "<a/>";  // 540,000 elements
  start();
  const auto all = provider->list();
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(all->instances.size(), 600U);
  EXPECT_EQ(cloud.calls("DescribeInstances"), 3U) << "1,000, 500, 500";
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(cloud.calls("DescribeInstances"), 5U) << "what fits is remembered";
  // As small as EC2 takes them, and then it is a failure.
  std::string last;
  other = [&](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    last = request.body;
    FakeHttp::Answer answer;
    answer.outcome = Status(Code::resource_exhausted, "the body is larger than 16777216 bytes");
    return answer;
  };
  const Status status = provider->list().status();
  EXPECT_EQ(status.code(), Code::data_loss);
  EXPECT_EQ(status.reason(), "AnswerTooLarge");
  EXPECT_TRUE(last.ends_with("MaxResults=5")) << last;
}

TEST_F(AwsStartTest, ALaterPageThatIsBeyondTheHostsLimitMakesTheNextListingSmaller) {
  for (int i = 1; i <= 1'200; ++i) cloud.add_machine(i);
  start();
  other = [](const HttpRequest& request) -> std::optional<FakeHttp::Answer> {
    if (request.body.find("NextToken=") == std::string::npos) return std::nullopt;
    if (request.body.find("MaxResults=1000") == std::string::npos) return std::nullopt;
    FakeHttp::Answer answer;
    answer.outcome = Status(Code::resource_exhausted, "the body is larger than 16777216 bytes");
    return answer;
  };
  const Status status = provider->list().status();
  EXPECT_EQ(status.error_class(), ErrorClass::unavailable) << "so that the host tries again";
  EXPECT_EQ(status.reason(), "AnswerTooLarge");
  const auto again = provider->list();
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->instances.size(), 1'200U) << "each once";
}

TEST_F(AwsStartTest, Issue43_AChangedCloudConfigCountsAtOnce) {
  const std::string before =
      "[Global]\nRegion = us-east-1\nVPC = vpc-1\nKubernetesClusterID = c1\n";
  cloud.add_machine(1).cards[0].ipv6_addresses = {"2001:db8::1"};
  start();
  EXPECT_EQ(provider->list()->instances[0].addresses[0].address, "10.0.0.1");
  host.config.change_cloud_config(before + "NodeIPFamilies = ipv6\n");
  host.loop.run();
  EXPECT_EQ(host.config.accepted(), 1);
  EXPECT_EQ(provider->list()->instances[0].addresses[0].address, "2001:db8::1");
  // What cannot be used, and what counts from the start alone.
  for (const std::string& wrong :
       {before + "[Global\n", before + "RoleARN = arn:aws:iam::1:role/a\n",
        std::string("[Global]\nRegion = us-east-1\nVPC = vpc-2\n")}) {
    host.config.change_cloud_config(wrong);
    host.loop.run();
    EXPECT_TRUE(host.config.rejection().has_value()) << wrong;
    EXPECT_EQ(provider->list()->instances[0].addresses[0].address, "2001:db8::1");
  }
  EXPECT_TRUE(host.log.contains("the old one stays in force"));
}

}  // namespace
}  // namespace ccm::aws
