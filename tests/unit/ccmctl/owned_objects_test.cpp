// A provider's list of what it made, as the host reads it: what makes no sense is no list.
#include "ccmctl/cloud/owned_objects.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ccm::ctl {
namespace {

OwnedObject object(const std::string& id) {
  OwnedObject made;
  made.kind = CCM_OWNED_LOAD_BALANCER;
  made.id = id;
  made.cluster = "mine";
  made.services = {{"default/web", "uid-1"}};
  return made;
}

Result<std::vector<OwnedObject>> copied(const std::vector<OwnedObject>& objects) {
  const detail::OwnedObjectsC raw(objects);
  return copy_owned_objects(raw.list());
}

TEST(OwnedObjectsTest, R_170_AListIsCopiedWhole) {
  OwnedObject unknown = object("b");
  unknown.cluster.clear();
  unknown.no_cluster = true;
  OwnedObject shared = object("c");
  shared.shared = true;
  const auto objects = copied({object("a"), unknown, shared});
  ASSERT_TRUE(objects.ok()) << objects.status().message();
  ASSERT_EQ(objects->size(), 3U);
  EXPECT_EQ(objects->at(0).services, object("a").services);
  EXPECT_TRUE(objects->at(1).no_cluster);
  EXPECT_TRUE(objects->at(2).shared);
  EXPECT_TRUE(copied({})->empty());
}

TEST(OwnedObjectsTest, R_170_WhatMakesNoSenseIsAFailure) {
  const std::vector<std::function<void(std::vector<OwnedObject>&)>> faults = {
      [](auto& list) { list[0].id.clear(); },
      [](auto& list) { list[0].kind.clear(); },
      [](auto& list) { list[0].id = "\xff"; },
      [](auto& list) { list[0].cluster = "\xff"; },
      [](auto& list) { list[0].cluster.clear(); },    // and does not say so
      [](auto& list) { list[0].no_cluster = true; },  // and names one
      [](auto& list) { list[0].name = std::string(5'000, 'a'); },
      [](auto& list) { list.push_back(list.front()); },
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    std::vector<OwnedObject> list{object("a")};
    faults[i](list);
    const auto objects = copied(list);
    ASSERT_FALSE(objects.ok()) << i;
    EXPECT_EQ(objects.status().code(), Code::internal) << i;
  }
}

TEST(OwnedObjectsTest, R_7_AListWithoutItsEndIsAFailure) {
  const std::vector<OwnedObject> objects{object("a")};
  const detail::OwnedObjectsC raw(objects);
  EXPECT_FALSE(copy_owned_objects(nullptr).ok());
  ccm_owned_list list = *raw.list();
  list.size = offsetof(ccm_owned_list, count);
  EXPECT_FALSE(copy_owned_objects(&list).ok());
  list = *raw.list();
  list.count = 5'000'000;
  EXPECT_FALSE(copy_owned_objects(&list).ok());
  list = *raw.list();
  list.objects = nullptr;
  EXPECT_FALSE(copy_owned_objects(&list).ok());
  const ccm_owned_object* hole = nullptr;
  list.objects = &hole;
  EXPECT_FALSE(copy_owned_objects(&list).ok());
}

}  // namespace
}  // namespace ccm::ctl
