// An informer of Nodes at a scripted API server.
#pragma once

#include "kube/informer.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {

using End = ScriptedApi::End;

class InformerTest : public KubeTest {
 protected:
  InformerTest() {
    timing_.backoff_initial = std::chrono::milliseconds(1);
    timing_.backoff_limit = std::chrono::milliseconds(4);
    timing_.short_watch = std::chrono::milliseconds(0);
    timing_.verify_versions = false;
    spec_.resource = resources::nodes();
  }
  ~InformerTest() override { api_.release(); }

  Informer& informer() {
    if (!informer_) {
      informer_ = std::make_unique<Informer>(client_for(api_.server()), spec_, timing_);
      InformerHandler handler;
      handler.on_add = [this](const ObjectPtr& object, bool initial) {
        seen_.push_back((initial ? "add " : "late-add ") + std::string(object->name()));
      };
      handler.on_update = [this](const ObjectPtr& before, const ObjectPtr& now, bool changed) {
        EXPECT_EQ(before->name(), now->name());
        seen_.push_back((changed ? "change " : "same ") + std::string(now->name()));
      };
      handler.on_delete = [this](const ObjectPtr& last, bool unknown) {
        EXPECT_EQ(last->deletion_seen(), !unknown) << "Only the server's own event is one";
        seen_.push_back((unknown ? "lost " : "delete ") + std::string(last->name()));
      };
      handler.on_synced = [this] { seen_.emplace_back("synced"); };
      const auto fields = FieldSet::of({"/spec/providerID"});
      EXPECT_TRUE(informer_->subscribe(*fields, handler).ok());
    }
    return *informer_;
  }
  // Plays the script until the informer saw `count` things and all steps were asked for.
  void play(std::size_t count) {
    informer().start();
    run_until([&] { return seen_.size() >= count && api_.left() == 0; });
  }
  void TearDown() override { EXPECT_THAT(api_.complaints(), testing::IsEmpty()); }

  void initial_stream(std::vector<std::string> nodes, int version,
                      std::vector<std::string> more = {},
                      ScriptedApi::End end = ScriptedApi::End::hold) {
    std::vector<std::string> events;
    for (const std::string& node : nodes) events.push_back(event_json("ADDED", node));
    events.push_back(bookmark_json(version, true));
    events.insert(events.end(), more.begin(), more.end());
    api_.expect_watch(
        {"/api/v1/nodes?", "sendInitialEvents=true", "resourceVersionMatch=NotOlderThan",
         "allowWatchBookmarks=true", "timeoutSeconds="},
        events, end);
  }
  std::vector<std::string> requests() {
    std::vector<std::string> result;
    for (const auto& request : api_.server().requests()) result.push_back(request.target);
    return result;
  }

  InformerSpec spec_;
  InformerTiming timing_;
  ScriptedApi api_;
  std::vector<std::string> seen_;
  std::unique_ptr<Informer> informer_;
};

}  // namespace ccm::kube
