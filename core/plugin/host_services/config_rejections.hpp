// Configurations that plugins found wrong while an earlier one stays in force. Loop thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace prometheus {
class Registry;
template <typename T>
class Family;
class Gauge;
}  // namespace prometheus

namespace ccm::plugin {

struct ConfigRejection {
  std::string plugin_id;
  std::string file;  // empty: --cloud-config
  std::string reason;
};

class ConfigRejections {
 public:
  // `registry` must outlive it.
  explicit ConfigRejections(prometheus::Registry& registry);

  // Logged when it is new.
  void add(const std::string& plugin_id, const std::string& file, const std::string& reason);
  void remove(const std::string& plugin_id, const std::string& file);
  [[nodiscard]] std::vector<ConfigRejection> list() const;

 private:
  void count(const std::string& plugin_id);

  prometheus::Family<prometheus::Gauge>& family_;
  std::map<std::pair<std::string, std::string>, std::string> reasons_;  // by plugin and file
};

}  // namespace ccm::plugin
