// The checks of ccmctl doctor, one by one.
#include "ccmctl/doctor/checks.hpp"
#include "ccmctl/doctor/cloud_checks.hpp"
#include "kube/time_text.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace ccm::ctl {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;

const SystemTime kNow = *kube::parse_time("2026-11-24T00:10:00Z");

json node(const std::string& name, const std::string& provider_id, bool tainted,
          const std::string& created = "2026-11-23T00:00:00Z") {
  json made = {{"metadata", {{"name", name}, {"creationTimestamp", created}}},
               {"spec", json::object()}};
  if (!provider_id.empty()) made["spec"]["providerID"] = provider_id;
  if (tainted) {
    made["spec"]["taints"] = json::array(
        {{{"key", "node.cloudprovider.kubernetes.io/uninitialized"}, {"effect", "NoSchedule"}}});
  }
  return made;
}
json with_range(const std::string& name, const std::string& range, const std::string& manager,
                const std::string& time) {
  json made = node(name, "sandbox://" + name, false);
  made["spec"]["podCIDR"] = range;
  made["spec"]["podCIDRs"] = json::array({range});
  made["metadata"]["managedFields"] =
      json::array({{{"manager", manager},
                    {"time", time},
                    {"fieldsV1", {{"f:spec", {{"f:podCIDR", json::object()}}}}}}});
  return made;
}
json lease(const std::string& holder, const std::string& renewed) {
  return {
      {"spec", {{"holderIdentity", holder}, {"renewTime", renewed}, {"leaseDurationSeconds", 15}}}};
}
bool says(const Finding& finding, const std::string& text) {
  return finding.text.find(text) != std::string::npos;
}

TEST(DoctorChecksTest, FinalizersThatNobodyRemoves) {
  const auto service = [](const std::string& name, const json& finalizers, bool goes) {
    json made = {{"metadata", {{"name", name}, {"namespace", "n"}, {"finalizers", finalizers}}}};
    if (goes) made["metadata"]["deletionTimestamp"] = "2026-11-24T00:00:00Z";
    return made;
  };
  const json with = json::array({"a/b", "service.kubernetes.io/load-balancer-cleanup"});
  json services =
      json::array({service("one", with, false), service("two", json::array({"a/b"}), true)});
  EXPECT_EQ(check_load_balancer_finalizers(services, true).result, Health::ok);
  const Finding left = check_load_balancer_finalizers(services, false);
  EXPECT_EQ(left.result, Health::warning);
  EXPECT_TRUE(says(left, "1 Service has the finalizer")) << left.text;
  EXPECT_TRUE(says(left, "n/one")) << left.text;
  services.push_back(service("three", with, true));
  const Finding stuck = check_load_balancer_finalizers(services, false);
  EXPECT_EQ(stuck.result, Health::problem);
  EXPECT_TRUE(says(stuck, "n/three")) << stuck.text;
  EXPECT_FALSE(says(stuck, "n/one")) << stuck.text;
  EXPECT_EQ(check_load_balancer_finalizers(
                json::array({service("two", json::array({"a/b"}), true)}), false)
                .result,
            Health::ok);
}

TEST(DoctorChecksTest, TheClockIsThatOfTheHeaderDate) {
  EXPECT_EQ(check_clock(kNow, kNow + seconds(2)).result, Health::ok);
  const Finding fast = check_clock(kNow, kNow + seconds(10));
  EXPECT_EQ(fast.result, Health::warning);
  EXPECT_TRUE(says(fast, "10 s fast")) << fast.text;
  const Finding slow = check_clock(kNow, kNow - seconds(600));
  EXPECT_EQ(slow.result, Health::problem);
  EXPECT_TRUE(says(slow, "600 s slow")) << slow.text;
  EXPECT_EQ(check_clock(std::nullopt, kNow).result, Health::unknown);
}

TEST(DoctorChecksTest, HOST_107_ALeaseIsHeldAndRenewed) {
  const json fresh = lease("a", "2026-11-24T00:09:58.000000Z");
  const json old = lease("a", "2026-11-24T00:09:00.000000Z");
  EXPECT_FALSE(lease_seems_stale(fresh, kNow));
  EXPECT_TRUE(lease_seems_stale(old, kNow));
  EXPECT_TRUE(lease_seems_stale(lease("a", "2026-11-24T01:10:00.000000Z"), kNow))
      << "an hour ahead says nothing of now";
  EXPECT_EQ(check_lease({"n/l", fresh, nullptr, kNow}).result, Health::ok);
  EXPECT_TRUE(says(check_lease({"n/l", nullptr, nullptr, kNow}), "there is no Lease n/l"));
  const Finding free = check_lease({"n/l", lease("", ""), nullptr, kNow});
  EXPECT_EQ(free.result, Health::problem);
  EXPECT_TRUE(says(free, "nobody holds")) << free.text;
  const Finding stale = check_lease({"n/l", old, old, kNow});
  EXPECT_EQ(stale.result, Health::problem);
  EXPECT_TRUE(says(stale, "does not renew it")) << stale.text;
  // The holder's clock is slow; it renews.
  const json renewed = lease("a", "2026-11-24T00:09:04.000000Z");
  EXPECT_EQ(check_lease({"n/l", old, renewed, kNow}).result, Health::ok);
}

TEST(DoctorChecksTest, NODE_6_ATaintThatNobodyRemovesIsAProblem) {
  const json nodes = json::array({node("old", "", true), node("done", "sandbox://d", false)});
  const Finding found = check_uninitialized(nodes, kNow, minutes(5));
  EXPECT_EQ(found.result, Health::problem);
  EXPECT_TRUE(says(found, ": old")) << found.text;
  const json fresh = json::array({node("fresh", "", true, "2026-11-24T00:08:00Z")});
  EXPECT_EQ(check_uninitialized(fresh, kNow, minutes(5)).result, Health::ok);
  EXPECT_EQ(check_uninitialized(fresh, kNow, minutes(1)).result, Health::problem);
}

TEST(DoctorChecksTest, LIFE_13_ATaintOfAReadyNodeThatNobodyRemovesIsAProblem) {
  json shut = node("a", "sandbox://a", false);
  shut["spec"]["taints"] = json::array(
      {{{"key", "node.cloudprovider.kubernetes.io/shutdown"}, {"effect", "NoSchedule"}}});
  const auto checked = [&shut](const std::string& ready, const std::string& since) {
    json seen = shut;
    seen["status"]["conditions"] =
        json::array({{{"type", "Ready"}, {"status", ready}, {"lastTransitionTime", since}}});
    return check_shutdown(json::array({seen}), kNow, minutes(5));
  };
  const Finding stale = checked("True", "2026-11-24T00:00:00Z");
  EXPECT_EQ(stale.result, Health::problem);
  EXPECT_TRUE(says(stale, ": a")) << stale.text;
  EXPECT_EQ(checked("True", "2026-11-24T00:09:00Z").result, Health::ok);
  EXPECT_EQ(checked("Unknown", "2026-11-24T00:00:00Z").result, Health::ok);
  EXPECT_EQ(check_shutdown(json::array({shut}), kNow, minutes(5)).result, Health::ok);
}

TEST(DoctorChecksTest, AKubeletWithoutExternalShowsNoProviderId) {
  const std::vector<std::string> prefixes{"sandbox://"};
  const json good = json::array({node("a", "sandbox://a", false), node("b", "", true)});
  EXPECT_EQ(check_kubelets(good, prefixes).result, Health::ok);
  const json bad = json::array({node("a", "", false)});
  const Finding found = check_kubelets(bad, prefixes);
  EXPECT_EQ(found.result, Health::problem);
  EXPECT_NE(found.advice.find("--cloud-provider=external"), std::string::npos);
  const json foreign = json::array({node("a", "aws:///x/i-1", false)});
  EXPECT_EQ(check_kubelets(foreign, prefixes).result, Health::warning);
}

TEST(DoctorChecksTest, IPAM_37_TwoAllocatorsAreAProblem) {
  const std::string ours = "ccm.controller-ipam";
  const std::string theirs = "kube-controller-manager";
  const auto checked = [](const json& nodes, bool allocates = true) {
    return check_pod_ranges(nodes, allocates).result;
  };
  const json a = with_range("a", "10.0.1.0/24", ours, "2026-11-24T00:01:00Z");
  const json later = with_range("b", "10.0.2.0/24", theirs, "2026-11-24T00:02:00Z");
  const json before = with_range("b", "10.0.2.0/24", theirs, "2026-11-24T00:00:00Z");
  EXPECT_EQ(checked(json::array({a})), Health::ok);
  EXPECT_EQ(checked(json::array({a, later})), Health::problem);
  EXPECT_EQ(checked(json::array({a, before})), Health::ok);  // a migration
  EXPECT_EQ(checked(json::array({later})), Health::warning);
  EXPECT_EQ(checked(json::array({later}), false), Health::ok);
  EXPECT_EQ(checked(json::array({node("a", "sandbox://a", false)})), Health::ok);
  const json same = with_range("c", "10.0.1.0/24", ours, "2026-11-24T00:01:00Z");
  const Finding doubled = check_pod_ranges(json::array({a, same}), true);
  EXPECT_EQ(doubled.result, Health::problem);
  EXPECT_TRUE(says(doubled, "10.0.1.0/24")) << doubled.text;
}

TEST(DoctorChecksTest, issue_37_3_AnInstanceThatSeveralNodesName) {
  const json good = json::array({node("a", "sandbox://a", false), node("b", "", true)});
  EXPECT_EQ(check_provider_ids(good).result, Health::ok);
  const Finding found = check_provider_ids(
      json::array({node("a", "sandbox://a", false), node("hostile", "sandbox://a", false)}));
  EXPECT_EQ(found.result, Health::problem);
  EXPECT_TRUE(says(found, "sandbox://a (a, hostile)")) << found.text;
}

TEST(DoctorChecksTest, hcloud_961_769_ServicesWithoutANodeForTheirTraffic) {
  const json service = {{"spec", {{"type", "LoadBalancer"}}}};
  const json plain = {{"spec", {{"type", "ClusterIP"}}}};
  json excluded = node("a", "sandbox://a", false);
  excluded["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = "";
  json included = node("b", "sandbox://b", false);
  included["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] =
      "false";
  json leaving = node("c", "sandbox://c", false);
  leaving["spec"]["taints"] = json::array({{{"key", "ToBeDeletedByClusterAutoscaler"}}});
  json deleting = node("d", "sandbox://d", false);
  deleting["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const json none = json::array({excluded, leaving, deleting});
  const Finding found = check_backends(none, json::array({service, plain}));
  EXPECT_EQ(found.result, Health::problem);
  for (const char* part : {"1 Service", "exclude-from-external-load-balancers: 1 Node",
                           "being deleted: 1 Node", "the autoscaler's taint: 1 Node"}) {
    EXPECT_TRUE(says(found, part)) << part << " " << found.text;
  }
  EXPECT_EQ(check_backends(none, json::array({plain})).result, Health::ok);
  EXPECT_EQ(check_backends(json::array({excluded, included}), json::array({service})).result,
            Health::ok);
}

TEST(DoctorChecksTest, k0s_5116_NodesOfOneFamilyBesideSomeOfBoth) {
  json old = node("old", "sandbox://a", false);
  old["spec"]["podCIDRs"] = {"10.244.0.0/24"};
  json late = node("late", "sandbox://b", false);
  late["spec"]["podCIDRs"] = {"10.244.1.0/24", "fd01::/64"};
  EXPECT_EQ(check_families(json::array({old})).result, Health::ok);
  EXPECT_EQ(check_families(json::array({late})).result, Health::ok);
  const Finding found = check_families(json::array({old, late}));
  EXPECT_EQ(found.result, Health::warning);
  EXPECT_TRUE(says(found, "old")) << found.text;
}

TEST(DoctorChecksTest, InstancesThatTheCloudLacks) {
  const json nodes = json::array({node("a", "sandbox://a", false), node("b", "sandbox://b", false),
                                  node("c", "aws:///c", false), node("new", "", true)});
  const std::vector<std::string> ids = provider_ids_of(nodes, {"sandbox://"});
  EXPECT_EQ(ids, (std::vector<std::string>{"sandbox://a", "sandbox://b"}));
  EXPECT_EQ(check_machines(nodes, ids, {}).result, Health::ok);
  const Finding one = check_machines(nodes, ids, {"sandbox://b"});
  EXPECT_EQ(one.result, Health::warning);
  EXPECT_TRUE(says(one, "1 Node: b")) << one.text;
  const Finding all = check_machines(nodes, ids, ids);
  EXPECT_EQ(all.result, Health::problem);
  EXPECT_TRUE(says(all, "none of 2 Nodes")) << all.text;
  EXPECT_EQ(check_machines(json::array(), {}, {}).result, Health::ok);
}

TEST(DoctorChecksTest, OrphansAreAWarningAndDoubledLoadBalancersAProblem) {
  ClusterObjects cluster;
  const std::string uid = "0c8ab2c3-1111-2222-3333-444455556666";
  cluster.services.push_back(
      {{"metadata", {{"namespace", "default"}, {"name", "web"}, {"uid", uid}}},
       {"spec",
        {{"type", "LoadBalancer"},
         {"ports", json::array({{{"port", 80}, {"nodePort", 30080}}})}}}});
  OwnedObject balancer;
  balancer.kind = CCM_OWNED_LOAD_BALANCER;
  balancer.id = "lb-1";
  balancer.cluster = "mine";
  balancer.services = {{"", uid}};
  OwnedObject orphan = balancer;
  orphan.id = "lb-2";
  orphan.services = {{"", "11111111-1111-2222-3333-444455556666"}};
  EXPECT_EQ(check_orphans({balancer}, cluster).result, Health::ok);
  EXPECT_EQ(check_orphans({balancer, orphan}, cluster).result, Health::warning);
  orphan.no_cluster = true;
  const Finding unclear = check_orphans({orphan}, cluster);
  EXPECT_EQ(unclear.result, Health::ok);
  EXPECT_TRUE(says(unclear, "of 1 object it cannot be told")) << unclear.text;
  OwnedObject second = balancer;
  second.id = "lb-3";
  EXPECT_EQ(check_doubled({balancer}, cluster).result, Health::ok);
  EXPECT_EQ(check_doubled({balancer, second}, cluster).result, Health::problem);

  EXPECT_EQ(check_node_ports({balancer}, cluster).result, Health::unknown);
  OwnedObject group = balancer;
  group.kind = CCM_OWNED_SECURITY_GROUP;
  EXPECT_EQ(check_node_ports({balancer, group}, cluster).result, Health::ok);
  EXPECT_EQ(check_node_ports({balancer}, {}).result, Health::ok);
}

TEST(DoctorChecksTest, OrphansAreCountedByNamespace) {
  std::vector<OwnedObject> objects;
  for (const char* key : {"t1/a", "shop/web", "shop/api", ""}) {
    OwnedObject& object = objects.emplace_back();
    object.kind = CCM_OWNED_LOAD_BALANCER;
    object.id = "lb-" + std::to_string(objects.size());
    object.cluster = "prod";
    object.services = {{key, "11111111-1111-2222-3333-444455556666"}};
  }
  const Finding left = check_orphans(objects, {});
  EXPECT_EQ(left.result, Health::warning);
  EXPECT_TRUE(says(left, "4 objects of this cluster")) << left.text;
  EXPECT_TRUE(says(left, "of namespaces: shop 2, t1 1")) << left.text;
  for (const char* word : {"retain-load-balancer", "its finalizer is taken away", "cleanup"}) {
    EXPECT_NE(left.advice.find(word), std::string::npos) << left.advice;
  }
}

TEST(DoctorChecksTest, OS_229_ADefaultNameTellsNoClusters) {
  OwnedObject by_name;
  by_name.cluster = "kubernetes";
  OwnedObject by_uid;
  by_uid.cluster = "7a3164c5-1111-2222-3333-444455556666";
  EXPECT_EQ(check_cluster_name({by_uid, by_name}, "kubernetes").result, Health::warning);
  EXPECT_EQ(check_cluster_name({by_uid}, "kubernetes").result, Health::ok);
  by_name.cluster = "prod";
  EXPECT_EQ(check_cluster_name({by_uid, by_name}, "prod").result, Health::ok);
}

TEST(DoctorChecksTest, ProblemsSayWhatToDo) {
  const std::vector<Finding> findings{{"lease", Health::problem, "nobody", "start it"},
                                      {"clock", Health::ok, "fine", ""}};
  EXPECT_TRUE(has_problem(findings));
  EXPECT_FALSE(has_problem({findings[1]}));
  EXPECT_EQ(findings_table(findings),
            "RESULT   CHECK  FOUND\nPROBLEM  lease  nobody\n                To do: start it\n"
            "OK       clock  fine\n");
  const auto shown = findings_json(findings);
  EXPECT_EQ(shown[0]["toDo"], "start it");
  EXPECT_FALSE(shown[1].contains("toDo"));
}

TEST(DoctorChecksTest, AWS_132_PermissionsOfTheCredential) {
  CloudPermissions permissions;
  EXPECT_EQ(check_cloud_permissions(permissions, Status()).text,
            "the credential has what `ccmctl permissions` prints");
  permissions.not_tried = "writes";
  EXPECT_EQ(check_cloud_permissions(permissions, Status()).text,
            "the credential has what `ccmctl permissions` prints; not tried: writes");
  const Finding lacking = check_cloud_permissions(
      permissions, Status(Code::invalid_argument, "provider aws: the credential lacks a:B"));
  EXPECT_EQ(lacking.result, Health::problem);
  EXPECT_EQ(lacking.text, "provider aws: the credential lacks a:B");
}

}  // namespace
}  // namespace ccm::ctl
