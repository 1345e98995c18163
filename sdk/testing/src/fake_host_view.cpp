#include "ccm/testing/fake_host_view.hpp"

#include <ccm/sized.hpp>

#include <utility>

namespace ccm::testing {

FakeHostView::FakeHostView(FakeHost& host, bool nonblocking, Interfaces own)
    : host_(host), own_(std::move(own)), background_(host.contexts.open_background()) {
  abi_ = sized<ccm_host>();
  abi_.abi_minor = CCM_ABI_MINOR;
  abi_.flags = nonblocking ? CCM_NONBLOCKING : 0;
  abi_.self = this;
  abi_.get_interface = &FakeHostView::get_interface;
}

ccm_bool FakeHostView::get_interface(void* self, const char* id, ccm_interface* out) {
  auto& view = *static_cast<FakeHostView*>(self);
  const auto own = view.own_.find(std::string_view(id));
  if (own != view.own_.end()) {
    *out = own->second;
    return 1;
  }
  const ccm_interface* found = view.host_.find(id);
  if (found == nullptr) return 0;
  *out = *found;
  if (view.host_.takes_callbacks(id)) {
    void* service = static_cast<FakeCaller*>(found->self)->service;
    out->self =
        &view.callers_.try_emplace(id, FakeCaller{service, &view.callbacks_, view.background_})
             .first->second;
  }
  return 1;
}

void FakeHostView::end_background() { host_.contexts.forget(background_); }

void FakeHostView::close() {
  end_background();
  callbacks_.drop_all();
}

}  // namespace ccm::testing
