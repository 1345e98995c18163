#include "zones.hpp"

#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kPause{20'000};

}  // namespace

Task<Status> Zones::read(Ctx ctx) {
  read_at_ = host_.timer.now();
  Call call{Api::ec2, "DescribeAvailabilityZones"};
  auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  std::map<std::string, Zone, std::less<>> zones;
  for (const XmlElement item : answer->result().list("availabilityZoneInfo")) {
    zones[item.text("zoneName")] = {item.text("zoneId"), item.text("zoneType")};
  }
  zones_ = std::move(zones);
  co_return Status();
}

Task<Status> Zones::look_for(Ctx ctx, std::string zone) {
  if (zones_.contains(zone) || host_.timer.now() - read_at_ < kPause) co_return Status();
  const Status status = co_await read(ctx);
  if (!status.ok()) {
    host_.log.warning("The ids of availability zones cannot be read", {{"err", status}});
  }
  co_return Status();
}

std::string Zones::id_of(std::string_view zone) const {
  const auto found = zones_.find(zone);
  return found == zones_.end() ? std::string() : found->second.id;
}

std::string Zones::type_of(std::string_view zone) const {
  const auto found = zones_.find(zone);
  return found == zones_.end() ? std::string() : found->second.type;
}

}  // namespace ccm::aws
