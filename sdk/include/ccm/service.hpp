// How the layer reaches one interface of the host: a table, its `self`, and lookups that respect a
// shorter table of an older host. Authors rarely need it.
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <string>

namespace ccm {

// A host interface, or nothing. Copies are cheap; valid until the component is destroyed.
template <typename Table>
class Service {
 public:
  Service() = default;
  Service(const Table* table, void* self) : table_(table), self_(self) {}

  // Asks `host` for `id`; empty when this host does not have it.
  static Service find(const ccm_host* host, const char* id) {
    ccm_interface found{nullptr, nullptr};
    if (host == nullptr || host->get_interface == nullptr ||
        host->get_interface(host->self, id, &found) == 0) {
      return {};
    }
    return Service(static_cast<const Table*>(found.table), found.self);
  }

  [[nodiscard]] explicit operator bool() const { return table_ != nullptr; }
  [[nodiscard]] void* self() const { return self_; }

  // The function, or NULL when the host's table ends before it or leaves it out.
  template <typename Function>
  [[nodiscard]] Function get(Function Table::*member) const {
    return function_of(table_, member);
  }

 private:
  const Table* table_ = nullptr;
  void* self_ = nullptr;
};

namespace detail {

inline Status missing(const char* id, const char* function) {
  return Status(Code::unimplemented, ErrorClass::unsupported,
                std::string("this host does not offer ") + function + " of " + id);
}

}  // namespace detail
}  // namespace ccm
