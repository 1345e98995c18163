#include "ingress.hpp"

#include <string>

namespace ccm::service {
namespace {

void write_port(JsonWriter& json, const IngressPort& port) {
  json.object([&] {
    json.member("port").number(port.port);
    json.member("protocol").text(port.protocol);
    if (!port.error.empty()) json.member("error").text(port.error);
  });
}

}  // namespace

std::vector<Ingress> as_stored(std::vector<Ingress> ingress) {
  for (Ingress& entry : ingress) {
    if (entry.ip.empty()) {
      entry.ip_mode.clear();
    } else if (entry.ip_mode.empty()) {
      entry.ip_mode = "VIP";
    }
    for (IngressPort& port : entry.ports) {
      if (port.protocol.empty()) port.protocol = "TCP";
    }
  }
  return ingress;
}

bool same_ingress(const std::vector<Ingress>& stored, const std::vector<Ingress>& answered) {
  return as_stored(stored) == as_stored(answered);
}

void write_ingress(JsonWriter& json, const std::vector<Ingress>& ingress) {
  json.array([&] {
    for (const Ingress& entry : as_stored(ingress)) {
      json.object([&] {
        if (!entry.ip.empty()) json.member("ip").text(entry.ip);
        if (!entry.hostname.empty()) json.member("hostname").text(entry.hostname);
        if (!entry.ip_mode.empty()) json.member("ipMode").text(entry.ip_mode);
        if (entry.ports.empty()) return;
        json.member("ports").array([&] {
          for (const IngressPort& port : entry.ports) write_port(json, port);
        });
      });
    }
  });
}

}  // namespace ccm::service
