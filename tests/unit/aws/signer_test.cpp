#include "aws/api/signer.hpp"

#include "aws/api/clock.hpp"
#include "aws/api/rate.hpp"

#include <ccm/testing/fake_crypto.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

// 2015-08-30T12:36:00Z
constexpr milliseconds kSignedAt{1'440'938'160'000};

std::string authorization(const std::string& url, const Endpoint& endpoint,
                          const std::string& token = {}, std::vector<HttpHeader> more = {}) {
  testing::FakeCrypto fake;
  const Crypto crypto(Service<ccm_host_crypto>(fake.table(), &fake));
  Keys keys;
  keys.access_key_id = "AKIDEXAMPLE";
  keys.secret_access_key = Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
  keys.session_token = Secret(token);
  HttpRequest request;
  request.method = "POST";
  request.url = url;
  request.headers = std::move(more);
  request.headers.push_back({"content-type", "application/x-www-form-urlencoded; charset=utf-8"});
  request.headers.push_back({"user-agent", "not signed"});
  request.body = "Action=DescribeInstances&Version=2016-11-15";
  EXPECT_TRUE(sign(crypto, keys, endpoint, kSignedAt, request).ok());
  EXPECT_EQ(request.secrets.empty(), token.empty());
  EXPECT_EQ(request.headers.back().name, "authorization");
  return request.headers.back().value;
}

// The signatures are those that botocore 1.44.8 makes of the same requests.
TEST(AwsSignerTest, AWS_31_SignaturesOfRequests) {
  EXPECT_EQ(authorization("https://ec2.us-east-1.amazonaws.com/", {"", "us-east-1", "ec2"}),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/ec2/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date, Signature="
            "16bec6625521eb1b2a944bb8409fdd5a54007d61862cf7074d07d2e75a3a4950");
  EXPECT_EQ(authorization("http://127.0.0.1:25000/", {"", "eu-west-1", "elasticloadbalancing"},
                          "session/token+1="),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/elasticloadbalancing/"
            "aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
            "Signature=635e1cb326a8dc53538bd67bc12e0efdafe56db65b6fddffa9670148e732b712");
  EXPECT_EQ(authorization(
                "https://sts.eu-west-1.amazonaws.com/", {"", "eu-west-1", "sts"}, {},
                {{"x-amz-source-account", "123456789012"}, {"x-amz-source-arn", "arn:aws:eks:x"}}),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-west-1/sts/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date;x-amz-source-account;x-amz-source-arn, "
            "Signature=41c0accf6f91e280e0e613bb2345a70207df6b5d8064986ef82a41ec79e6730c");
}

TEST(AwsSignerTest, AUsualPortIsNoPartOfTheHost) {
  const Endpoint endpoint{"", "us-east-1", "ec2"};
  EXPECT_EQ(authorization("https://a.example:443/", endpoint),
            authorization("https://a.example/", endpoint));
  EXPECT_EQ(authorization("http://a.example:80", endpoint),
            authorization("http://a.example/", endpoint));
  EXPECT_NE(authorization("http://a.example:443/", endpoint),
            authorization("http://a.example/", endpoint));
}

TEST(AwsClockTest, AWS_32_OnlyARefusalForTheTimeCorrectsIt) {
  const HttpResponse answer{403, {{"date", "Sun, 30 Aug 2015 12:36:00 GMT"}}, {}};
  Clock clock;
  EXPECT_FALSE(clock.corrected("AccessDenied", "no", answer, kSignedAt + milliseconds(3'600'000)));
  EXPECT_FALSE(clock.corrected("RequestExpired", "old", answer, kSignedAt + milliseconds(60'000)))
      << "a slow answer";
  EXPECT_FALSE(clock.corrected("RequestExpired", "old", {403, {}, {}}, milliseconds(0)));
  EXPECT_FALSE(clock.corrected("SignatureDoesNotMatch", "The key does not fit", answer,
                               kSignedAt + milliseconds(3'600'000)));
  EXPECT_TRUE(clock.corrected("SignatureDoesNotMatch", "Signature expired: 2015...", answer,
                              kSignedAt + milliseconds(3'600'000)));
  EXPECT_EQ(clock.now(kSignedAt + milliseconds(3'601'000)), kSignedAt + milliseconds(1'000));
  EXPECT_FALSE(
      clock.corrected("RequestExpired", "old", answer, kSignedAt + milliseconds(3'600'000)))
      << "it was right then";
}

TEST(AwsRateTest, AWS_38_LearnsFromRefusals) {
  Rate rate;
  milliseconds now{10'000};
  for (int i = 0; i < 40; ++i) EXPECT_EQ(rate.take_turn(now), now) << "no limit at first";
  rate.throttled(now);
  rate.throttled(now);
  EXPECT_DOUBLE_EQ(rate.limit(), 20) << "calls refused together are one piece of news";
  const milliseconds first = rate.take_turn(now);
  EXPECT_EQ(first, now + milliseconds(50));
  EXPECT_EQ(rate.take_turn(now), first + milliseconds(50));
  now += milliseconds(1'500);
  rate.throttled(now);
  EXPECT_DOUBLE_EQ(rate.limit(), 11) << "a tenth more after a second, then half";
  now += milliseconds(60'000);
  EXPECT_EQ(rate.take_turn(now), now);
  EXPECT_EQ(rate.limit(), 0) << "no limit any more";
}

TEST(AwsRateTest, AWS_36_FamiliesAreApart) {
  Rates rates;
  rates.of({Api::ec2, "CreateTags"}).take_turn(milliseconds(5'000));
  rates.of({Api::ec2, "CreateTags"}).throttled(milliseconds(5'000));
  EXPECT_GT(rates.of({Api::ec2, "DeleteTags"}).limit(), 0);
  EXPECT_EQ(rates.of({Api::ec2, "DescribeInstances"}).limit(), 0);
  EXPECT_EQ(rates.of({Api::elbv2, "CreateListener"}).limit(), 0);
  EXPECT_EQ(rates.of({Api::elb, "CreateLoadBalancer"}).limit(), 0);
}

}  // namespace
}  // namespace ccm::aws
