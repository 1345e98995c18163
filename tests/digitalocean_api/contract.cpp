#include "contract.hpp"

#include "schema.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace ccm::digitalocean_api {
namespace {

std::string description_path() {
  const char* given = std::getenv("CCM_DO_OPENAPI");
  return given != nullptr ? given : CCM_DO_DESCRIPTION;
}

const Description& description() {
  static const Description read = [] {
    const std::string path = description_path();
    std::ifstream file(path);
    json document = json::parse(file, nullptr, false);
    if (!document.is_object()) throw std::runtime_error("cannot read the description " + path);
    return Description(std::move(document));
  }();
  return read;
}

}  // namespace

std::vector<std::string> contract_faults(const Exchange& exchange) {
  // An injected fault is no answer of the API.
  if (exchange.injected || exchange.status == 0) return {};
  return description().check(exchange.method, exchange.path, exchange.request_body, exchange.status,
                             exchange.response_body);
}

}  // namespace ccm::digitalocean_api
