#include "openstack/normal_form.hpp"

#include <gtest/gtest.h>

namespace ccm::openstack_contract {
namespace {

TEST(NormalFormTest, WhatACloudMakesUpIsLeftOut) {
  NormalForm form;
  form.name("http://127.0.0.1:9696", "network");
  form.name("3c1b2a90-0000-4000-8000-00000000000a", "port");
  EXPECT_EQ(
      form.of(std::string("http://127.0.0.1:9696/v2.0/ports/3c1b2a90-0000-4000-8000-00000000000a")),
      "{network}/v2.0/ports/{port}");
  EXPECT_EQ(form.of(std::string(
                "Port 3c1b2a90-0000-4000-8000-00000000000b has 10.10.0.17 of 10.10.0.0/24")),
            "Port <id> has <10.10.0> of 10.10.0.0/24");
  EXPECT_EQ(
      form.of(json{
          {"created_at", "2026-01-01T00:00:00Z"}, {"updated_at", nullptr}, {"status", "DOWN"}}),
      (json{{"created_at", "<string>"}, {"updated_at", nullptr}, {"status", "DOWN"}}));
}

TEST(NormalFormTest, OS_454_ATimeWithAZoneIsAnotherForm) {
  const NormalForm form;
  const char* name = "OS-SRV-USG:launched_at";
  EXPECT_EQ(form.of(json{{name, "2026-01-01T00:00:00.000000"}}),
            (json{{name, "<time in microseconds without a zone>"}}));
  for (const char* other : {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"}) {
    EXPECT_EQ(form.of(json{{name, other}}), (json{{name, other}}));
  }
}

TEST(NormalFormTest, TheLongestNameCountsAndTheLastOfEach) {
  NormalForm form;
  form.name("http://a", "root");
  form.name("http://a/v2.1", "compute");
  form.name("one", "x");
  form.name("two", "x");
  EXPECT_EQ(form.of(std::string("http://a/v2.1/servers http://a/")), "{compute}/servers {root}/");
  EXPECT_EQ(form.of(std::string("one two")), "one {x}");
}

TEST(NormalFormTest, TheOrderOfAListDoesNotCount) {
  const NormalForm form;
  EXPECT_EQ(form.of(json{{{"id", "b"}}, {{"id", "a"}}}),
            form.of(json{{{"id", "a"}}, {{"id", "b"}}}));
  EXPECT_NE(form.of(json{1, 2}), form.of(json{1, 2, 2}));
}

}  // namespace
}  // namespace ccm::openstack_contract
