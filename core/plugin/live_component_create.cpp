// How a component, or the plugin as a whole, begins.
#include "plugin/live_component.hpp"

#include <ccm/sized.hpp>

#include <utility>

namespace ccm::plugin {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kCreateTimeout{10'000};

Result<ccm_component> copy_component(const void* result) {
  const auto* made = static_cast<const ccm_component*>(result);
  if (made == nullptr || function_of(made, &ccm_component::destroy) == nullptr ||
      made->get_interface == nullptr) {
    return Status(Code::internal, "the plugin's create returned no usable component");
  }
  return known(made);
}

Result<ccm_opened> copy_opened(const void* result) {
  const auto* opened = static_cast<const ccm_opened*>(result);
  if (opened == nullptr || !CCM_HAS(opened, self)) {
    return Status(Code::internal, "the plugin's open gave no result");
  }
  return known(opened);
}

}  // namespace

template <typename Made>
void LiveComponent::make(std::string_view operation, Copy<Made> copy,
                         std::function<void(const Made&)> keep, Invoke invoke,
                         std::function<void(Status)> done) {
  const auto call = begin_call(operation, nullptr, kCreateTimeout, {});
  call->on_loop = call->makes = true;
  auto created = [self = shared_from_this(), keep = std::move(keep),
                  done = std::move(done)](Result<Made> made) {
    if (made) {
      keep(*made);
      self->state_ = State::live;
    }
    done(made.status());
  };
  start_call<Made>(call, std::move(invoke), std::move(copy), std::move(created), allow_create());
}

void LiveComponent::create(const ccm_plugin& plugin, void* shared, const ccm_host* host,
                           std::function<void(Status)> done) {
  const auto function = function_of(&plugin, &ccm_plugin::create);
  if (function == nullptr) {
    runtime_.loop.post([done = std::move(done)] {
      done(Status(Code::unimplemented, "the plugin has no create function"));
    });
    return;
  }
  auto keep = [this](const ccm_component& made) { component_ = made; };
  auto invoke = [this, function, shared, host](ccm_ctx ctx, ccm_completion once) {
    auto request = sized<ccm_create_request>();
    request.host = host;
    request.component = c_str(identity_.name);
    function(shared, ctx, &request, once);
  };
  make<ccm_component>("create", copy_component, keep, invoke, std::move(done));
}

void LiveComponent::open(const ccm_plugin& plugin, const ccm_host* host,
                         std::function<void(Status)> done) {
  const auto function = function_of(&plugin, &ccm_plugin::open);
  auto keep = [this, &plugin](const ccm_opened& made) {
    component_.self = made.self;
    component_.destroy = function_of(&plugin, &ccm_plugin::close);
  };
  if (function == nullptr) {
    keep({});
    state_ = State::live;
    runtime_.loop.post([done = std::move(done)] { done(Status()); });
    return;
  }
  auto invoke = [function, host](ccm_ctx ctx, ccm_completion once) {
    auto request = sized<ccm_open_request>();
    request.host = host;
    function(nullptr, ctx, &request, once);
  };
  make<ccm_opened>("open", copy_opened, keep, invoke, std::move(done));
}

}  // namespace ccm::plugin
