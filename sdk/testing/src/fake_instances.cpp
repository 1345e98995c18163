#include "ccm/testing/fake_instances.hpp"

#include "fake_operation.hpp"

namespace ccm::testing {
namespace {

Instance nothing_known(Status why) {
  Instance instance;
  instance.why = std::move(why);
  return instance;
}

}  // namespace

struct FakeInstances::Table {
  static FakeInstances& owner(void* self) { return *static_cast<FakeInstances*>(self); }

  static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                   ccm_completion done) {
    FakeInstances& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("instances.list", done);
    cloud.serve("list", ctx, done, [&cloud]() -> Answer {
      return [all = cloud.instances](ccm_completion completion) {
        const detail::InstanceListC raw(all);
        complete(completion, {}, raw.list());
      };
    });
  }

  static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                       ccm_completion done) {
    FakeInstances& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("instances.describe", done);
    const ccm_describe_instances_request raw = known(request);
    std::vector<NodeIdentity> nodes;
    for (size_t i = 0; i < raw.node_count; ++i) {
      nodes.push_back(NodeIdentity::from_c(cloud.objects_.service(), *raw.nodes[i]));
    }
    cloud.serve("describe", ctx, done, [&cloud, nodes]() -> Answer {
      std::vector<Instance> answers;
      for (const NodeIdentity& node : nodes) {
        cloud.asked.push_back(node);
        answers.push_back(cloud.answer(node));
      }
      return [answers](ccm_completion completion) {
        const detail::InstanceListC list(answers);
        complete(completion, {}, list.list());
      };
    });
  }

  static void get(void* self, ccm_ctx ctx, const ccm_get_instance_request* request,
                  ccm_completion done) {
    FakeInstances& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("instances.get", done);
    const auto node = NodeIdentity::from_c(cloud.objects_.service(), *known(request).node);
    cloud.serve("get", ctx, done, [&cloud, node]() -> Answer {
      cloud.asked.push_back(node);
      const Instance found = cloud.answer(node);
      if (!found.why.ok()) return ended(found.why);
      if (is_gone(found.state)) {
        return ended(Status(Code::not_found, ErrorClass::not_found, "no such instance"));
      }
      return [found](ccm_completion completion) {
        const std::vector<Instance> instances = {found};  // the list points into it
        const detail::InstanceListC raw(instances);
        complete(completion, {}, raw.first());
      };
    });
  }

  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) {
    FakeInstances& cloud = owner(self);
    if (!detail::understood(*request)) return cloud.refuse("instances.limits", done);
    cloud.serve("limits", ctx, done, []() -> Answer {
      return [](ccm_completion completion) {
        const auto none = sized<ccm_instance_limits>();
        complete(completion, {}, &none);
      };
    });
  }
};

FakeInstances::FakeInstances(FakeHost& host)
    : FakeCloudScript(host.loop, host.contexts), objects_(host.objects) {
  table_ = sized<ccm_cloud_instances>();
  table_.list = &Table::list;
  table_.describe = &Table::describe;
  table_.get = &Table::get;
  table_.limits = &Table::limits;
}

Instance FakeInstances::answer(const NodeIdentity& node) const {
  const auto why_unknown = unknown.find(node.name);
  if (why_unknown != unknown.end()) return nothing_known(why_unknown->second);
  if (!node.provider_id.empty() && !node.provider_id.starts_with(prefix)) {
    return nothing_known(
        Status(Code::unimplemented, ErrorClass::unsupported, "it is another provider's")
            .with_reason("ForeignProviderID"));
  }
  Instance absent;
  absent.state = InstanceState::absent;
  std::vector<const Instance*> found;
  for (const Instance& each : instances) {
    const bool fits =
        node.provider_id.empty() ? each.name == node.name : each.provider_id == node.provider_id;
    if (fits) found.push_back(&each);
  }
  if (found.size() > 1) {
    return nothing_known(
        Status(Code::unknown, "several instances have that name").with_reason("AmbiguousInstance"));
  }
  return found.empty() ? absent : *found.front();
}

}  // namespace ccm::testing
