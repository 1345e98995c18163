// ccm::Host: everything that the host offers to one component. A component gets it in its
// constructor and may keep the reference; it stays valid until the component is destroyed.
// A service that this host lacks does nothing (log, metrics, events, hints, queue) or fails with
// Code::unimplemented and a message that names it (http, kube, timer, worker, instances, ...).
#pragma once

#include <ccm/config.hpp>
#include <ccm/crypto.hpp>
#include <ccm/ctx.hpp>
#include <ccm/event.hpp>
#include <ccm/file.hpp>
#include <ccm/hint.hpp>
#include <ccm/http.hpp>
#include <ccm/instances.hpp>
#include <ccm/kube.hpp>
#include <ccm/leader.hpp>
#include <ccm/load_balancers.hpp>
#include <ccm/log.hpp>
#include <ccm/metrics.hpp>
#include <ccm/object.hpp>
#include <ccm/queue.hpp>
#include <ccm/routes.hpp>
#include <ccm/scope.hpp>
#include <ccm/service.hpp>
#include <ccm/task.hpp>
#include <ccm/timer.hpp>
#include <ccm/worker.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace ccm {

class Host {
 public:
  explicit Host(const ccm_host* host)
      : objects(ObjectHost::find(host, CCM_HOST_OBJECT)),
        contexts(Ctx::Host::find(host, CCM_HOST_CTX)),
        log(Service<ccm_host_log>::find(host, CCM_HOST_LOG)),
        kube(Service<ccm_host_kube>::find(host, CCM_HOST_KUBE), objects),
        http(Service<ccm_host_http>::find(host, CCM_HOST_HTTP), minor_of(host)),
        http_clients(Service<ccm_host_http_client>::find(host, CCM_HOST_HTTP_CLIENT),
                     minor_of(host)),
        timer(Service<ccm_host_timer>::find(host, CCM_HOST_TIMER), log),
        post(Service<ccm_host_post>::find(host, CCM_HOST_POST), log),
        worker(Service<ccm_host_worker>::find(host, CCM_HOST_WORKER)),
        metrics(Service<ccm_host_metrics>::find(host, CCM_HOST_METRICS)),
        events(Service<ccm_host_event>::find(host, CCM_HOST_EVENT)),
        config(Service<ccm_host_config>::find(host, CCM_HOST_CONFIG), log),
        files(Service<ccm_host_file>::find(host, CCM_HOST_FILE), log),
        crypto(Service<ccm_host_crypto>::find(host, CCM_HOST_CRYPTO)),
        leader(Service<ccm_host_leader>::find(host, CCM_HOST_LEADER), log),
        hints(Service<ccm_host_hint>::find(host, CCM_HOST_HINT)),
        queue(Service<ccm_host_queue>::find(host, CCM_HOST_QUEUE)),
        host_(host) {
    find_cloud();
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const ObjectHost objects;
  const Ctx::Host contexts;
  const Log log;
  const Kube kube;
  const Http http;
  const HttpClients http_clients;
  const Timer timer;
  const Post post;
  const Worker worker;
  const Metrics metrics;
  const Events events;
  const Config config;
  const Files files;
  const Crypto crypto;
  const Leader leader;
  // For providers whose cloud pushes news.
  const Hints hints;
  // For controllers: their own queue.
  const Queue queue;
  // For controllers: the cloud, as the broker shows it. Known when `setup` is called.
  Instances instances;
  LoadBalancers load_balancers;
  Routes routes;

  // The ctx without deadline that ends with the component.
  [[nodiscard]] Ctx background() const { return Ctx::background(contexts); }

  // Any JSON text as an object, such as the answer of a cloud; empty when it is none.
  [[nodiscard]] Object parse(std::string_view json) const { return Object::parse(objects, json); }

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
      if (!status.ok()) log.error("A background task failed", {{"err", status}});
    });
  }

  // An interface by id, for what this layer does not wrap yet.
  template <typename Table>
  [[nodiscard]] Service<Table> find(const char* id) const {
    return Service<Table>::find(host_, id);
  }

  // The manifest's: operations run in [serial] instead of on the worker pool.
  [[nodiscard]] bool nonblocking() const {
    return host_ != nullptr && CCM_HAS(host_, flags) && (host_->flags & CCM_NONBLOCKING) != 0;
  }
  // The minor version of the ABI that the host knows.
  [[nodiscard]] uint32_t abi_minor() const { return minor_of(host_); }
  [[nodiscard]] Scope& scope() { return scope_; }

  // Looks for the cloud again: the adapter does so before `setup`.
  void find_cloud() {
    instances = Instances(find<ccm_cloud_instances>(CCM_CLOUD_INSTANCES));
    load_balancers = LoadBalancers(find<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS));
    routes = Routes(find<ccm_cloud_routes>(CCM_CLOUD_ROUTES));
  }

 private:
  static uint32_t minor_of(const ccm_host* host) { return host != nullptr ? host->abi_minor : 0; }

  const ccm_host* host_;
  Scope scope_;
};

}  // namespace ccm
