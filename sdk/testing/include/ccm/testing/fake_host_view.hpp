// The host as one component sees it: the services of the fake host, those that only this component
// has, and its own callbacks and background ctx.
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/testing/fake_callbacks.hpp>
#include <ccm/testing/fake_host.hpp>

#include <map>
#include <string>

namespace ccm::testing {

class FakeHostView {
 public:
  using Interfaces = std::map<std::string, ccm_interface, std::less<>>;

  FakeHostView(FakeHost& host, bool nonblocking, Interfaces own = {});
  ~FakeHostView() { close(); }
  FakeHostView(const FakeHostView&) = delete;
  FakeHostView& operator=(const FakeHostView&) = delete;

  [[nodiscard]] const ccm_host* abi() const { return &abi_; }
  [[nodiscard]] FakeCallbacks& callbacks() { return callbacks_; }
  // Ends what runs in the background, and drops the callbacks: nothing is called back any more.
  void end_background();
  void close();

 private:
  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out);

  FakeHost& host_;
  Interfaces own_;
  FakeCallbacks callbacks_;
  uint64_t background_;
  std::map<std::string, FakeCaller, std::less<>> callers_;
  ccm_host abi_{};
};

}  // namespace ccm::testing
