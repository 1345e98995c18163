// Security groups that a Service does not need any more and that AWS does not delete while a
// network interface still uses them: items of their own, so that no sync waits (AWS-91, 133).
// [serial]
#pragma once

#include "groups.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <set>
#include <string>

namespace ccm::aws {

class Leftovers {
 public:
  Leftovers(Host& host, Groups& groups) : host_(host), groups_(groups) {}
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;

  // Deletes it in the background as soon as AWS lets it go, for some minutes; the Service's next
  // sync finds it again.
  void remove_later(const std::string& group_id) {
    if (waiting_.insert(group_id).second) host_.spawn(run(group_id));
  }

 private:
  static constexpr std::chrono::milliseconds kPause{10'000};
  static constexpr int kTries = 60;

  Task<Status> run(std::string group_id) {
    Status gone;
    for (int i = 0; i < kTries; ++i) {
      Ctx ctx = host_.background();
      Status slept = co_await host_.timer.sleep(ctx, kPause);
      if (!slept.ok()) break;
      gone = co_await groups_.remove(ctx, group_id);
      if (gone.error_class() != ErrorClass::conflict) break;
    }
    waiting_.erase(group_id);
    if (!gone.ok()) {
      host_.log.warning("A security group could not be deleted",
                        {{"group", group_id}, {"err", gone}});
    }
    co_return Status();
  }

  Host& host_;
  Groups& groups_;
  std::set<std::string> waiting_;
};

}  // namespace ccm::aws
