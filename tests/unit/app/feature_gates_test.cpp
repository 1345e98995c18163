#include "app/flags/feature_gates.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

TEST(FeatureGates, HOST_139_DefaultsAreUpstreams) {
  const FeatureGates gates;
  EXPECT_FALSE(gates.enabled("CloudControllerManagerWatchBasedRoutesReconciliation"));
  EXPECT_FALSE(gates.enabled("CloudControllerManagerWebhook"));
  EXPECT_FALSE(gates.enabled("LoggingAlphaOptions"));
  EXPECT_TRUE(gates.enabled("LoggingBetaOptions"));
  EXPECT_TRUE(gates.enabled("ContextualLogging"));
  EXPECT_FALSE(gates.enabled("NoSuchGate"));
}

TEST(FeatureGates, HOST_19_PairsAddUp) {
  FeatureGates gates;
  ASSERT_TRUE(gates.set("CloudControllerManagerWebhook=true, LoggingBetaOptions=f").ok());
  ASSERT_TRUE(gates.set("LoggingAlphaOptions=T").ok());
  EXPECT_TRUE(gates.enabled("CloudControllerManagerWebhook"));
  EXPECT_FALSE(gates.enabled("LoggingBetaOptions"));
  EXPECT_TRUE(gates.enabled("LoggingAlphaOptions"));
  EXPECT_EQ(gates.text(),
            "CloudControllerManagerWebhook=true,LoggingAlphaOptions=true,LoggingBetaOptions=false");
}

TEST(FeatureGates, HOST_142_WholeStages) {
  FeatureGates gates;
  ASSERT_TRUE(gates.set("AllAlpha=true,LoggingAlphaOptions=false,AllBeta=false").ok());
  EXPECT_TRUE(gates.enabled("CloudControllerManagerWebhook"));
  EXPECT_FALSE(gates.enabled("LoggingAlphaOptions"));
  EXPECT_FALSE(gates.enabled("ContextualLogging"));
  EXPECT_TRUE(gates.enabled("BtreeWatchCache"));
}

TEST(FeatureGates, HOST_142_GatesOfTheGenericApiServerAreAccepted) {
  FeatureGates gates;
  EXPECT_TRUE(gates.set("APIResponseCompression=false,WatchList=false").ok());
  EXPECT_FALSE(gates.enabled("WatchList"));
}

TEST(FeatureGates, HOST_139_DefaultsAreThoseOf137) {
  const FeatureGates gates;
  for (const char* on :
       {"AllowUnsafeMalformedObjectDeletion", "ConcurrentWatchObjectDecode", "EtcdRangeStream",
        "ExcludeAdmissionWebhookVirtualResources", "ManifestBasedAdmissionControlConfig",
        "NativeHistograms", "WatchListCompression", "WebhookRoundTripLoadBalancing"}) {
    EXPECT_TRUE(gates.enabled(on)) << on;
  }
  for (const char* off :
       {"APIServerWebhookAuthenticationToken", "ConsistentListFromCacheSkipTimeoutFallback"}) {
    EXPECT_FALSE(gates.enabled(off)) << off;
  }
}

// Command lines of 1.36 and before start, and what 1.37 locked is a fault.
TEST(FeatureGates, HOST_142_GatesThatKubernetesTookAwayAreAccepted) {
  FeatureGates gates;
  EXPECT_TRUE(gates.set("APIServerTracing=true,BtreeWatchCache=true,RetryGenerateName=true").ok());
  EXPECT_FALSE(gates.set("SeparateCacheWatchRPC=true").ok());
  EXPECT_FALSE(gates.set("WatchCacheInitializationPostStartHook=false").ok());
}

TEST(FeatureGates, HOST_143_UnknownAndLockedGatesAreFaultsAndChangeNothing) {
  FeatureGates gates;
  Status status = gates.set("LoggingAlphaOptions=true,CloudControllerManagerWebhok=true");
  EXPECT_NE(status.message().find("did you mean CloudControllerManagerWebhook?"),
            std::string::npos);
  EXPECT_FALSE(gates.enabled("LoggingAlphaOptions"));
  status = gates.set("BtreeWatchCache=false");
  EXPECT_NE(status.message().find("locked"), std::string::npos);
  EXPECT_TRUE(gates.set("BtreeWatchCache=true").ok());
  for (const char* bad :
       {"LoggingAlphaOptions", "LoggingAlphaOptions=", "LoggingAlphaOptions=yes", "=true"}) {
    EXPECT_FALSE(gates.set(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace ccm::app
