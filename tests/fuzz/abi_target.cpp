// Structs of the ABI as the other side made them: descriptors of machines, load balancers, routes
// and statuses, and the requests of controllers (cloud/broker, plugin/dispatch.hpp).
// Input: a byte that says what comes; then of each struct a byte for its size and one for its tail,
// and bytes and lines for its members.
// Properties: nothing is read beyond a struct's size (each has memory of exactly that size); what
// lies beyond the known part of a result changes nothing; a request with an unknown byte or flag is
// never carried out; what is taken is UTF-8 and within its limits.
#include "base/text.hpp"
#include "cloud/broker/instance_snapshot.hpp"
#include "cloud/broker/load_balancer_values.hpp"
#include "cloud/broker/route_changes.hpp"
#include "fuzz.hpp"
#include "plugin/context.hpp"
#include "plugin/dispatch.hpp"

#include <ccm/sized.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>

namespace ccm::fuzz {
namespace {

using namespace ccm::plugin;  // NOLINT: most of what is called
using namespace ccm::cloud;   // NOLINT: and the rest

// Builds structs from the input; with `trimmed` without what lies beyond their known part.
class Structs {
 public:
  Structs(std::string_view bytes, bool trimmed) : in_(bytes), trimmed_(trimmed) {}

  uint8_t byte() { return in_.byte(); }
  // Small numbers, and the ends of the range.
  int64_t number() {
    const uint8_t chosen = byte();
    if (chosen == 255) return INT64_MAX;
    if (chosen == 254) return INT64_MIN;
    return static_cast<int64_t>(static_cast<int8_t>(chosen)) * (byte() + 1);
  }
  ccm_str text() {
    const std::string_view line = in_.line();
    if (line == "-") return {nullptr, 4711};
    return {texts_.emplace_back(line).view().data(), line.size()};
  }
  // Mostly none, else bits of which not all are known.
  uint32_t flags(uint32_t known_flags) {
    const uint8_t bits = byte();
    if ((bits & ~known_flags) != 0) unknown_ = true;
    return bits;
  }

  // A copy with the size that the input chooses, in memory of that size.
  template <typename T>
  const T* place(T made) {
    const uint8_t words = byte();
    std::size_t size = words == 0 ? sizeof(T) : std::size_t{8} * words;
    const uint8_t tail = byte();
    if (size > sizeof(T) && tail != 0) unknown_ = true;
    if (size < sizeof(T)) cut_ = true;
    if (trimmed_) size = std::min(size, sizeof(T));
    made.size = static_cast<uint32_t>(size);
    auto& memory = memory_.emplace_back(new std::byte[size]);
    std::memcpy(memory.get(), &made, std::min(size, sizeof(T)));
    if (size > sizeof(T)) std::memset(memory.get() + sizeof(T), tail, size - sizeof(T));
    return reinterpret_cast<const T*>(memory.get());
  }
  // Up to three elements, or a count that no list has.
  template <typename T, typename Make>
  void list(const T*& items, std::size_t& count, Make make) {
    const uint8_t wanted = byte();
    count = wanted % 4U;
    auto& memory = memory_.emplace_back(new std::byte[std::max<std::size_t>(1, count * sizeof(T))]);
    for (std::size_t index = 0; index < count; ++index) {
      const T one = make();
      std::memcpy(memory.get() + index * sizeof(T), &one, sizeof(T));
    }
    items = reinterpret_cast<const T*>(memory.get());
    if (wanted == 254) items = nullptr;
    if (wanted == 255) count = ~std::size_t{0};
  }
  // Something in a request is not known here, and nothing is cut off: what a shorter struct lacks,
  // its lists with all their elements, is not there.
  [[nodiscard]] bool unknown() const { return unknown_ && !cut_; }

 private:
  Input in_;
  const bool trimmed_;
  bool unknown_ = false;
  bool cut_ = false;
  std::deque<Exact> texts_;
  std::deque<std::unique_ptr<std::byte[]>> memory_;
};

ccm_key_value pair_of(Structs& in) {
  const ccm_str key = in.text();
  return {key, in.text()};
}

ccm_node_address address_of(Structs& in) {
  const ccm_str type = in.text();
  return {type, in.text()};
}

const ccm_instance* instance_of(Structs& in) {
  ccm_instance made{};
  made.state = static_cast<int32_t>(in.number());
  made.provider_id = in.text();
  made.name = in.text();
  made.zone = in.text();
  in.list(made.addresses, made.address_count, [&] { return address_of(in); });
  in.list(made.labels, made.label_count, [&] { return pair_of(in); });
  in.list(made.other_ids, made.other_id_count, [&] { return in.text(); });
  return in.place(made);
}

const ccm_instance_list* machines_of(Structs& in) {
  ccm_instance_list made{};
  in.list(made.instances, made.count, [&] { return instance_of(in); });
  in.list(made.unknown_prefixes, made.unknown_prefix_count, [&] { return in.text(); });
  return in.place(made);
}

const ccm_ingress* ingress_of(Structs& in) {
  ccm_ingress made{};
  made.ip = in.text();
  made.hostname = in.text();
  in.list(made.ports, made.port_count, [&] {
    ccm_ingress_port port{};
    port.port = static_cast<int32_t>(in.number());
    port.error = in.text();
    return in.place(port);
  });
  return in.place(made);
}

const ccm_load_balancer* balancer_of(Structs& in) {
  ccm_load_balancer made{};
  made.state = static_cast<int32_t>(in.number());
  made.retry_after_ms = in.number();
  made.id = in.text();
  made.name = in.text();
  made.difference = in.text();
  in.list(made.ingress, made.ingress_count, [&] { return ingress_of(in); });
  in.list(made.annotations, made.annotation_count, [&] { return pair_of(in); });
  return in.place(made);
}

const ccm_route* route_of(Structs& in) {
  ccm_route made{};
  made.flags = in.flags(3);
  made.id = in.text();
  made.destination_cidr = in.text();
  made.target_node = in.text();
  in.list(made.target_addresses, made.target_address_count, [&] { return address_of(in); });
  return in.place(made);
}

const ccm_status* status_of(Structs& in) {
  ccm_status made{};
  made.code = static_cast<int32_t>(in.number());
  made.error_class = static_cast<int32_t>(in.number());
  made.message = in.text();
  made.reason = in.text();
  made.retry_after_ms = in.number();
  return in.place(made);
}

const ccm_load_balancer_request* request_of(Structs& in) {
  ccm_service service{};
  service.flags = in.flags(7);
  service.name = in.text();
  service.uid = in.text();
  in.list(service.ports, service.port_count, [&] {
    ccm_service_port port{};
    port.flags = in.flags(0);
    port.protocol = in.text();
    port.port = static_cast<int32_t>(in.number());
    return in.place(port);
  });
  in.list(service.source_ranges, service.source_range_count, [&] { return in.text(); });
  in.list(service.parameters, service.parameter_count, [&] { return pair_of(in); });
  ccm_load_balancer_request made{};
  made.flags = in.flags(0);
  made.service = in.place(service);
  in.list(made.backends, made.backend_count, [&] {
    ccm_backend backend{};
    backend.flags = in.flags(0);
    backend.name = in.text();
    in.list(backend.addresses, backend.address_count, [&] { return address_of(in); });
    return in.place(backend);
  });
  return in.place(made);
}

// --- what is shown of it, for comparison

std::string shown(const Status& status) {
  require(is_utf8(status.message()) && is_utf8(status.reason()), "a status is text");
  return std::to_string(static_cast<int>(status.code())) + " " +
         std::to_string(static_cast<int>(status.error_class())) + " " + status.message() + " " +
         status.reason() + " " + std::to_string(status.retry_after().count());
}

std::string shown(const Result<InstanceSnapshot::Ptr>& result) {
  if (!result.ok()) return shown(result.status());
  InstanceExport all;
  for (std::size_t index = 0; index < (*result)->size(); ++index) all.add(*result, index);
  std::string text = std::to_string((*result)->complete());
  const ccm_instance_list& list = all.list();
  for (std::size_t index = 0; index < list.count; ++index) {
    const ccm_instance& machine = *list.instances[index];
    require(machine.size == sizeof(machine), "controllers get whole structs");
    require(is_utf8(view(machine.name)) && is_utf8(view(machine.zone)), "of text");
    text += "\n" + std::to_string(machine.state) + std::string(view(machine.provider_id)) + " " +
            std::string(view(machine.name)) + std::to_string(machine.address_count) +
            std::to_string(machine.label_count);
  }
  for (const std::string& prefix : (*result)->unknown_prefixes()) text += "\n? " + prefix;
  return text;
}

std::string shown(const Result<LoadBalancer>& result) {
  if (!result.ok()) return shown(result.status());
  require(is_utf8(result->id) && result->id.size() <= 4'096, "an id can be recorded");
  require(result->retry_after <= kLongestDelay, "a delay has a limit");
  std::string text = std::to_string(static_cast<int>(result->state)) + result->id + " " +
                     result->name + " " + result->difference +
                     std::to_string(result->retry_after.count());
  for (const Ingress& ingress : result->ingress) {
    require(!ingress.ip.empty() || !ingress.hostname.empty(), "an ingress can be reached");
    require(is_utf8(ingress.ip) && is_utf8(ingress.hostname), "and is text");
    text += "\n" + ingress.ip + " " + ingress.hostname + std::to_string(ingress.ports.size());
  }
  for (const Label& label : result->annotations) text += "\n" + label.key + "=" + label.value;
  return text;
}

std::string shown(const Result<std::vector<Route>>& result) {
  if (!result.ok()) return shown(result.status());
  std::string text;
  for (const Route& route : *result) {
    text += route.id + " " + route.destination_cidr + " " + route.target_node +
            std::to_string(route.owned) + std::to_string(route.target_addresses.size()) + "\n";
  }
  return text;
}

std::string shown_result(uint8_t kind, Structs& in) {
  switch (kind) {
    case 0:
      return shown(InstanceSnapshot::copy(machines_of(in)));
    case 1:
      return shown(copy_load_balancer(balancer_of(in)));
    case 2: {
      ccm_route_list made{};
      in.list(made.routes, made.count, [&] { return route_of(in); });
      return shown(copy_routes(in.place(made)));
    }
    case 3:
      return shown(checked_status(status_of(in)));
    case 4: {
      ccm_load_balancer_limits made{};
      made.id_annotation = in.text();
      made.timeout_ms = in.number();
      made.parallel = in.number();
      const auto limits = copy_load_balancer_limits(in.place(made));
      require(limits.ok() && is_utf8(limits->id_annotation), "limits are text and numbers");
      return limits->id_annotation + " " + std::to_string(limits->timeout.count()) + " " +
             std::to_string(limits->parallel);
    }
    default: {
      ccm_load_balancer_lane made{};
      made.lane = in.text();
      const auto lane = copy_lane(in.place(made));
      return lane.ok() ? *lane : shown(lane.status());
    }
  }
}

void check_request_of(uint8_t kind, std::string_view bytes) {
  Structs in(bytes, false);
  Status status;
  if (kind == 6) {
    detail::BackendLists lists;
    const auto read = read_request(request_of(in), lists);
    status = read.status();
    require(!status.ok() || !read->service.uid.empty(), "a Service has a UID");
  } else {
    const ccm_route* const* routes = nullptr;
    std::size_t count = 0;
    in.list(routes, count, [&] { return route_of(in); });
    status = read_routes(routes, count).status();
  }
  const bool refused =
      status.code() == Code::unimplemented || status.code() == Code::invalid_argument;
  require(status.ok() || refused, "a request is done or refused");
  if (in.unknown()) require(refused, "what is not known is not done");
  if (!status.ok()) require(!status.message().empty(), "a refusal says why");
}

}  // namespace

void abi_target(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto kind = static_cast<uint8_t>(static_cast<unsigned char>(bytes.front()) % 8U);
  bytes.remove_prefix(1);
  if (kind >= 6) return check_request_of(kind, bytes);
  Structs whole_ones(bytes, false);
  Structs trimmed(bytes, true);
  const std::string with_tails = shown_result(kind, whole_ones);
  require_equal(with_tails, shown_result(kind, trimmed), "a tail changes nothing");
}

}  // namespace ccm::fuzz
