#include "regions.hpp"

#include "provider_id.hpp"

#include <ccm/gather.hpp>

#include <iterator>
#include <optional>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr const char* kNeededServices[] = {"compute", "network"};

}  // namespace

void Regions::configure(const GlobalSettings& global, const NetworkingSettings& networking,
                        bool regional) {
  regions_.clear();
  regions_.push_back(std::make_shared<Region>(host_, session_, global.region));
  for (const std::string& name : global.additional_region) {
    regions_.push_back(std::make_shared<Region>(host_, session_, name));
  }
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    regions_[i]->servers.configure(regions_[i]->name, networking, regional || i > 0);
  }
}

Task<Status> Regions::find_services(Ctx ctx) {
  const std::vector<RegionPtr> regions = regions_;
  for (const RegionPtr& region : regions) {
    for (const char* name : kNeededServices) {
      std::string service = name;
      Status status = co_await region->api.find_service(ctx, std::move(service));
      if (!status.ok()) co_return status;
    }
  }
  co_return Status();
}

Task<Status> Regions::check(Ctx ctx) {
  const RegionPtr first = regions_.front();
  Status status = co_await first->servers.check(ctx);
  co_return status;
}

Task<Result<InstanceList>> Regions::list(Ctx ctx) {
  const std::vector<RegionPtr> regions = regions_;
  if (regions.size() == 1) {
    auto all = co_await regions.front()->servers.list(ctx);
    co_return all;
  }
  // One that does not answer must not cost the others their time.
  const Ctx limited = ctx.with_timeout(ctx.remaining() / 4 * 3);
  std::vector<std::optional<Result<InstanceList>>> answers(regions.size());
  auto ask = [&](std::size_t i) -> Task<Status> {
    auto answer = co_await regions[i]->servers.list(limited);
    answers[i] = std::move(answer);
    co_return Status();
  };
  Status asked = co_await gather(host_.post, regions.size(), regions.size(), std::move(ask));
  if (!asked.ok()) co_return asked;
  InstanceList all;
  std::size_t lost = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    Result<InstanceList>& answer = *answers[i];
    if (answer.ok()) {
      std::move(answer->instances.begin(), answer->instances.end(),
                std::back_inserter(all.instances));
      continue;
    }
    ++lost;
    tell_lost(*regions[i], answer.status());
    all.unknown_prefixes.push_back(provider_id(regions[i]->name, ""));
  }
  if (lost == regions.size()) co_return answers.front()->status();
  if (lost > 0) all.unknown_prefixes.push_back(provider_id("", ""));
  co_return all;
}

void Regions::tell_lost(const Region& region, const Status& failure) {
  host_.log.warning("A region does not answer; its instances are unknown",
                    {{"region", region.name}, {"err", failure}});
}

Task<Result<Instance>> Regions::get(Ctx ctx, NodeIdentity node) {
  const std::vector<RegionPtr> regions = regions_;
  std::string named;
  if (!node.provider_id.empty()) {
    const auto id = parse_provider_id(node.provider_id);
    if (!id.ok()) co_return id.status();
    named = id->region;
  }
  if (!named.empty()) {
    RegionPtr its = regions.front();  // which says whose it is when no region here has that name
    for (const RegionPtr& region : regions) {
      if (region->name == named) its = region;
    }
    auto one = co_await its->servers.get(ctx, std::move(node));
    co_return one;
  }
  // A name, or an ID without a region, as managers of one region give it: it is absent when no
  // region has it.
  Status absent;
  for (const RegionPtr& region : regions) {
    auto one = co_await region->servers.get(ctx, node);
    if (one.ok() || one.status().error_class() != ErrorClass::not_found) co_return one;
    absent = one.status();
  }
  co_return absent;
}

}  // namespace ccm::openstack
