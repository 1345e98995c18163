// ccm::Host: everything that the host offers to one component. A component gets it in its
// constructor and may keep the reference; it stays valid until the component is destroyed.
// A service that this host lacks does nothing (log, metrics, events) or fails with
// Code::unimplemented and a message that names it (http, kube, timer, worker, instances).
#pragma once

#include <ccm/config.hpp>
#include <ccm/ctx.hpp>
#include <ccm/event.hpp>
#include <ccm/http.hpp>
#include <ccm/instances.hpp>
#include <ccm/kube.hpp>
#include <ccm/leader.hpp>
#include <ccm/load_balancers.hpp>
#include <ccm/log.hpp>
#include <ccm/metrics.hpp>
#include <ccm/object.hpp>
#include <ccm/routes.hpp>
#include <ccm/scope.hpp>
#include <ccm/service.hpp>
#include <ccm/task.hpp>
#include <ccm/timer.hpp>
#include <ccm/worker.hpp>

#include <string>
#include <utility>

namespace ccm {

class Host {
 public:
  // `nonblocking` is the manifest's: operations run on the loop instead of the worker pool.
  Host(const ccm_host* host, bool nonblocking)
      : objects(ObjectHost::find(host, CCM_HOST_OBJECT)),
        contexts(Ctx::Host::find(host, CCM_HOST_CTX)),
        log(Service<ccm_host_log>::find(host, CCM_HOST_LOG)),
        kube(Service<ccm_host_kube>::find(host, CCM_HOST_KUBE), objects),
        http(Service<ccm_host_http>::find(host, CCM_HOST_HTTP)),
        timer(Service<ccm_host_timer>::find(host, CCM_HOST_TIMER)),
        post(Service<ccm_host_post>::find(host, CCM_HOST_POST)),
        worker(Service<ccm_host_worker>::find(host, CCM_HOST_WORKER)),
        metrics(Service<ccm_host_metrics>::find(host, CCM_HOST_METRICS)),
        events(Service<ccm_host_event>::find(host, CCM_HOST_EVENT)),
        config(Service<ccm_host_config>::find(host, CCM_HOST_CONFIG)),
        leader(Service<ccm_host_leader>::find(host, CCM_HOST_LEADER)),
        instances(Service<ccm_cloud_instances>::find(host, CCM_CLOUD_INSTANCES)),
        load_balancers(Service<ccm_cloud_loadbalancers>::find(host, CCM_CLOUD_LOADBALANCERS)),
        routes(Service<ccm_cloud_routes>::find(host, CCM_CLOUD_ROUTES)),
        host_(host),
        nonblocking_(nonblocking) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const ObjectHost objects;
  const Ctx::Host contexts;
  const Log log;
  const Kube kube;
  const Http http;
  const Timer timer;
  const Post post;
  const Worker worker;
  const Metrics metrics;
  const Events events;
  Config config;
  const Leader leader;
  // For controllers: the cloud, as the broker shows it.
  const Instances instances;
  const LoadBalancers load_balancers;
  const Routes routes;

  // A ctx without deadline that ends with the component.
  [[nodiscard]] Ctx background() const { return Ctx::background(contexts); }

  // Starts a task that nobody awaits; its failure is logged. It is destroyed with the component.
  // Only in components whose manifest says "nonblocking": true. [serial]
  template <typename T>
  void spawn(Task<T> task) {
    scope_.start(std::move(task), [this](auto outcome) {
      Status status;
      if constexpr (std::is_same_v<decltype(outcome), Status>) {
        status = std::move(outcome);
      } else {
        status = outcome.status();
      }
      if (!status.ok()) log.error("a background task failed", {{"error", status}});
    });
  }

  // An interface by id, for what this layer does not wrap yet.
  template <typename Table>
  [[nodiscard]] Service<Table> find(const char* id) const {
    return Service<Table>::find(host_, id);
  }

  [[nodiscard]] bool nonblocking() const { return nonblocking_; }
  [[nodiscard]] Scope& scope() { return scope_; }

 private:
  const ccm_host* host_;
  bool nonblocking_;
  Scope scope_;
};

}  // namespace ccm
