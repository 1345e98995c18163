#include "instance_tags.hpp"

#include "aws/api/error.hpp"
#include "aws/nodes/instance_view.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGather{100};
constexpr milliseconds kFreshListing{60'000};
// When this number of single instances was refused in one round, the fault is not theirs.
constexpr int kMostRefused = 16;

// Whether EC2 may have refused a call for one of its instances: one that vanished (AWS-129), has 50
// tags already, or may not be tagged by this credential.
bool may_be_of_one(const Status& status) {
  const ErrorClass error = status.error_class();
  return is_not_found(status) || error == ErrorClass::quota || error == ErrorClass::conflict ||
         error == ErrorClass::invalid_spec || status.code() == Code::permission_denied;
}

}  // namespace

Task<Status> InstanceTags::change(Ctx ctx, TagChange change, std::string instance_id) {
  std::shared_ptr<Round>& gathering = gathering_[static_cast<size_t>(change)];
  const std::shared_ptr<Round> round = gathering ? gathering : std::make_shared<Round>(host_.post);
  round->outcomes.try_emplace(instance_id);
  if (gathering) {
    co_await round->ended.wait(ctx);
    if (Status ended = ctx.status(); !ended.ok()) co_return ended;
    co_return round->outcomes.at(instance_id);
  }
  // The first one works for all.
  gathering = round;
  Status status = co_await host_.timer.sleep(ctx, kGather);
  gathering.reset();
  if (status.ok()) status = co_await work(ctx, change, *round);
  if (!status.ok()) {
    for (auto& [id, outcome] : round->outcomes) outcome = status;
  }
  round->ended.open();
  co_return round->outcomes.at(instance_id);
}

// A failure is everybody's.
Task<Status> InstanceTags::work(Ctx ctx, TagChange change, Round& round) {
  std::vector<std::string> ids;
  for (const auto& [id, outcome] : round.outcomes) ids.push_back(id);
  auto found = co_await session_.instances->by_ids(ctx, ids, kFreshListing);
  if (!found.ok()) co_return found.status();
  std::vector<std::string> ours;
  for (const std::string& id : ids) {
    round.outcomes[id] = check(*found, id);
    if (round.outcomes[id].ok()) ours.push_back(id);
  }
  for (size_t begin = 0; begin < ours.size(); begin += kFilterValues) {
    const size_t end = std::min(begin + kFilterValues, ours.size());
    std::vector<std::string> some(ours.begin() + static_cast<std::ptrdiff_t>(begin),
                                  ours.begin() + static_cast<std::ptrdiff_t>(end));
    Status status = co_await write(ctx, change, std::move(some), round);
    if (!status.ok()) co_return status;
  }
  co_return Status();
}

Status InstanceTags::check(const InstanceMap& found, const std::string& id) const {
  const auto place = found.find(id);
  if (place == found.end() || place->second.state == "terminated" ||
      place->second.state == "shutting-down") {
    return Status(Code::not_found, ErrorClass::not_found, "EC2 has no living instance " + id);
  }
  return check_of_cluster(place->second, *session_.cluster);
}

Call InstanceTags::call_of(TagChange change, const std::vector<std::string>& ids) const {
  Call call{Api::ec2, change == TagChange::add ? "CreateTags" : "DeleteTags"};
  call.idempotent = true;
  call.params.add_all("ResourceId", ids);
  for (const auto& [key, value] : tags_) {
    Params tag;
    call.params.add("Tag", tag.set("Key", key).set("Value", value));
  }
  return call;
}

// One that is refused would keep the others from theirs: halves, until it is alone.
Task<Status> InstanceTags::write(Ctx ctx, TagChange change, std::vector<std::string> ids,
                                 Round& round) {
  Call call = call_of(change, ids);
  Status status = co_await session_.client->run(ctx, std::move(call));
  if (status.ok() || !may_be_of_one(status)) co_return status;
  if (ids.size() == 1) {
    round.outcomes[ids.front()] = status;
    if (!is_not_found(status)) ++round.refused;
    co_return round.refused < kMostRefused ? Status() : status;
  }
  const auto middle = ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / 2);
  std::vector<std::string> others(middle, ids.end());
  ids.erase(middle, ids.end());
  status = co_await write(ctx, change, std::move(ids), round);
  if (status.ok()) status = co_await write(ctx, change, std::move(others), round);
  co_return status;
}

}  // namespace ccm::aws
