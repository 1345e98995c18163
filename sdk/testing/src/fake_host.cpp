#include "ccm/testing/fake_host.hpp"

#include <ccm/status.hpp>

#include <utility>

namespace ccm::testing {

struct FakeHost::Table {
  static FakeHost& owner(void* self) { return *static_cast<FakeHost*>(self); }

  static bool get_interface(void* self, const char* id, ccm_interface* out) {
    const auto place = owner(self).services_.find(std::string_view(id));
    if (place == owner(self).services_.end()) return false;
    *out = place->second;
    return true;
  }

  static int64_t now_ms(void* self) { return owner(self).loop.now().count(); }
  // 2026-01-01T00:00:00Z plus the fake clock.
  static int64_t wall_clock_ms(void* self) {
    return 1'767'225'600'000 + owner(self).loop.now().count();
  }
  static uint64_t after(void* self, int64_t delay_ms, void (*fn)(void*), void* callee) {
    return owner(self).loop.after(std::chrono::milliseconds(delay_ms),
                                  [fn, callee] { fn(callee); });
  }
  static void cancel(void* self, uint64_t timer) { owner(self).loop.cancel(timer); }

  static void post(void* self, void (*fn)(void*), void* callee) {
    owner(self).loop.post([fn, callee] { fn(callee); });
  }

  static void run(void* self, void (*fn)(void*), void* callee, ccm_completion done) {
    FakeLoop& loop = owner(self).loop;
    loop.work([&loop, fn, callee, done] {
      fn(callee);
      loop.post([done] {
        const ccm_status ok = Status().to_c();
        done.fn(done.owner, done.operation, &ok, nullptr);
      });
    });
  }
};

FakeHost::FakeHost()
    : contexts(loop),
      events(objects),
      config(loop),
      http(loop, contexts),
      kube(loop, objects),
      load_balancers(loop, objects, contexts),
      routes(loop, objects, contexts) {
  timer_ = {sizeof(timer_), 0, Table::now_ms, Table::wall_clock_ms, Table::after, Table::cancel};
  post_ = {sizeof(post_), 0, Table::post};
  worker_ = {sizeof(worker_), 0, Table::run};
  host_ = {sizeof(host_), CCM_ABI_MINOR, this, Table::get_interface};
  services_ = {
      {CCM_HOST_OBJECT, {&objects, objects.table()}},
      {CCM_HOST_CTX, {&contexts, contexts.table()}},
      {CCM_HOST_LOG, {&log, log.table()}},
      {CCM_HOST_EVENT, {&events, events.table()}},
      {CCM_HOST_METRICS, {&metrics, metrics.table()}},
      {CCM_HOST_CONFIG, {&config, config.table()}},
      {CCM_HOST_LEADER, {&leader, leader.table()}},
      {CCM_HOST_HTTP, {&http, http.table()}},
      {CCM_HOST_KUBE, {&kube, kube.table()}},
      {CCM_CLOUD_LOADBALANCERS, {&load_balancers, load_balancers.table()}},
      {CCM_CLOUD_ROUTES, {&routes, routes.table()}},
      {CCM_HOST_TIMER, {this, &timer_}},
      {CCM_HOST_POST, {this, &post_}},
      {CCM_HOST_WORKER, {this, &worker_}},
  };
}

void FakeHost::hide(const std::string& id) { services_.erase(id); }

void FakeHost::offer(const std::string& id, ccm_interface service) { services_[id] = service; }

std::vector<std::string> FakeHost::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

void FakeHost::fault(std::string line) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(line));
}

}  // namespace ccm::testing
