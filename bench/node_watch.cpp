#include "node_watch.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace ccm::bench {

std::string version_of_nodes(const Server& admin) {
  const auto list =
      nlohmann::json::parse(send_one(admin, {"GET", "/api/v1/nodes?limit=1", "", ""}));
  return list["metadata"]["resourceVersion"].get<std::string>();
}

NodeWatch::NodeWatch(const Server& admin, const Work& work, std::size_t nodes,
                     const std::string& resource_version)
    : thread_([=, this, done = work.done] {
        std::size_t count = 0;
        watch(admin, "/api/v1/nodes?watch=true&resourceVersion=" + resource_version,
              Encoding::protobuf, [&](std::string_view event) {
                if (event.find("MODIFIED") != std::string_view::npos && done(event)) ++count;
                return count < nodes;
              });
        ended_ = true;
        ended_.notify_one();
      }) {}

}  // namespace ccm::bench
