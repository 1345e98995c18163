// The availability zones: their ids, which are the same in each account ("use1-az6", AWS-50), and
// their types, for Nodes and load balancers alike. [serial]
#pragma once

#include "aws/api/client.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::aws {

class Zones {
 public:
  Zones(Host& host, Client& client) : host_(host), client_(client) {}
  Zones(const Zones&) = delete;
  Zones& operator=(const Zones&) = delete;

  // Reads the zones that the account uses.
  Task<Status> read(Ctx ctx);
  // Reads them again when that zone is unknown, at most once in 20 s. Failures are logged: a label
  // is not worth more.
  Task<Status> look_for(Ctx ctx, std::string zone);
  // Whether asking again could say more of that zone: it is unknown, and AWS has not answered
  // within 20 s.
  [[nodiscard]] bool lacks(std::string_view zone) const;

  // Empty when it is not known.
  [[nodiscard]] std::string id_of(std::string_view zone) const;
  // "availability-zone", "local-zone", "wavelength-zone"; empty when it is not known.
  [[nodiscard]] std::string type_of(std::string_view zone) const;

 private:
  [[nodiscard]] bool read_lately() const;

  struct Zone {
    std::string id;
    std::string type;
  };
  Host& host_;
  Client& client_;
  std::map<std::string, Zone, std::less<>> zones_;
  std::optional<std::chrono::milliseconds> read_at_;
  bool answered_ = false;  // the last reading was
};

}  // namespace ccm::aws
