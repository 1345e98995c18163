// The certificate for a load balancer (DO-184..DO-193). [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/request.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace ccm::digitalocean {

struct Certificate {
  std::string id;
  std::string name;
  std::string type;  // custom, lets_encrypt
};

class Certificates {
 public:
  Certificates(Host& host, Api& api) : host_(host), api_(api) {}
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  struct Choice {
    std::string id;  // empty = none
    // DigitalOcean renewed the certificate under a new id: the new value for the Service's
    // annotation certificate-id. Never set when the Service names it by name (DO-190).
    std::string renewed_id;
  };
  // `existing` may be null. Failures: DO-139, DO-187.
  Task<Result<Choice>> choose(Ctx ctx, LoadBalancerTraits traits,
                              const ExistingLoadBalancer* existing);

 private:
  Task<Result<Certificate>> by_id(Ctx ctx, std::string id);
  Task<Result<Certificate>> by_name(Ctx ctx, std::string name);
  Task<Result<bool>> renewed(Ctx ctx, std::string noted, std::string current);

  struct Kept {
    Certificate certificate;
    std::chrono::milliseconds until{0};
  };
  std::optional<Certificate> kept(const std::string& key) const;
  void keep(const std::string& key, const Certificate& certificate);

  Host& host_;
  Api& api_;
  // Briefly, since one sync of fifty Services asks fifty times (DO-191). Keys: "id/..", "name/..".
  std::map<std::string, Kept> kept_;
};

// Failure: data_loss for an unusable answer; not_found when no certificate has that name.
Result<Certificate> parse_certificate(std::string_view json_text);
Result<Certificate> parse_certificate_named(std::string_view json_text, const std::string& name);

}  // namespace ccm::digitalocean
