#include "cloud/broker/instances_service.hpp"

#include "base/log.hpp"
#include "plugin/host_services/object_service.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ccm::plugin {

namespace {

Result<MachineQuery> read_query(const ccm_node_identity* node) {
  if (node == nullptr || !CCM_HAS(node, provider_id)) {
    return Status(Code::invalid_argument, "no node was given to look for");
  }
  MachineQuery query;
  query.name = view(node->name);
  query.provider_id = view(node->provider_id);
  query.max_age = std::chrono::milliseconds(node->max_age_ms);
  if (CCM_HAS(node, node)) query.node = kube::ObjectPtr(object_of(node->node));
  query.not_before = query.node ? query.node->seen() : BootClock::now();
  if (query.name.empty() && query.provider_id.empty()) {
    return Status(Code::invalid_argument, "a node without a name and a provider ID was given");
  }
  return query;
}

void end_with_list(HostOperation& running, const InstanceSnapshot::Ptr& snapshot) {
  InstanceExport machines;
  for (std::size_t index = 0; index < snapshot->size(); ++index) machines.add(snapshot, index);
  if (!snapshot->complete()) machines.mark_incomplete();
  running.end({}, &machines.list());
}

// The answers of one describe, as they arrive.
struct Batch {
  ServiceOperation running;
  std::vector<MachineQuery> queries;
  std::vector<MachineAnswer> answers;
  std::size_t missing = 0;
};

// A machine of which nothing is known is UNKNOWN in the list, and the reason is logged. When no
// machine is known at all, the whole call fails with the reason.
void end_batch(const Batch& batch) {
  InstanceExport machines;
  std::size_t failed = 0;
  for (std::size_t index = 0; index < batch.answers.size(); ++index) {
    const MachineAnswer& answer = batch.answers[index];
    const MachineQuery& query = batch.queries[index];
    if (answer.snapshot) {
      machines.add(answer.snapshot, answer.index);
      continue;
    }
    machines.add_state(answer.state(), query.name, query.provider_id);
    if (answer.status.ok()) continue;
    ++failed;
    if (const auto line = log::v(2)) {
      line.info("Nothing is known of a machine", {{"node", query.name}, {"err", answer.status}});
    }
  }
  if (failed > 0 && failed == batch.answers.size()) {
    return batch.running->end(batch.answers.front().status);
  }
  batch.running->end({}, &machines.list());
}

void end_with_answer(const ServiceOperation& running, const MachineAnswer& answer) {
  if (!answer.status.ok()) return running->end(answer.status);
  if (!answer.snapshot) {
    return running->end(Status(Code::not_found, ErrorClass::not_found, "the machine does not exist")
                            .with_reason("MachineNotFound"));
  }
  InstanceExport machine;
  machine.add(answer.snapshot, answer.index);
  running->end({}, machine.list().instances[0]);
}

}  // namespace

void InstancesService::list(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept {
  call(self, ctx, done, "instances.list",
       [](InstancesBroker& broker, const ServiceOperation& running) {
         broker.list(ending_with<InstanceSnapshot::Ptr>(running, end_with_list));
       });
}

void InstancesService::describe(void* self, const ccm_ctx* ctx,
                                const ccm_node_identity* const* nodes, size_t count,
                                ccm_completion done) noexcept {
  std::vector<Result<MachineQuery>> queries;
  queries.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    queries.push_back(read_query(nodes != nullptr ? nodes[index] : nullptr));
  }
  call(self, ctx, done, "instances.describe",
       [queries = std::move(queries)](InstancesBroker& broker, const ServiceOperation& running) {
         auto batch = std::make_shared<Batch>();
         batch->running = running;
         for (const auto& query : queries) {
           if (!query) return running->end(query.status());
           batch->queries.push_back(*query);
           batch->queries.back().origin = running->context()->origin();
         }
         batch->answers.resize(queries.size());
         batch->missing = queries.size();
         if (batch->missing == 0) return end_batch(*batch);
         for (std::size_t index = 0; index < batch->queries.size(); ++index) {
           broker.find(batch->queries[index], [batch, index](const MachineAnswer& answer) {
             batch->answers[index] = answer;
             if (--batch->missing == 0 && !batch->running->ended()) end_batch(*batch);
           });
         }
       });
}

void InstancesService::get(void* self, const ccm_ctx* ctx, const ccm_node_identity* node,
                           ccm_completion done) noexcept {
  call(self, ctx, done, "instances.get",
       [query = read_query(node)](InstancesBroker& broker, const ServiceOperation& running) {
         if (!query) return running->end(query.status());
         MachineQuery asked = *query;
         asked.origin = running->context()->origin();
         broker.find(std::move(asked), [running](const MachineAnswer& answer) {
           if (!running->ended()) end_with_answer(running, answer);
         });
       });
}

const void* InstancesService::table() const {
  static const ccm_cloud_instances table{sizeof(table), 0, &list, &describe, &get};
  return &table;
}

}  // namespace ccm::plugin
