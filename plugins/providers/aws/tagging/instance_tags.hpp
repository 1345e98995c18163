// Tags of instances, written and taken away in few calls: those that are asked for at about the
// same time go together. [serial]
#pragma once

#include "aws/session.hpp"
#include "settings.hpp"

#include <ccm/gate.hpp>
#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::aws {

enum class TagChange { add, remove };

class InstanceTags {
 public:
  InstanceTags(Host& host, const Session& session) : host_(host), session_(session) {}
  InstanceTags(const InstanceTags&) = delete;
  InstanceTags& operator=(const InstanceTags&) = delete;

  void configure(InstanceTagMap tags) { tags_ = std::move(tags); }

  // Adds the tags to the instance; or takes away those that have these values still. Only of one
  // that EC2 shows to be the cluster's: the id comes from a Node, and so from a kubelet. Failures:
  // not_found when there is none that lives; those of check_of_cluster(); those of the calls.
  Task<Status> change(Ctx ctx, TagChange change, std::string instance_id);

 private:
  // Instances whose changes go together, and how each one ended.
  struct Round {
    explicit Round(const Post& post) : ended(post) {}
    Gate ended;
    std::map<std::string, Status> outcomes;
    int refused = 0;  // instances that EC2 refused alone
  };
  Task<Status> work(Ctx ctx, TagChange change, Round& round);
  Task<Status> write(Ctx ctx, TagChange change, std::vector<std::string> ids, Round& round);
  [[nodiscard]] Status check(const InstanceMap& found, const std::string& id) const;
  [[nodiscard]] Call call_of(TagChange change, const std::vector<std::string>& ids) const;

  Host& host_;
  const Session& session_;
  InstanceTagMap tags_;
  std::array<std::shared_ptr<Round>, 2> gathering_;  // by TagChange
};

}  // namespace ccm::aws
