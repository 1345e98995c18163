// A plugin with one component "test" of a class, without a manifest file: for unit tests of one
// class.  FakeComponent provider(host, plugin_of<Provider, Dispatch::loop>(), "test");
#pragma once

#include <ccm/plugin.hpp>

namespace ccm::testing {

enum class Dispatch { loop, workers };  // "nonblocking": true, false

inline ccm_str test_manifest(Dispatch dispatch) {
  return c_str(dispatch == Dispatch::loop ? R"({"id": "test", "nonblocking": true})"
                                          : R"({"id": "test", "nonblocking": false})");
}

namespace detail {

template <typename T, typename Shared>
inline constexpr auto kTestEntries = [] {
  if constexpr (std::is_same_v<Shared, ccm::detail::NothingShared>) {
    return ccm::detail::entries_of(component<T>("test"));
  } else {
    return ccm::detail::entries_of(shared<Shared>(), component<T, Shared>("test"));
  }
}();

}  // namespace detail

// `Shared`: what the component's constructor takes beside the Host.
template <typename T, Dispatch dispatch, typename Shared = ccm::detail::NothingShared>
const ccm_plugin* plugin_of() {
  static const ccm_plugin plugin =
      ccm::detail::PluginAdapter<detail::kTestEntries<T, Shared>>::plugin(test_manifest(dispatch));
  return &plugin;
}

}  // namespace ccm::testing
