// Keys from an endpoint beside the container: ECS, and EKS Pod Identity (AWS-27).
#pragma once

#include "source.hpp"

#include <ccm/host.hpp>
#include <ccm/http.hpp>

#include <string>

namespace ccm::aws {

struct ContainerEndpoint {
  std::string url;
  std::string token;       // of AWS_CONTAINER_AUTHORIZATION_TOKEN
  std::string token_file;  // goes first; read for each renewal
};

// ok for https, and for http to this machine and to the addresses of ECS and EKS only: keys must
// not be asked for in clear text elsewhere. Failure: invalid_argument.
Status check_container_url(std::string_view url);

class ContainerKeys : public KeySource {
 public:
  // `http`: without proxy.
  ContainerKeys(Host& host, Http http, ContainerEndpoint endpoint);

  Task<Result<Keys>> fetch(Ctx ctx) override;
  [[nodiscard]] std::string description() const override {
    return "container endpoint " + endpoint_.url;
  }

 private:
  Task<Result<std::string>> token(Ctx ctx);

  Host& host_;
  const Http http_;
  const ContainerEndpoint endpoint_;
};

}  // namespace ccm::aws
