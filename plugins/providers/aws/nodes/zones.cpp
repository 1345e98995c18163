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
  answered_ = answer.ok();
  if (!answer.ok()) co_return answer.status();
  std::map<std::string, Zone, std::less<>> zones;
  for (const XmlElement item : answer->result().list("availabilityZoneInfo")) {
    zones[item.text("zoneName")] = {item.text("zoneId"), item.text("zoneType")};
  }
  zones_ = std::move(zones);
  co_return Status();
}

Task<Status> Zones::look_for(Ctx ctx, std::string zone) {
  if (zones_.contains(zone) || read_lately()) co_return Status();
  const Status status = co_await read(ctx);
  if (!status.ok()) host_.log.warning("Availability zones cannot be read", {{"err", status}});
  co_return Status();
}

bool Zones::read_lately() const { return read_at_ && host_.timer.now() - *read_at_ < kPause; }

bool Zones::lacks(std::string_view zone) const {
  return !zones_.contains(zone) && !(answered_ && read_lately());
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
