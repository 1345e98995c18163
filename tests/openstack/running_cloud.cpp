#include "openstack/running_cloud.hpp"

#include "openstack_api/server.hpp"
#include "support/file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <vector>

namespace ccm::openstack_contract {
namespace {

using openstack_api::milliseconds;

class RunningServices : public RunningCloud {
 public:
  explicit RunningServices(json ready) : facts_(std::move(ready)) {
    for (const json& log : facts_.at("request_logs")) read_until_[log.get<std::string>()] = 0;
  }

  [[nodiscard]] const json& facts() const override { return facts_; }
  void forget() override {
    for (auto& [log, place] : read_until_) place = std::filesystem::file_size(log);
  }
  int64_t requests(const std::string& method, const std::string& pattern) override {
    static const std::regex kRequest("\"([A-Z]+) ([^ \"]+) HTTP/1.[01]\"");
    const std::regex wanted(pattern);
    int64_t count = 0;
    for (const auto& [log, place] : read_until_) {
      std::ifstream file(log);
      file.seekg(static_cast<std::streamoff>(place));
      std::smatch found;
      for (std::string line; std::getline(file, line);) {
        if (!std::regex_search(line, found, kRequest)) continue;
        count +=
            (method.empty() || found.str(1) == method) && std::regex_search(found.str(2), wanted);
      }
    }
    return count;
  }

 private:
  json facts_;
  std::map<std::string, std::uintmax_t> read_until_;  // of the services' logs of requests
};

class RunningFake : public RunningCloud {
 public:
  RunningFake() {
    server_.with([](openstack_api::Cloud& cloud) {
      cloud.latency = milliseconds(20);
      openstack_api::Region& region = cloud.region();
      region.compute.action_time = milliseconds(1'000);
      region.load_balancing.create_time = milliseconds(2'000);
      region.load_balancing.update_time = milliseconds(500);
      region.load_balancing.delete_time = milliseconds(500);
    });
  }

  [[nodiscard]] const json& facts() const override { return server_.facts(); }
  void forget() override {
    server_.with([](openstack_api::Cloud& cloud) { cloud.clear_log(); });
  }
  int64_t requests(const std::string& method, const std::string& pattern) override {
    int64_t count = 0;
    server_.with([&](openstack_api::Cloud& cloud) {
      const std::regex wanted(pattern);
      for (const openstack_api::Exchange& each : cloud.log()) {
        const bool of_service =
            each.target.starts_with("/load-balancer") || each.target.starts_with("/networking");
        count += of_service && (method.empty() || each.method == method) &&
                 std::regex_search(each.target, wanted);
      }
    });
    return count;
  }

 private:
  openstack_api::Server server_;
};

}  // namespace

std::unique_ptr<RunningCloud> running_cloud() {
  const char* ready = std::getenv("CCM_OPENSTACK");
  if (ready == nullptr || *ready == 0) return std::make_unique<RunningFake>();
  return std::make_unique<RunningServices>(json::parse(support::read_file(ready)));
}

}  // namespace ccm::openstack_contract
