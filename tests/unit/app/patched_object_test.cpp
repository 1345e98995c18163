#include "app/dry_run/planned_objects.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

using kube::PatchType;
using Changes = std::vector<FieldChange>;

constexpr const char* kNode = R"({
  "metadata": {"name": "n", "uid": "u", "resourceVersion": "7", "labels": {"a/b": "x"},
               "finalizers": ["other"]},
  "spec": {"taints": [{"key": "uninitialized", "effect": "NoSchedule"}]},
  "status": {"addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
             "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}})";

Changes patch_changes(const char* object, PatchType type, const char* patch) {
  return changed_fields(object, patched(object, type, patch));
}
Changes strategic(const char* patch) {
  return patch_changes(kNode, PatchType::strategic_merge, patch);
}

TEST(PatchedObject, ValuesThatStayAndPreconditionsAreLeftOut) {
  EXPECT_EQ(
      strategic(R"({"metadata": {"uid": "u", "resourceVersion": "8", "labels": {"a/b": "x"}}})"),
      Changes());
}

TEST(PatchedObject, OneChangeForEachValue) {
  const Changes expected = {
      {"/metadata/labels/a~1b", R"("x")", R"("y")"},
      {"/metadata/labels/zone", "", R"("eu-1a")"},
      {"/spec/providerID", "", R"("sandbox://n")"},
      {"/spec/taints", R"([{"key":"uninitialized","effect":"NoSchedule"}])", ""}};
  EXPECT_EQ(strategic(R"({"metadata": {"labels": {"a/b": "y", "zone": "eu-1a"}},
                          "spec": {"providerID": "sandbox://n", "taints": null}})"),
            expected);
}

TEST(PatchedObject, API_47_AListThatIsReplacedIsOneValue) {
  const Changes expected = {{"/status/addresses", R"([{"type":"InternalIP","address":"10.0.0.1"}])",
                             R"([{"type":"InternalIP","address":"10.0.0.2"}])"}};
  EXPECT_EQ(strategic(R"({"status": {"addresses": [{"$patch": "replace"},
                          {"type": "InternalIP", "address": "10.0.0.2"}]}})"),
            expected);
  EXPECT_EQ(strategic(R"({"status": {"addresses": [{"$patch": "replace"},
                          {"type": "InternalIP", "address": "10.0.0.1"}]}})"),
            Changes());
}

TEST(PatchedObject, API_47_ElementsAreMergedByTheirKey) {
  const Changes expected = {
      {"/status/conditions[Ready]", R"({"type":"Ready","status":"True","reason":"KubeletReady"})",
       R"({"type":"Ready","status":"False","reason":"KubeletReady"})"},
      {"/status/conditions[NetworkUnavailable]", "",
       R"({"type":"NetworkUnavailable","status":"False"})"}};
  EXPECT_EQ(strategic(R"({"status": {"conditions": [{"type": "Ready", "status": "False"},
                          {"type": "NetworkUnavailable", "status": "False"}]}})"),
            expected);
  const Changes removed = {{"/status/conditions[Ready]",
                            R"({"type":"Ready","status":"True","reason":"KubeletReady"})", ""}};
  EXPECT_EQ(strategic(R"({"status": {"conditions": [{"$patch": "delete", "type": "Ready"}]}})"),
            removed);
}

TEST(PatchedObject, API_47_TextsAreAddedAndRemoved) {
  const Changes added = {{"/metadata/finalizers", R"(["other"])", R"(["other","ours"])"}};
  EXPECT_EQ(strategic(R"({"metadata": {"$setElementOrder/finalizers": ["other", "ours"],
                          "finalizers": ["ours"]}})"),
            added);
  const Changes removed = {{"/metadata/finalizers", R"(["other"])", "[]"}};
  EXPECT_EQ(strategic(R"({"metadata": {"$deleteFromPrimitiveList/finalizers": ["other"]}})"),
            removed);
}

TEST(PatchedObject, AMergePatchReplacesEveryList) {
  const Changes expected = {{"/metadata/finalizers", R"(["other"])", R"(["ours"])"}};
  EXPECT_EQ(patch_changes(kNode, PatchType::merge, R"({"metadata": {"finalizers": ["ours"]}})"),
            expected);
}

TEST(PatchedObject, OperationsOfAJsonPatch) {
  const Changes expected = {{"/metadata/finalizers", R"(["other"])", R"(["other","ours"])"},
                            {"/metadata/labels/a~1b", R"("x")", ""},
                            {"/spec/providerID", "", R"("p")"}};
  EXPECT_EQ(patch_changes(kNode, PatchType::json,
                          R"([{"op": "test", "path": "/metadata/uid", "value": "u"},
                              {"op": "remove", "path": "/metadata/labels/a~1b"},
                              {"op": "add", "path": "/spec/providerID", "value": "p"},
                              {"op": "add", "path": "/metadata/finalizers/-", "value": "ours"}])"),
            expected);
}

TEST(PatchedObject, AnUnknownObjectHasNoValues) {
  const Changes expected = {{"/spec/podCIDR", "", R"("10.0.0.0/24")"}};
  EXPECT_EQ(patch_changes("{}", PatchType::merge, R"({"spec": {"podCIDR": "10.0.0.0/24"}})"),
            expected);
}

TEST(PatchedObject, APatchThatTheServerWouldRefuseChangesNothing) {
  EXPECT_EQ(patch_changes(kNode, PatchType::merge, "{"), Changes());
  EXPECT_EQ(patch_changes(kNode, PatchType::json,
                          R"([{"op": "test", "path": "/metadata/uid", "value": "other"},
                              {"op": "add", "path": "/spec/providerID", "value": "p"}])"),
            Changes());
}

}  // namespace
}  // namespace ccm::app
