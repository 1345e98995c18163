#include "configuration_file.hpp"

#include <map>
#include <utility>
#include <vector>

namespace ccm::static_provider {
namespace {

constexpr const char* kWanted =
    "must name a file with nodes or addressPools; docs/static.md describes it";

// The host asks once for the provider's interfaces, so what they are made of has to stay.
Status check_kept(const Configuration& before, const Configuration& now) {
  const char* differs = nullptr;
  if (before.nodes.has_value() != now.nodes.has_value()) differs = "nodes";
  if (before.address_pools.has_value() != now.address_pools.has_value()) differs = "addressPools";
  if (differs == nullptr) return {};
  return Status(Code::invalid_argument,
                std::string(differs) + ": only a restart of the manager can add or remove it");
}

// The host looks at these machines at once.
void give_hints(const Hints& hints, const std::vector<Instance>& before,
                const std::vector<Instance>& now) {
  std::map<std::string, const Instance*> gone;
  for (const Instance& node : before) gone[node.provider_id] = &node;
  for (const Instance& node : now) {
    const auto known = gone.find(node.provider_id);
    if (known == gone.end() || *known->second != node) {
      hints.instance_changed(node.provider_id, node.name);
    }
    if (known != gone.end()) gone.erase(known);
  }
  for (const auto& [id, node] : gone) hints.instance_changed(id, node->name);
}

}  // namespace

ConfigurationFile::ConfigurationFile(Host& host) : host_(host), one_reader_(host.post, 1) {
  host_.config.on_change([this] {
    stale_ = true;
    host_.spawn(reread());
  });
}

Task<Status> ConfigurationFile::reread() {
  auto configuration = co_await in_force();
  co_return configuration.status();
}

Task<Result<ConfigurationFile::Shared>> ConfigurationFile::in_force() {
  auto permit = co_await one_reader_.acquire();
  while (stale_) {
    stale_ = false;
    auto now = co_await read();
    if (now.ok() && known_) {
      const Status kept = check_kept(*known_, *now);
      if (!kept.ok()) now = kept;
    }
    if (now.ok()) {
      take(*std::move(now));
    } else if (known_) {
      host_.config.rejected(now.status().message());
    } else {
      stale_ = true;
      co_return now.status().with_context("--cloud-config");
    }
  }
  co_return known_;
}

// A long text takes more than the 10 ms that the loop has for one step, so a worker reads it. The
// job owns its text, because it may outlive this object.
Task<Result<Configuration>> ConfigurationFile::read() {
  const auto text = host_.config.cloud_config();
  if (!text) co_return Status(Code::invalid_argument, ErrorClass::invalid_spec, kWanted);
  auto job = [text = std::string(*text)] { return parse_configuration(text); };
  auto parsed = co_await host_.worker.run(std::move(job));
  co_return parsed;
}

void ConfigurationFile::take(Configuration configuration) {
  const Shared before =
      std::exchange(known_, std::make_shared<const Configuration>(std::move(configuration)));
  host_.config.accepted();
  host_.log.info("Read the configuration",
                 {{"nodes", known_->nodes ? known_->nodes->size() : 0},
                  {"addressPools", known_->address_pools ? known_->address_pools->size() : 0}});
  if (before && before->nodes) give_hints(host_.hints, *before->nodes, *known_->nodes);
}

}  // namespace ccm::static_provider
