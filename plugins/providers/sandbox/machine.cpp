#include "machine.hpp"

#include <ccm/json.hpp>

#include <nlohmann/json.hpp>

namespace sandbox {
namespace {

using ccm::Code;
using ccm::ErrorClass;
using ccm::Instance;
using ccm::InstanceState;
using ccm::Result;
using ccm::Status;
using nlohmann::json;

Status bad_answer(const std::string& what) {
  return Status(Code::data_loss, ErrorClass::unavailable, "the cloud's answer " + what)
      .with_reason("BadAnswer");
}

InstanceState state_of(const std::string& status) {
  if (status == "running") return InstanceState::running;
  if (status == "starting") return InstanceState::starting;
  if (status == "stopped") return InstanceState::shutdown;
  if (status == "terminated") return InstanceState::terminated;
  return InstanceState::unknown;
}

// Throws json::exception when a member has another type.
std::string text_of_member(const json& object, const char* name) {
  const auto place = object.find(name);
  return place == object.end() || place->is_null() ? std::string() : place->get<std::string>();
}

Result<Instance> read_machine(const json& machine) {
  if (!machine.is_object()) return bad_answer("has a machine that is no object");
  Instance instance;
  const std::string id = text_of_member(machine, "id");
  if (id.empty()) return bad_answer("has a machine without id");
  instance.provider_id = std::string(kProviderIdPrefix) + id;
  instance.name = text_of_member(machine, "name");
  instance.state = state_of(text_of_member(machine, "status"));
  instance.instance_type = text_of_member(machine, "type");
  instance.region = text_of_member(machine, "region");
  instance.zone = text_of_member(machine, "zone");
  if (const auto addresses = machine.find("addresses"); addresses != machine.end()) {
    if (!addresses->is_array()) return bad_answer("has addresses that are no list");
    for (const json& address : *addresses) {
      if (!address.is_object()) return bad_answer("has an address that is no object");
      instance.addresses.push_back(
          {text_of_member(address, "type"), text_of_member(address, "address")});
    }
  }
  if (const auto labels = machine.find("labels"); labels != machine.end()) {
    if (!labels->is_object()) return bad_answer("has labels that are no object");
    for (const auto& [key, value] : labels->items()) {
      instance.labels.push_back({key, value.get<std::string>()});
    }
  }
  return instance;
}

Result<std::vector<Instance>> read_machines(const json& document) {
  const auto machines = document.find("machines");
  if (machines == document.end() || !machines->is_array()) {
    return bad_answer("has no list \"machines\"");
  }
  std::vector<Instance> instances;
  instances.reserve(machines->size());
  for (const json& machine : *machines) {
    auto instance = read_machine(machine);
    if (!instance.ok()) return instance.status();
    instances.push_back(*std::move(instance));
  }
  return instances;
}

Result<MachinePage> read_page(const json& document) {
  auto machines = read_machines(document);
  if (!machines.ok()) return machines.status();
  MachinePage page;
  page.machines = *std::move(machines);
  // By reference: copying a json is recursive, and a cloud's answer may nest without end.
  const auto meta = document.find("meta");
  if (meta == document.end() || !meta->is_object() || !meta->contains("total") ||
      !meta->at("total").is_number_integer()) {
    return bad_answer("does not say how many machines there are");
  }
  page.total = meta->at("total").get<int64_t>();
  const auto next = meta->find("next_page");
  if (next != meta->end() && !next->is_null()) page.next_page = next->get<int64_t>();
  return page;
}

// Runs `read` on the parsed text; a member of the wrong type gives a Status.
template <typename T>
Result<T> parse(std::string_view text, Result<T> (*read)(const json&),
                const ccm::JsonLimits& limits = {}) {
  const Result<json> document = ccm::read_json(text, limits);
  if (document.status().code() == Code::resource_exhausted) {
    return bad_answer(document.status().message());
  }
  if (!document.ok() || !document->is_object()) return bad_answer("is not a JSON object");
  try {
    return read(*document);
  } catch (const json::exception&) {
    return bad_answer("has a value of the wrong type");
  }
}

}  // namespace

std::optional<std::string> machine_id(std::string_view provider_id) {
  if (!provider_id.starts_with(kProviderIdPrefix)) return std::nullopt;
  provider_id.remove_prefix(kProviderIdPrefix.size());
  if (provider_id.empty()) return std::nullopt;
  return std::string(provider_id);
}

Result<Instance> parse_machine(std::string_view json_text) {
  return parse<Instance>(json_text, &read_machine);
}
Result<MachinePage> parse_page(std::string_view json_text) {
  return parse<MachinePage>(json_text, &read_page);
}
Result<std::vector<Instance>> parse_machines_file(std::string_view json_text) {
  // A file of the administrator's, which may hold a whole cluster.
  constexpr ccm::JsonLimits kFile{256u << 20, 1u << 20, 20'000'000, 64};
  return parse<std::vector<Instance>>(json_text, &read_machines, kFile);
}

}  // namespace sandbox
