#include "ec2_instances.hpp"

#include "provider_id.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

constexpr int kInstancesOfAPage = 1'000;  // the API's maximum
constexpr size_t kMostInstances = 100'000;
constexpr milliseconds kListingTimeout{120'000};

// Most of the bytes of an instance that nothing here reads.
const std::vector<std::string_view> kSkipped = {
    "blockDeviceMapping", "productCodes",
    "cpuOptions",         "capacityReservationSpecification",
    "hibernationOptions", "metadataOptions",
    "enclaveOptions",     "privateDnsNameOptions",
    "maintenanceOptions", "elasticGpuAssociationSet",
    "licenseSet",         "elasticInferenceAcceleratorAssociationSet"};

Call describe(const Params& params) {
  Call call{Api::ec2, "DescribeInstances", params};
  call.skipped = kSkipped;
  return call;
}

void add(Ec2Instance instance, InstanceMap& all) {
  std::string id = instance.id;
  all.insert_or_assign(std::move(id), std::move(instance));
}

void add(const Ec2Instance& instance, InstanceListing& all) { all.add(instance); }

// `all`: where they go.
template <typename All>
Status read_page(XmlElement page, All& all) {
  for (const XmlElement reservation : page.list("reservationSet")) {
    for (const XmlElement item : reservation.list("instancesSet")) {
      auto instance = read_instance(item);
      if (!instance.ok()) return instance.status();
      add(*std::move(instance), all);
    }
  }
  if (all.size() <= kMostInstances) return {};
  return Status(Code::resource_exhausted,
                "there are more than " + std::to_string(kMostInstances) + " instances");
}

}  // namespace

Ec2Instances::Ec2Instances(Host& host, Client& client, const Cluster& cluster)
    : host_(host), client_(client), cluster_(cluster) {}

Task<Result<InstanceMap>> Ec2Instances::matching(Ctx ctx, Params filters) {
  filters.set("MaxResults", kInstancesOfAPage);
  InstanceMap all;
  PageReader reader = [&all](XmlElement page) { return read_page(page, all); };
  Status status = co_await client_.pages(ctx, describe(filters), reader);
  if (!status.ok()) co_return status;
  co_return all;
}

Task<Result<InstanceListingPtr>> Ec2Instances::list(Ctx ctx, milliseconds max_age) {
  if (last_ && host_.timer.now() - last_at_ < max_age) co_return last_;
  std::shared_ptr<Round> round = running_;
  if (!round) {
    round = running_ = std::make_shared<Round>(host_.post);
    host_.spawn(run(round));
  }
  co_await round->ended.wait(ctx);
  if (Status ended = ctx.status(); !ended.ok()) co_return ended;
  co_return round->outcome;
}

// Not within the call that asked first: others wait for it as well.
Task<Status> Ec2Instances::run(std::shared_ptr<Round> round) {
  const milliseconds begun = host_.timer.now();
  Params filters;
  filters.filter("vpc-id", cluster_.vpc_id);
  filters.set("MaxResults", kInstancesOfAPage);
  Ctx ctx = host_.background().with_timeout(kListingTimeout);
  const auto all = std::make_shared<InstanceListing>();
  PageReader reader = [&](XmlElement page) { return read_page(page, *all); };
  Status status = co_await client_.pages(ctx, describe(filters), reader);
  running_.reset();
  if (status.ok()) {
    all->finish();
    last_ = all;
    last_at_ = begun;
    last_pages_ = last_->size() / size_t{kInstancesOfAPage} + 1;
    looked_up_ = 0;
    round->outcome = last_;
  } else {
    round->outcome = status;
  }
  round->ended.open();
  co_return Status();  // the failure is told to those who asked
}

bool Ec2Instances::takes_look_up(size_t ids, milliseconds max_age) {
  if (running_ || (last_ && host_.timer.now() - last_at_ < max_age)) return false;
  const size_t calls = (ids + kFilterValues - 1) / kFilterValues;
  if (looked_up_ + calls >= last_pages_) return false;
  looked_up_ += calls;
  return true;
}

Task<Result<InstanceMap>> Ec2Instances::by_ids(Ctx ctx, std::vector<std::string> ids,
                                               milliseconds max_age) {
  InstanceMap found;
  std::vector<std::string> missing;
  const bool fresh = last_ && host_.timer.now() - last_at_ <= max_age;
  for (std::string& id : ids) {
    if (!is_instance_id(id)) continue;
    auto known = fresh ? last_->find(id) : std::nullopt;
    if (known) {
      found.emplace(id, *std::move(known));
    } else {
      missing.push_back(std::move(id));
    }
  }
  for (size_t begin = 0; begin < missing.size(); begin += kFilterValues) {
    const auto first = missing.begin() + static_cast<std::ptrdiff_t>(begin);
    const size_t count = std::min(kFilterValues, missing.size() - begin);
    Params filters;
    filters.filter("instance-id",
                   std::vector<std::string>(first, first + static_cast<std::ptrdiff_t>(count)));
    auto some = co_await matching(ctx, std::move(filters));
    if (!some.ok()) co_return some.status();
    found.merge(*some);
  }
  co_return found;
}

}  // namespace ccm::aws
