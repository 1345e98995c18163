// The end of a load balancer, or of a Service's part of a shared one (OS-304..OS-310).
#include "operations.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack {
namespace {

Status being_deleted(const std::string& id, milliseconds pause) {
  return Status(Code::unavailable, ErrorClass::waiting, "load balancer " + id + " is being deleted")
      .with_reason("CloudBusy")
      .with_retry_after(pause);
}

Status being_changed(const std::string& id, milliseconds pause) {
  return Status(Code::unavailable, ErrorClass::waiting, "load balancer " + id + " is being changed")
      .with_reason("CloudBusy")
      .with_retry_after(pause);
}

Status takes_no_change(const std::string& id) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "load balancer " + id +
                    " is shared and in the state ERROR: an administrator has to repair it with "
                    "\"openstack loadbalancer failover " +
                    id + "\" before a Service can leave it")
      .with_reason("LoadBalancerError");
}

}  // namespace

// The host takes class not_found for "nothing is left", and forgets the load balancer. Something
// that a step needs and that is missing is no such answer.
Task<Status> LoadBalancers::remove(Ctx ctx, LoadBalancerService service) {
  notices_.forget(service);
  Status gone = co_await remove_all(ctx, service);
  if (gone.ok()) proven_.erase(service.uid);
  if (gone.error_class() != ErrorClass::not_found) co_return gone;
  co_return Status(Code::unavailable, ErrorClass::unavailable, gone.message())
      .with_reason(gone.reason());
}

// All that bear the Service's mark: it may have had more than one.
Task<Status> LoadBalancers::remove_all(Ctx ctx, const LoadBalancerService& service) {
  auto all = co_await octavia_.with_tag(ctx, service_mark(service));
  if (!all.ok()) co_return all.status();
  auto found = co_await find(ctx, service);
  if (!found.ok()) co_return found.status();
  const auto same = [&](const ExistingLoadBalancer& one) { return one.id == (*found)->id; };
  if (*found && std::none_of(all->begin(), all->end(), same)) {
    const auto whose = co_await claim(ctx, service, **found);
    if (!whose.ok()) co_return whose.status();
    if (*whose == Claim::none && all->empty()) {
      Status closed = co_await access_.remove(ctx, service);
      if (!closed.ok()) co_return closed;
      Status left = co_await disown(ctx, service, **found);
      co_return left;
    }
    if (*whose == Claim::owner) all->push_back(**found);
  }
  for (ExistingLoadBalancer& balancer : *all) {
    Status gone = co_await take_down(ctx, service, balancer);
    if (!gone.ok()) co_return gone;
  }
  // Also when there is no load balancer any more (OS-304), and when groups are not managed
  // (OS-311).
  Status open = co_await access_.remove(ctx, service);
  co_return open;
}

// A hand may have taken the tag off the load balancer alone.
Task<Status> LoadBalancers::disown(Ctx ctx, const LoadBalancerService& service,
                                   ExistingLoadBalancer& balancer) {
  if (balancer.status == "ERROR" || balancer.status == "PENDING_DELETE")
    co_return not_owned(balancer.id);
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  const std::string mark = service_mark(service);
  for (ExistingListener& listener : balancer.listeners) {
    listener.ours = std::binary_search(listener.tags.begin(), listener.tags.end(), mark);
  }
  LoadBalancerWrites writes = removal_of_listeners(balancer);
  if (writes.empty()) co_return not_owned(balancer.id);
  if (balancer.pending()) co_return being_changed(balancer.id, pending_pause_.of(balancer));
  std::string done;
  Status sent = co_await octavia_.send_all(ctx, balancer, std::move(writes), done);
  if (!sent.ok()) co_return sent;
  if (balancer.status != "ACTIVE")
    co_return being_changed(balancer.id, pending_pause_.of(balancer));
  co_return not_owned(balancer.id);
}

Task<Status> LoadBalancers::take_down(Ctx ctx, const LoadBalancerService& service,
                                      ExistingLoadBalancer& balancer) {
  if (balancer.status == "PENDING_DELETE")
    co_return being_deleted(balancer.id, pending_pause_.of(balancer));
  if (balancer.pending()) co_return being_changed(balancer.id, pending_pause_.of(balancer));
  const bool whole = made_by_a_manager(balancer) && other_users(service, balancer) == 0;
  Status gone;
  if (whole) {
    gone = co_await destroy(ctx, service, balancer);
  } else {
    gone = co_await leave(ctx, service, balancer);
  }
  co_return gone;
}

Task<Status> LoadBalancers::remove_whole(Ctx ctx, ExistingLoadBalancer balancer) {
  const milliseconds pause = pending_pause_.of(balancer);
  if (balancer.status == "PENDING_DELETE") co_return being_deleted(balancer.id, pause);
  if (balancer.pending()) co_return being_changed(balancer.id, pause);
  const LoadBalancerService nobody;
  Status gone = co_await destroy(ctx, nobody, balancer);
  co_return gone;
}

// OS-309. The tag goes last: it says that there is something left. The floating IP of the Service
// stays only for others of its namespace.
Task<Status> LoadBalancers::leave(Ctx ctx, const LoadBalancerService& service,
                                  ExistingLoadBalancer& balancer) {
  if (balancer.status == "ERROR") co_return takes_no_change(balancer.id);
  Status read = co_await octavia_.read_children(ctx, balancer);
  if (!read.ok()) co_return read;
  Status released = co_await addresses_.leave(ctx, service, balancer);
  if (!released.ok()) co_return released;
  claim_listeners(service, Claim::owner, balancer);
  std::string done;
  LoadBalancerWrites writes = removal_of_listeners(balancer);
  writes.push_back(tags_of(balancer, without_own_tags(service, balancer.tags)));
  const std::size_t count = writes.size();
  const std::string last = writes.back().what;
  Status sent = co_await octavia_.send_all(ctx, balancer, std::move(writes), done);
  if (!sent.ok()) co_return sent;
  const bool all_sent = done.ends_with(last) && (count == 1 || done.size() > last.size());
  if (!all_sent) co_return being_changed(balancer.id, pending_pause_.of(balancer));
  hint_others(service, balancer);
  co_return Status();
}

// Has the other users looked at: those of other namespaces get an address of their own.
void LoadBalancers::hint_others(const LoadBalancerService& service,
                                const ExistingLoadBalancer& balancer) const {
  for (const MarkedService& user : other_services(service, balancer)) {
    const std::string space = user.namespace_name();
    host_.hints.load_balancer_changed(space, user.service.substr(space.size() + 1));
  }
}

// The floating IP first: it is found by the load balancer's port (OS-307).
Task<Status> LoadBalancers::destroy(Ctx ctx, const LoadBalancerService& service,
                                    ExistingLoadBalancer& balancer) {
  Status released = co_await addresses_.release(ctx, service, balancer);
  if (!released.ok()) co_return released;
  // In ERROR nothing else is possible (OS-256, OS-385).
  const bool cascade = settings_.cascade_delete || balancer.status == "ERROR";
  if (!cascade) {
    Status read = co_await octavia_.read_children(ctx, balancer);
    if (!read.ok()) co_return read;
    LoadBalancerWrites parts = removal_of_parts(balancer);
    if (!parts.empty()) {
      std::string done;
      Status sent = co_await octavia_.send_all(ctx, balancer, std::move(parts), done);
      if (!sent.ok()) co_return sent;
      if (balancer.status != "ACTIVE")
        co_return being_changed(balancer.id, pending_pause_.of(balancer));
    }
  }
  Status deleted = co_await octavia_.send(ctx, removal(balancer, cascade));
  if (!deleted.ok()) co_return deleted;
  auto left = co_await octavia_.find(ctx, balancer.id);
  if (!left.ok()) co_return left.status();
  if (*left) co_return being_deleted(balancer.id, pending_pause_.of(**left));
  pending_pause_.forget(balancer.id);
  repairs_.forget(balancer.id);
  co_return Status();
}

}  // namespace ccm::openstack
