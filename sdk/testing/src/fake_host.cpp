#include "ccm/testing/fake_host.hpp"

#include "fake_operation.hpp"

#include <ccm/status.hpp>

#include <utility>

namespace ccm::testing {

struct FakeHost::Table {
  static FakeHost& owner(void* self) {
    return *static_cast<FakeHost*>(static_cast<FakeCaller*>(self)->service);
  }
  static std::shared_ptr<KeptCallback> keep(void* self, ccm_callback callback) {
    return static_cast<FakeCaller*>(self)->callbacks->keep(callback);
  }

  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) {
    const ccm_interface* found = owner(self).find(id);
    if (found == nullptr) return 0;
    *out = *found;
    return 1;
  }

  static int64_t now_ms(void* self) { return owner(self).loop.now().count(); }
  static int64_t wall_clock_ms(void* self) {
    return (owner(self).wall_clock_begin + owner(self).loop.now()).count();
  }
  static uint64_t after(void* self, int64_t delay_ms, ccm_callback callback) {
    auto kept = keep(self, callback);
    if (!kept) return 0;
    return owner(self).loop.after(std::chrono::milliseconds(delay_ms),
                                  [kept = std::move(kept)] { kept->call(); });
  }
  static void cancel(void* self, uint64_t timer) { owner(self).loop.cancel(timer); }

  static void post(void* self, ccm_callback callback) {
    auto kept = keep(self, callback);
    if (kept) owner(self).loop.post([kept = std::move(kept)] { kept->call(); });
  }

  static void run(void* self, ccm_ctx ctx, const ccm_work_request* given, ccm_completion done) {
    FakeHost& host = owner(self);
    const ccm_work_request request = known(given);
    Status refused = only_known(given) ? host.contexts.check(ctx) : unknown_request("worker.run");
    const auto work = std::make_shared<KeptCallback>(request.work);
    if (!refused.ok()) return post_failure(host.loop, done, std::move(refused));
    host.loop.work([&loop = host.loop, work, done] {
      work->call();
      work->drop();
      loop.post([done] { complete(done, {}); });
    });
  }
};

FakeHost::FakeHost()
    : contexts(loop),
      events(objects),
      config(loop),
      files(loop, contexts),
      leader(loop),
      http(loop, contexts),
      kube(loop, objects, contexts),
      load_balancers(loop, objects, contexts),
      routes(loop, objects, contexts) {
  timer_ = sized<ccm_host_timer>();
  timer_.now_ms = &Table::now_ms;
  timer_.wall_clock_ms = &Table::wall_clock_ms;
  timer_.after = &Table::after;
  timer_.cancel = &Table::cancel;
  post_ = sized<ccm_host_post>();
  post_.post = &Table::post;
  worker_ = sized<ccm_host_worker>();
  worker_.run = &Table::run;
  host_ = sized<ccm_host>();
  host_.abi_minor = CCM_ABI_MINOR;
  host_.flags = CCM_NONBLOCKING;
  host_.self = &caller_;
  host_.get_interface = &Table::get_interface;
  services_ = {
      {CCM_HOST_OBJECT, {&objects, objects.table()}},
      {CCM_HOST_CTX, {contexts.caller(), contexts.table()}},
      {CCM_HOST_LOG, {&log, log.table()}},
      {CCM_HOST_EVENT, {&events, events.table()}},
      {CCM_HOST_METRICS, {&metrics, metrics.table()}},
      {CCM_HOST_CONFIG, {config.caller(), config.table()}},
      {CCM_HOST_FILE, {files.caller(), files.table()}},
      {CCM_HOST_CRYPTO, {&crypto, crypto.table()}},
      {CCM_HOST_LEADER, {leader.caller(), leader.table()}},
      {CCM_HOST_HINT, {&hints, hints.table()}},
      {CCM_HOST_HTTP, {http.shared(), http.table()}},
      {CCM_HOST_HTTP_CLIENT, {&http, http.client_table()}},
      {CCM_HOST_KUBE, {&kube, kube.table()}},
      {CCM_CLOUD_LOADBALANCERS, {&load_balancers, load_balancers.table()}},
      {CCM_CLOUD_ROUTES, {&routes, routes.table()}},
      {CCM_HOST_TIMER, {&caller_, &timer_}},
      {CCM_HOST_POST, {&caller_, &post_}},
      {CCM_HOST_WORKER, {&caller_, &worker_}},
  };
  takes_callbacks_ = {CCM_HOST_CTX,   CCM_HOST_CONFIG, CCM_HOST_FILE,  CCM_HOST_LEADER,
                      CCM_HOST_TIMER, CCM_HOST_POST,   CCM_HOST_WORKER};
}

const ccm_interface* FakeHost::find(std::string_view id) const {
  const auto place = services_.find(id);
  return place != services_.end() ? &place->second : nullptr;
}

bool FakeHost::takes_callbacks(std::string_view id) const { return takes_callbacks_.contains(id); }

void FakeHost::hide(const std::string& id) { services_.erase(id); }

void FakeHost::offer(const std::string& id, ccm_interface service) {
  services_[id] = service;
  takes_callbacks_.erase(id);
}

std::vector<std::string> FakeHost::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

void FakeHost::fault(std::string line) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(line));
}

}  // namespace ccm::testing
