// Barbican v1: secrets and containers, whose payloads nobody here reads.
#pragma once

#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <string>

namespace ccm::openstack_api {

class KeyManager {
 public:
  // `url`: after the fake's, "/key-manager".
  KeyManager(World& world, std::string url) : world_(world), url_(std::move(url)) {}

  // Failure: Refusal.
  Answer handle(const Call& call);

  // Returns its URL.
  std::string add_secret(const Caller& owner, const std::string& name, const std::string& type);
  std::string add_container(const Caller& owner, const std::string& name, const std::string& type,
                            json secret_refs);
  // Whether that URL leads to a secret or container.
  [[nodiscard]] bool has(const std::string& reference) const;
  // Whether that secret was given as a text, which is no certificate for Octavia.
  [[nodiscard]] bool is_text(const std::string& reference) const;

 private:
  Answer dispatch(const Call& call);
  Answer collection(const Call& call, Records& records, const std::string& kind);
  Answer object(const Call& call, Records& records, const std::string& kind);
  [[nodiscard]] std::string reference(const std::string& kind, const std::string& id) const;

  World& world_;
  std::string url_;
  Records secrets_;
  Records containers_;
};

}  // namespace ccm::openstack_api
