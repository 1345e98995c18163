// The Nodes that take a load balancer's traffic. All Nodes of a cluster are backends of each of its
// load balancers, of which many are worked on at once, so a list of them is made once and shared.
// [any-thread]
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/instances.hpp>
#include <ccm/object.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm {

// A Node that takes the Service's traffic.
struct Backend {
  std::string name;
  std::string provider_id;
  std::vector<NodeAddress> addresses;  // of the instance, as the cloud shows it
  Object node;                         // for labels; may be empty
};

namespace detail {

// The C form of backends. OWNERSHIP: borrows from the backends that it was made of.
class BackendsC {
 public:
  explicit BackendsC(const std::vector<Backend>& backends) {
    size_t addresses = 0;
    for (const Backend& backend : backends) addresses += backend.addresses.size();
    // Reserved at once: the raw backends point into these.
    addresses_.reserve(addresses);
    raw_.reserve(backends.size());
    for (const Backend& backend : backends) {
      const ccm_node_address* first = addresses_.data() + addresses_.size();
      for (const NodeAddress& address : backend.addresses) {
        addresses_.push_back({c_str(address.type), c_str(address.address)});
      }
      ccm_backend& raw = raw_.emplace_back(sized<ccm_backend>());
      raw.name = c_str(backend.name);
      raw.provider_id = c_str(backend.provider_id);
      raw.addresses = first;
      raw.address_count = backend.addresses.size();
      raw.node = backend.node.get();
    }
    pointers_ = pointers_to(raw_);
  }
  explicit BackendsC(const std::vector<Backend>&&) = delete;  // it would be gone
  BackendsC(const BackendsC&) = delete;
  BackendsC& operator=(const BackendsC&) = delete;

  [[nodiscard]] const ccm_backend* const* data() const { return pointers_.data(); }
  [[nodiscard]] size_t size() const { return pointers_.size(); }

 private:
  std::vector<ccm_node_address> addresses_;
  std::vector<ccm_backend> raw_;
  std::vector<const ccm_backend*> pointers_;
};

class BackendLists;

}  // namespace detail

// An immutable list of backends. Copies share it, whatever its length, and may be used on several
// threads at once. OWNERSHIP: a copy keeps the backends and their Nodes; references to elements are
// valid as long as any copy.
class Backends {
 public:
  Backends() = default;  // none
  // Implicit: a list that was just made is given as it is.
  Backends(std::vector<Backend> backends)
      : list_(std::make_shared<const List>(std::move(backends))) {}

  [[nodiscard]] const Backend* begin() const { return list_ ? list_->backends.data() : nullptr; }
  [[nodiscard]] const Backend* end() const { return begin() + size(); }
  [[nodiscard]] size_t size() const { return list_ ? list_->backends.size() : 0; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] const Backend& operator[](size_t index) const { return begin()[index]; }
  // Whether both are one list, not only equal in content.
  [[nodiscard]] bool same(const Backends& other) const { return list_ == other.list_; }

  // The C form, made when it is asked for the first time: size() pointers. OWNERSHIP: borrows from
  // the list.
  [[nodiscard]] const ccm_backend* const* get() const { return list_ ? list_->raw() : nullptr; }

 private:
  friend class detail::BackendLists;

  struct List {
    explicit List(std::vector<Backend> given) : backends(std::move(given)) {}
    [[nodiscard]] const ccm_backend* const* raw() const {
      std::call_once(made_, [this] { raw_.emplace(backends); });
      return raw_->data();
    }
    const std::vector<Backend> backends;

   private:
    // A provider never asks for it, and it is a quarter of the list.
    mutable std::once_flag made_;
    mutable std::optional<detail::BackendsC> raw_;
  };

  std::shared_ptr<const List> list_;
};

namespace detail {

inline std::vector<Backend> backends_from_c(ObjectHost objects, const ccm_backend* const* raw,
                                            size_t count) {
  std::vector<Backend> backends;
  backends.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const ccm_backend from = known(raw[i]);
    backends.push_back({std::string(view(from.name)), std::string(view(from.provider_id)),
                        addresses_from_c(from.addresses, from.address_count),
                        Object(objects, from.node)});
  }
  return backends;
}

// A snapshot of a Node never changes, so one that is the same says the same.
inline bool same_backend(const ccm_backend& given, const Backend& last) {
  const ccm_backend raw = known(&given);
  return raw.node == last.node.get() && view(raw.name) == last.name &&
         view(raw.provider_id) == last.provider_id &&
         std::equal(raw.addresses, raw.addresses + raw.address_count, last.addresses.begin(),
                    last.addresses.end(),
                    [](const ccm_node_address& left, const NodeAddress& right) {
                      return view(left.type) == right.type && view(left.address) == right.address;
                    });
}

// Reads lists of backends that come through the ABI. While the one that was read last is in use,
// the same content is shared and not read again. Kept no longer, because it keeps the Nodes. One
// for each component; any thread.
class BackendLists {
 public:
  // `objects` keeps the Nodes.
  Backends read(ObjectHost objects, const ccm_backend* const* raw, size_t count) {
    Backends last;
    {
      const std::lock_guard lock(mutex_);
      last.list_ = last_.lock();
    }
    if (last.list_ && same(last, raw, count)) return last;
    Backends read(backends_from_c(objects, raw, count));
    // Deletions and names come without backends in between.
    if (count > 0) {
      const std::lock_guard lock(mutex_);
      last_ = read.list_;
    }
    return read;
  }

 private:
  static bool same(const Backends& known, const ccm_backend* const* raw, size_t count) {
    return std::equal(
        raw, raw + count, known.begin(), known.end(),
        [](const ccm_backend* left, const Backend& right) { return same_backend(*left, right); });
  }

  std::mutex mutex_;
  std::weak_ptr<const Backends::List> last_;
};

}  // namespace detail
}  // namespace ccm
