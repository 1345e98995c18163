// Nova v2.1: servers in pages with details, by microversion; their states; flavors.
#pragma once

#include "openstack_api/network/network.hpp"
#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace ccm::openstack_api {

class Compute {
 public:
  // `url`: after the fake's, "/compute".
  Compute(World& world, std::string url, Network& network);

  // Failure: Refusal.
  Answer handle(const Call& call);

  // Settings.
  milliseconds action_time{0};  // until a server that was told to stop, start or go has done so
  int newest_version = 100;     // 2.N
  bool soft_delete = false;     // a deleted server can be restored for a while
  size_t page_size = 1000;      // the most servers of a page
  std::string add_flavor(const std::string& name, int vcpus, int ram);
  void remove_flavor(const std::string& id) { flavors_.remove(id); }
  // With a port on each network. Made at once, and ACTIVE.
  json& add_server(const std::string& project_id, const std::string& user_id,
                   const std::string& name, const std::string& flavor_id,
                   const std::vector<std::string>& networks);
  Records& servers() { return servers_; }
  void remove_server(const std::string& id);

 private:
  Answer dispatch(const Call& call, int version);
  Answer list(const Call& call, int version, bool details);
  Answer create(const Call& call);
  Answer one_server(const Call& call, int version);
  Answer act(const Call& call, json& server);
  Answer flavors(const Call& call);
  void advance();
  json& found(const Call& call);
  using Ports = std::unordered_multimap<std::string, const json*>;
  [[nodiscard]] Ports ports_by_server() const;
  [[nodiscard]] json shown(const json& server, int version, const Caller& caller,
                           const Ports& ports) const;
  [[nodiscard]] json brief(const json& server) const;
  [[nodiscard]] json addresses(const json& server, const Ports& ports) const;
  [[nodiscard]] json flavor_of(const json& server, int version) const;
  [[nodiscard]] json links(const std::string& kind, const std::string& id) const;
  [[nodiscard]] json bookmark(const std::string& kind, const std::string& id) const;
  [[nodiscard]] json version_document() const;
  void change_later(json& server, const std::string& status);

  World& world_;
  std::string url_;
  Network& network_;
  Records servers_;
  Records flavors_;
};

}  // namespace ccm::openstack_api
