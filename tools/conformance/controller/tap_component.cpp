#include "tap_component.hpp"

#include <ccm/abi/controller.h>

#include <cstring>

namespace ccm::conformance {
namespace {

// `create` has no owner to pass on: a case has one tap at a time, in a process of its own.
Tap* the_tap = nullptr;

}  // namespace

ccm_bool Tap::Component::get_service(const char* id, ccm_interface* out) {
  ccm_interface found{nullptr, nullptr};
  if (inner->get_interface(inner->self, id, &found) == 0) return 0;
  const void* const outer_table = tapped_table(id);
  if (outer_table == nullptr) {
    *out = found;
    return 1;
  }
  const std::lock_guard lock(tap.mutex_);
  Tapped& tapped = services[id];
  tapped = {&tap, found, inner};
  *out = {&tapped, outer_table};
  return 1;
}

// The functions that the fake host calls.
struct Tap::Tables {
  static Component& component(void* self) { return *static_cast<Component*>(self); }

  static ccm_bool get_service(void* self, const char* id, ccm_interface* out) {
    return component(self).get_service(id, out);
  }

  static void create(void* self, ccm_ctx ctx, const ccm_create_request* given,
                     ccm_completion done) {
    Tap& tap = *the_tap;
    if (tap.component_) tap.gone_.push_back(std::move(tap.component_));
    tap.component_ = std::make_unique<Component>(tap);
    Component& made = *tap.component_;
    made.inner = given->host;
    made.outer = known(given->host);
    made.outer.self = &made;
    made.outer.get_interface = &get_service;
    made.created = done;
    ccm_create_request request = known(given);
    request.host = &made.outer;
    tap.set_phase(Phase::create);
    tap.real_->create(self, ctx, &request, {&created, &made, 1});
  }
  static void created(void* owner, uint64_t, const ccm_status* status, const void* result) {
    Component& made = component(owner);
    made.tap.set_phase(Phase::nothing);
    ccm_component outer{};
    if (result != nullptr) {
      made.real = known(static_cast<const ccm_component*>(result));
      outer = made.real;
      outer.size = sizeof(outer);
      outer.self = &made;
      if (outer.get_interface != nullptr) outer.get_interface = &get_interface;
      if (outer.destroy != nullptr) outer.destroy = &destroy;
    }
    made.created.fn(made.created.owner, made.created.operation, status,
                    result != nullptr ? &outer : nullptr);
  }

  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) {
    Component& made = component(self);
    ccm_interface found{nullptr, nullptr};
    if (made.real.get_interface(made.real.self, id, &found) == 0) return 0;
    *out = found;
    if (std::strcmp(id, CCM_CONTROLLER) != 0) return 1;
    made.controller = found;
    made.table = known(static_cast<const ccm_controller*>(found.table));
    made.table.size = sizeof(made.table);
    if (made.table.reconcile != nullptr) made.table.reconcile = &reconcile;
    if (made.table.setup != nullptr) made.table.setup = &setup;
    if (made.table.stop != nullptr) made.table.stop = &stop;
    *out = {&made, &made.table};
    return 1;
  }
  static void destroy(void* self) {
    Component& made = component(self);
    made.tap.set_phase(Phase::destroy);
    made.real.destroy(made.real.self);
    made.tap.set_phase(Phase::gone);
  }

  static const ccm_controller& table(const Component& made) {
    return *static_cast<const ccm_controller*>(made.controller.table);
  }
  static void setup(void* self, ccm_ctx ctx, const ccm_setup_request* request,
                    ccm_completion done) {
    Component& made = component(self);
    made.tap.set_phase(Phase::setup);
    table(made).setup(made.controller.self, ctx, request, watch(made, done, true));
  }
  static void reconcile(void* self, ccm_ctx ctx, const ccm_reconcile_request* request,
                        ccm_completion done) {
    Component& made = component(self);
    const auto began = std::chrono::steady_clock::now();
    const ccm_completion watched = watch(made, done, false);
    try {
      table(made).reconcile(made.controller.self, ctx, request, watched);
    } catch (...) {
      made.tap.note("threw", "reconcile threw an exception");
      throw;
    }
    made.tap.took("reconcile", began);
  }
  static void stop(void* self, ccm_ctx ctx, const ccm_stop_request* request, ccm_completion done) {
    Component& made = component(self);
    table(made).stop(made.controller.self, ctx, request, done);
  }

  // The end of a setup or reconcile. It stays: a second completion finds it.
  struct End {
    Component* made;
    ccm_completion done;
    bool setup;
    static void completed(void* owner, uint64_t operation, const ccm_status* status,
                          const void* result) {
      auto& self = *static_cast<End*>(owner);
      Tap& tap = self.made->tap;
      if (self.setup) tap.set_phase(Phase::run);
      self.look(status, result);
      self.done.fn(self.done.owner, operation, status, result);
    }
    void look(const ccm_status* status, const void* result) const {
      Tap& tap = made->tap;
      if (status == nullptr || !CCM_HAS(status, code)) return;
      const ccm_status raw = known(status);
      tap.check_text("the message of a status", raw.message);
      tap.check_text("the reason of a status", raw.reason);
      tap.say(raw.message);
      if (setup) return;
      TappedEnd end{raw.code, result != nullptr, 0, 0};
      if (result != nullptr) {
        std::memcpy(&end.result_size, result, sizeof(end.result_size));
        const auto* given = static_cast<const ccm_reconcile_result*>(result);
        if (end.result_size <= CCM_SIZE_LIMIT) end.requeue_after_ms = known(given).requeue_after_ms;
      }
      const std::lock_guard lock(tap.mutex_);
      tap.ends_.push_back(end);
    }
  };
  static ccm_completion watch(Component& made, ccm_completion done, bool setup) {
    auto* end = new End{&made, done, setup};  // NOLINT: see above
    return {&End::completed, end, done.operation};
  }
};

const ccm_plugin* Tap::wrap(const ccm_plugin* plugin) {
  the_tap = this;
  real_ = plugin;
  wrapped_ = known(plugin);
  wrapped_.size = sizeof(wrapped_);
  wrapped_.create = &Tables::create;
  return &wrapped_;
}

}  // namespace ccm::conformance
