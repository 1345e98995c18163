// A plugin with one component "test" of a class, without a manifest file: for unit tests of one
// class.  FakeComponent provider(host, plugin_of<Provider, Dispatch::loop>(), "test");
#pragma once

#include <ccm/plugin.hpp>

namespace ccm::testing {

enum class Dispatch { loop, workers };  // "nonblocking": true, false

template <typename T, Dispatch dispatch>
const ccm_plugin* plugin_of() {
  static constexpr ComponentEntry entries[] = {component<T>("test")};
  static constexpr std::string_view manifest = dispatch == Dispatch::loop
                                                   ? R"({"id": "test", "nonblocking": true})"
                                                   : R"({"id": "test", "nonblocking": false})";
  static const ccm_plugin plugin = {sizeof(plugin), CCM_ABI_MINOR, c_str(manifest),
                                    [](const ccm_host* host, ccm_str name, ccm_completion done) {
                                      detail::create(entries, c_str(manifest), host, name, done);
                                    }};
  return &plugin;
}

}  // namespace ccm::testing
