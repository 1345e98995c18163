#include "machines.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

namespace sandbox {
namespace {

using nlohmann::json;

ccm::Status garbage(const std::string& what) {
  return ccm::Status(ccm::Code::data_loss, ccm::ErrorClass::unavailable,
                     "the cloud's answer cannot be used: " + what)
      .with_reason("BadCloudResponse");
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

ccm::InstanceState state_of(const std::string& status) {
  if (status == "running" || status == "starting") return ccm::InstanceState::running;
  if (status == "stopped") return ccm::InstanceState::shutdown;
  if (status == "terminated") return ccm::InstanceState::terminated;
  return ccm::InstanceState::unknown;  // a status that was invented later concludes nothing
}

std::optional<ccm::Instance> machine_of(const json& object) {
  if (!object.is_object() || text_of(object, "id").empty()) return std::nullopt;
  ccm::Instance machine;
  machine.provider_id = std::string(kProviderIdPrefix) + text_of(object, "id");
  machine.name = text_of(object, "name");
  machine.state = state_of(text_of(object, "status"));
  machine.instance_type = text_of(object, "type");
  machine.zone = text_of(object, "zone");
  machine.region = text_of(object, "region");
  if (const auto addresses = object.find("addresses");
      addresses != object.end() && addresses->is_array()) {
    for (const json& address : *addresses) {
      if (!address.is_object()) return std::nullopt;
      machine.addresses.push_back({text_of(address, "type"), text_of(address, "address")});
    }
  }
  if (const auto labels = object.find("labels"); labels != object.end() && labels->is_object()) {
    for (const auto& [key, value] : labels->items()) {
      if (value.is_string()) machine.labels.push_back({key, value.get<std::string>()});
    }
  }
  return machine;
}

}  // namespace

std::string_view machine_id(std::string_view provider_id) {
  return provider_id.starts_with(kProviderIdPrefix) ? provider_id.substr(kProviderIdPrefix.size())
                                                    : std::string_view();
}

ccm::Result<ccm::Instance> parse_machine(std::string_view text) {
  auto machine = machine_of(json::parse(text, nullptr, false));
  if (!machine) return garbage("it is no machine");
  return std::move(*machine);
}

ccm::Result<std::size_t> Listing::add_page(std::string_view text) {
  const json page = json::parse(text, nullptr, false);
  if (!page.is_object() || !page.contains("machines") || !page["machines"].is_array() ||
      !page.contains("meta") || !page["meta"].is_object()) {
    return garbage("a page of the listing is no page");
  }
  ++page_;
  for (const json& object : page["machines"]) {
    auto machine = machine_of(object);
    if (!machine) return garbage("a machine in the listing is none");
    if (!ids_.insert(machine->provider_id).second) {
      return garbage("the listing has " + machine->provider_id + " twice");
    }
    machines_.push_back(std::move(*machine));
  }
  const json& meta = page["meta"];
  if (!meta.contains("total") || !meta["total"].is_number_unsigned()) {
    return garbage("the listing does not say how many machines there are");
  }
  total_ = meta["total"].get<std::size_t>();
  const auto next = meta.find("next_page");
  if (next == meta.end() || next->is_null()) return std::size_t{0};
  if (!next->is_number_unsigned() || next->get<std::size_t>() != page_ + 1 ||
      page["machines"].empty()) {
    return garbage("the pages of the listing do not follow each other");
  }
  return page_ + 1;
}

ccm::Result<std::vector<ccm::Instance>> Listing::finish() {
  if (machines_.size() != total_) {
    return garbage("the listing has " + std::to_string(machines_.size()) +
                   " machines, but says that there are " + std::to_string(total_));
  }
  return std::move(machines_);
}

ccm::Result<std::vector<ccm::Instance>> parse_machines_file(std::string_view text) {
  const json file = json::parse(text, nullptr, false);
  if (!file.is_object() || !file.contains("machines") || !file["machines"].is_array()) {
    return garbage("the machines file is no JSON object with a list \"machines\"");
  }
  std::vector<ccm::Instance> machines;
  std::set<std::string> ids;
  for (const json& object : file["machines"]) {
    auto machine = machine_of(object);
    if (!machine) return garbage("a machine in the machines file has no \"id\" or a wrong address");
    if (!ids.insert(machine->provider_id).second) {
      return garbage("the machines file has " + machine->provider_id + " twice");
    }
    machines.push_back(std::move(*machine));
  }
  return machines;
}

}  // namespace sandbox
