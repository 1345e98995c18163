#include "cloud/broker/annotation_warnings.hpp"

#include "cloud/broker/abi_structs.hpp"
#include "plugin/host_services/kube_service.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::cloud {
namespace {

class AnnotationWarningsTest : public ::testing::Test {
 protected:
  static plugin_files::AnnotationTable table() {
    plugin_files::KnownAnnotation port;
    port.name = "b.example/port";
    port.needs["*"] = {"b.example/override"};
    plugin_files::KnownAnnotation tls;
    tls.name = "b.example/tls";
    tls.only_with.push_back({"b.example/type", {"BIG"}, "SMALL", "B_TYPE"});
    return {{"b.example/"}, {port, tls}};
  }
  void serve(const std::string& annotations) {
    const auto object = kube::Object::decode(
        R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"shop",)"
        R"("uid":"u-1","annotations":{)" +
        annotations + "}}}");
    ASSERT_TRUE(object.ok()) << object.status().message();
    LoadBalancerService service;
    service.uid = "u-1";
    service.object = Object(kept_objects(), plugin::object_handle(*object));
    warnings_.served(service);
  }

  std::string default_type_;
  std::vector<std::string> reported_;
  AnnotationWarnings warnings_{
      table(), [this](const std::string&) { return default_type_; },
      [this](const std::string& source, const kube::ObjectReference& about, kube::EventType type,
             const std::string& reason, const std::string& message) {
        EXPECT_EQ(source, "b");
        EXPECT_EQ(about.name, "web");
        EXPECT_EQ(type, kube::EventType::warning);
        EXPECT_EQ(reason, "LoadBalancerConfigWarning");
        reported_.push_back(message);
      },
      "b"};
};

TEST_F(AnnotationWarningsTest, do_888_WhatNeedsAnotherAnnotationIsToldOnce) {
  serve(R"("b.example/port":"80")");
  serve(R"("b.example/port":"81","a":"x")");
  ASSERT_EQ(reported_.size(), 1U);
  EXPECT_EQ(reported_[0],
            "annotation b.example/port has no effect: it needs the annotation b.example/override");
  serve(R"("b.example/port":"81","b.example/override":"")");
  EXPECT_EQ(reported_.size(), 1U);
  serve(R"("b.example/port":"81")");
  EXPECT_EQ(reported_.size(), 2U) << "it was well in between";
}

// A provider may record the other annotation, which changes the text and nothing else.
TEST_F(AnnotationWarningsTest, TheSameAnnotationForAnotherReasonIsNotToldAgain) {
  serve(R"("b.example/tls":"x")");
  serve(R"("b.example/tls":"x","b.example/type":"SMALL")");
  ASSERT_EQ(reported_.size(), 1U);
  serve(R"("b.example/tls":"x","b.example/type":"SMALL","b.example/port":"80")");
  EXPECT_EQ(reported_.size(), 2U);
}

TEST_F(AnnotationWarningsTest, AFlagOfTheProviderMaySayWhatHoldsWithoutTheOther) {
  default_type_ = "BIG";
  serve(R"("b.example/tls":"x")");
  serve("");
  EXPECT_TRUE(reported_.empty());
}

}  // namespace
}  // namespace ccm::cloud
