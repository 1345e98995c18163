// Leases as leader election uses them.
#include "contract.hpp"

#include <regex>

namespace ccm::contract {
namespace {

class Lease : public Contract {
 protected:
  Lease() : leases_("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases") {}

  json lease(const std::string& holder) const {
    return {{"apiVersion", "coordination.k8s.io/v1"},
            {"kind", "Lease"},
            {"metadata", {{"name", name_}, {"namespace", "kube-system"}}},
            {"spec",
             {{"holderIdentity", holder},
              {"leaseDurationSeconds", 15},
              {"acquireTime", "2026-01-02T03:04:05.123456Z"},
              {"renewTime", "2026-01-02T03:04:05.123456Z"},
              {"leaseTransitions", 0}}}};
  }
  std::string path() const { return leases_ + "/" + name_; }
  ~Lease() override { api().remove(path()); }

  std::string leases_;
  std::string name_ = unique("lease");
};

TEST_F(Lease, API_61_CreateAndReadKeepsMicroseconds) {
  const json created = must(api().create(leases_, lease("me")));
  EXPECT_EQ(created.at("apiVersion"), "coordination.k8s.io/v1");
  EXPECT_EQ(created.at("kind"), "Lease");
  const json spec = must(api().get(path())).at("spec");
  EXPECT_EQ(spec.at("holderIdentity"), "me");
  EXPECT_EQ(spec.at("leaseDurationSeconds"), 15);
  EXPECT_EQ(spec.at("leaseTransitions"), 0);
  EXPECT_EQ(spec.at("renewTime"), "2026-01-02T03:04:05.123456Z");
}

TEST_F(Lease, API_63_SecondCreateIsAlreadyExists) {
  must(api().create(leases_, lease("me")));
  const KubeResponse response = api().create(leases_, lease("you"));
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(response.reason(), "AlreadyExists");
}

TEST_F(Lease, API_62_RenewalByPutWithTheVersionSeen) {
  json held = must(api().create(leases_, lease("me")));
  held["spec"]["renewTime"] = "2026-01-02T03:04:07.000000Z";
  const json renewed = must(api().replace(path(), held));
  EXPECT_EQ(renewed.at("spec").at("renewTime"), "2026-01-02T03:04:07.000000Z");
  EXPECT_NE(version(renewed), version(held));
}

TEST_F(Lease, API_62_RaceForATakeOverHasOneWinner) {
  const json seen = must(api().create(leases_, lease("")));
  json mine = seen;
  json yours = seen;
  mine["spec"]["holderIdentity"] = "me";
  yours["spec"]["holderIdentity"] = "you";
  EXPECT_TRUE(api().replace(path(), mine).ok());
  const KubeResponse lost = api().replace(path(), yours);
  EXPECT_EQ(lost.status, 409);
  EXPECT_EQ(lost.reason(), "Conflict");
  EXPECT_EQ(must(api().get(path())).at("spec").at("holderIdentity"), "me");
}

TEST_F(Lease, API_44_PutWithoutVersionIsInvalid) {
  json held = must(api().create(leases_, lease("me")));
  held["metadata"].erase("resourceVersion");
  const KubeResponse response = api().replace(path(), held);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.reason(), "Invalid");
}

TEST_F(Lease, API_61_AllSpecFieldsAreOptional) {
  EXPECT_TRUE(api()
                  .create(leases_, {{"apiVersion", "coordination.k8s.io/v1"},
                                    {"kind", "Lease"},
                                    {"metadata", {{"name", name_}}}})
                  .ok());
}

TEST_F(Lease, API_61_DurationAndTransitionsAreValidated) {
  json bad = lease("me");
  bad["spec"]["leaseDurationSeconds"] = 0;
  EXPECT_EQ(api().create(leases_, bad).status, 422);
  bad = lease("me");
  bad["spec"]["leaseTransitions"] = -1;
  EXPECT_EQ(api().create(leases_, bad).status, 422);
}

TEST_F(Lease, API_64_EmptyHolderIsKept) {
  json held = must(api().create(leases_, lease("me")));
  held["spec"]["holderIdentity"] = "";
  held["spec"]["leaseDurationSeconds"] = 1;
  const json released = must(api().replace(path(), held));
  EXPECT_EQ(released.at("spec").value("holderIdentity", ""), "");
  EXPECT_EQ(released.at("spec").at("leaseDurationSeconds"), 1);
}

TEST_F(Lease, API_23_WatchOfOneLeaseSeesItsRenewals) {
  json held = must(api().create(leases_, lease("me")));
  WatchStream stream = api().watch(leases_ + "?fieldSelector=metadata.name%3D" + name_ +
                                   "&resourceVersion=" + version(held));
  held["spec"]["renewTime"] = "2026-01-02T03:04:09.000000Z";
  const json renewed = must(api().replace(path(), held));
  const auto event = stream.next_change();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->at("type"), "MODIFIED");
  EXPECT_EQ(version(event->at("object")), version(renewed));
}

}  // namespace
}  // namespace ccm::contract
