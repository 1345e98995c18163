#include "cloud/machine.hpp"

#include <stdexcept>

namespace sandbox::cloud {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && digit(text[size])) ++size;
  std::string_view number = text.substr(0, size);
  text.remove_prefix(size);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

void require_string(const Json& machine, const char* member) {
  if (!machine[member].is_string()) {
    throw std::invalid_argument(std::string(member) + " has to be a string");
  }
}

void check_addresses(const Json& addresses) {
  if (!addresses.is_array()) throw std::invalid_argument("addresses has to be a list");
  for (const Json& address : addresses) {
    bool good = address.is_object() && address.value("type", Json()).is_string() &&
                address.value("address", Json()).is_string();
    if (!good) throw std::invalid_argument("each address needs type and address");
  }
}

Json generated_addresses(const std::string& name, std::size_t number) {
  std::string ip = "10." + std::to_string(number / 65536 % 256) + "." +
                   std::to_string(number / 256 % 256) + "." + std::to_string(number % 256);
  Json internal = {{"type", "InternalIP"}, {"address", ip}};
  Json hostname = {{"type", "Hostname"}, {"address", name}};
  return Json::array({internal, hostname});
}

}  // namespace

bool IdLess::operator()(std::string_view left, std::string_view right) const {
  std::string_view a = left, b = right;
  while (!a.empty() && !b.empty()) {
    if (digit(a[0]) && digit(b[0])) {
      std::string_view x = take_digits(a);
      std::string_view y = take_digits(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return left < right;  // "m-1" and "m-01" stay two machines
}

bool known_status(const std::string& status) {
  return status == "running" || status == "stopped" || status == "starting" ||
         status == "terminated";
}

Machine complete_machine(const std::string& id, Json given, std::size_t number) {
  if (!given.is_object()) throw std::invalid_argument("a machine has to be an object");
  if (id.empty()) throw std::invalid_argument("a machine needs an id");
  Json machine = {{"id", id},
                  {"name", id},
                  {"status", "running"},
                  {"type", "small"},
                  {"region", "sandbox-1"},
                  {"zone", "sandbox-1a"},
                  {"labels", Json::object()}};
  for (auto item = given.begin(); item != given.end(); ++item) {
    bool known =
        machine.contains(item.key()) || item.key() == "addresses" || item.key() == "generation";
    if (!known) throw std::invalid_argument("unknown member: " + item.key());
  }
  machine.update(given);
  machine["id"] = id;
  for (const char* member : {"name", "status", "type", "region", "zone"}) {
    require_string(machine, member);
  }
  if (!known_status(machine["status"])) {
    throw std::invalid_argument("status has to be running, stopped, starting or terminated");
  }
  if (!machine["labels"].is_object()) throw std::invalid_argument("labels has to be an object");
  if (!machine.contains("addresses")) {
    machine["addresses"] = generated_addresses(machine["name"], number);
  }
  check_addresses(machine["addresses"]);
  return machine;
}

}  // namespace sandbox::cloud
