#include "machines.hpp"

#include <ccm/sized.hpp>

#include <utility>

namespace ccm::conformance {
namespace {

constexpr int32_t kFutureState = 99;

void end(ccm_completion done, const Status& status, const void* result) {
  const ccm_status raw = status.to_c();
  done.fn(done.owner, done.operation, &raw, result);
}

}  // namespace

struct Machines::Table {
  static Machines& owner(void* self) { return *static_cast<Machines*>(self); }

  static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request*,
                   ccm_completion done) {
    std::vector<Instance> all;
    for (const auto& [name, machine] : owner(self).known) {
      if (machine.state != InstanceState::absent) all.push_back(machine);
    }
    owner(self).answer(ctx, done, std::move(all), false);
  }
  static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* given,
                       ccm_completion done) {
    const ccm_describe_instances_request request = ccm::known(given);
    std::vector<Instance> found;
    for (size_t i = 0; i < request.node_count; ++i) {
      found.push_back(owner(self).of(*request.nodes[i]));
    }
    owner(self).answer(ctx, done, std::move(found), false);
  }
  static void get(void* self, ccm_ctx ctx, const ccm_get_instance_request* given,
                  ccm_completion done) {
    const ccm_get_instance_request request = ccm::known(given);
    if (request.node == nullptr) {
      return owner(self).fail(done, Status(Code::invalid_argument, "no Node"));
    }
    Instance machine = owner(self).of(*request.node);
    if (machine.state == InstanceState::absent) {
      return owner(self).fail(done,
                              Status(Code::not_found, ErrorClass::not_found, "no such machine"));
    }
    owner(self).answer(ctx, done, {std::move(machine)}, true);
  }
  static void limits(void* self, ccm_ctx, const ccm_limits_request*, ccm_completion done) {
    owner(self).host_.loop.post([done] {
      const auto raw = sized<ccm_instance_limits>();
      end(done, Status(), &raw);
    });
  }
};

Machines::Machines(testing::FakeHost& host) : host_(host) {
  table_ = sized<ccm_cloud_instances>();
  table_.list = &Table::list;
  table_.describe = &Table::describe;
  table_.get = &Table::get;
  table_.limits = &Table::limits;
}

Instance Machines::of(const ccm_node_identity& identity) const {
  const ccm_node_identity wanted = ccm::known(&identity);
  Instance none;
  none.state = all_unknown ? InstanceState::unknown : InstanceState::absent;
  if (all_unknown) return none;
  for (const auto& [name, machine] : known) {
    const bool same = view(wanted.provider_id).empty()
                          ? name == view(wanted.name)
                          : machine.provider_id == view(wanted.provider_id);
    if (same) return machine;
  }
  return none;
}

void Machines::fail(ccm_completion done, Status status) {
  host_.loop.post([done, status = std::move(status)] { end(done, status, nullptr); });
}

void Machines::answer(ccm_ctx ctx, ccm_completion done, std::vector<Instance> found, bool single) {
  Status refused = host_.contexts.check(ctx);
  if (!refused.ok()) return fail(done, std::move(refused));
  host_.loop.post([done, single, future = state_of_the_future, found = std::move(found)] {
    const detail::InstanceListC raw(found);
    const auto* list = static_cast<const ccm_instance_list*>(raw.list());
    if (future) {
      for (size_t i = 0; i < list->count; ++i) {
        const_cast<ccm_instance*>(list->instances[i])->state = kFutureState;
      }
    }
    end(done, Status(), single ? static_cast<const void*>(list->instances[0]) : list);
  });
}

}  // namespace ccm::conformance
