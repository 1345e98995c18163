// A provider of instances that a test plays, as the table of functions that the host calls.
#pragma once

#include "test_machines.hpp"

#include <ccm/abi/instances.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ccm::cloud {

class InstancesProvider {
 public:
  // An open call, which the test ends once. The broker hears of it when its loop is polled.
  class Call {
   public:
    explicit Call(ccm_completion completion, bool one = false)
        : completion_(completion), one_(one) {}
    void end(const Status& status) const { complete(status, nullptr); }
    void end(std::vector<Machine> machines, std::vector<std::string> unknown = {}) const {
      const MachineList list(std::move(machines), std::move(unknown));
      const void* one = list.get()->count > 0 ? list.get()->instances[0] : nullptr;
      complete({}, one_ ? one : list.get());
    }

   private:
    void complete(const Status& status, const void* result) const {
      const ccm_status raw = status.to_c();
      completion_.fn(completion_.owner, completion_.operation, &raw, result);
    }
    ccm_completion completion_;
    bool one_;
  };
  struct Asked {
    std::string name;
    std::string provider_id;
  };

  virtual ~InstancesProvider() = default;
  virtual void list(ccm_ctx ctx, Call call) = 0;
  virtual void get(ccm_ctx ctx, Asked asked, Call call) = 0;
  virtual void describe(ccm_ctx, std::size_t, Call call) {
    call.end(Status(Code::unimplemented, "it only gets"));
  }

  // With these functions; for a broker that begins afterwards. It must not outlive this.
  ccm_interface interface(bool lists, bool gets, bool describes = false) {
    table_ = sized<ccm_cloud_instances>();
    if (lists) table_.list = &list_of;
    if (gets) table_.get = &get_of;
    if (describes) table_.describe = &describe_of;
    return {this, &table_};
  }

 private:
  static InstancesProvider& of(void* self) { return *static_cast<InstancesProvider*>(self); }
  static void list_of(void* self, ccm_ctx ctx, const ccm_list_instances_request*,
                      ccm_completion done) {
    of(self).list(ctx, Call(done));
  }
  static void get_of(void* self, ccm_ctx ctx, const ccm_get_instance_request* request,
                     ccm_completion done) {
    const ccm_node_identity& node = *request->node;
    of(self).get(ctx, {std::string(view(node.name)), std::string(view(node.provider_id))},
                 Call(done, true));
  }
  static void describe_of(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                          ccm_completion done) {
    of(self).describe(ctx, request->node_count, Call(done));
  }

  ccm_cloud_instances table_{};
};

}  // namespace ccm::cloud
