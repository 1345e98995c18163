#include "vpc.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ccm::aws {
namespace {

constexpr int kVpcPage = 1'000;
constexpr int kTablePage = 100;

// "associated" is the state that serves. Words that are not known are left to AWS, which refuses a
// dual-stack load balancer in a subnet without a range.
bool serves_v6(std::string_view state) {
  constexpr std::array<std::string_view, 5> kOthers{"associating", "disassociating",
                                                    "disassociated", "failing", "failed"};
  return std::find(kOthers.begin(), kOthers.end(), state) == kOthers.end();
}

Subnet read_subnet(XmlElement item) {
  Subnet out;
  out.id = item.text("subnetId");
  out.zone = item.text("availabilityZone");
  out.cidr = item.text("cidrBlock");
  for (const XmlElement range : item.list("ipv6CidrBlockAssociationSet")) {
    if (serves_v6(range.child("ipv6CidrBlockState").text("state"))) {
      out.ipv6_cidr = range.text("ipv6CidrBlock");
    }
  }
  for (const XmlElement tag : item.list("tagSet")) out.tags[tag.text("key")] = tag.text("value");
  return out;
}

RouteTable read_route_table(XmlElement item) {
  RouteTable out;
  for (const XmlElement association : item.list("associationSet")) {
    if (association.flag("main")) out.main = true;
    if (association.child("subnetId")) out.subnets.push_back(association.text("subnetId"));
  }
  for (const XmlElement route : item.list("routeSet")) {
    out.to_internet = out.to_internet || route.text("gatewayId").starts_with("igw");
  }
  return out;
}

}  // namespace

Vpc::Vpc(Host& host, Client& client, const Cluster& cluster, Zones& zones)
    : host_(host),
      client_(client),
      cluster_(cluster),
      zones_(zones),
      network_(host, [this](Ctx ctx, Network& out) { return read(std::move(ctx), out); }) {}

Task<Result<Snapshot<Network>::Ptr>> Vpc::get(Ctx ctx, std::chrono::milliseconds max_age,
                                              std::chrono::milliseconds table_age) {
  if (host_.timer.now() - tables_at_ >= table_age) forget();
  return network_.get(std::move(ctx), max_age);
}

Task<Status> Vpc::read_subnets(Ctx ctx, Network& out) {
  Call call{Api::ec2, "DescribeSubnets"};
  call.params.filter("vpc-id", cluster_.vpc_id).set("MaxResults", kVpcPage);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement item : page.list("subnetSet")) {
      out.subnets.push_back(read_subnet(item));
      if (out.subnets.back().id.empty()) return bad_answer("has a subnet without id");
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Status> Vpc::read_tables(Ctx ctx, Network& out) {
  Call call{Api::ec2, "DescribeRouteTables"};
  call.params.filter("vpc-id", cluster_.vpc_id).set("MaxResults", kTablePage);
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement item : page.list("routeTableSet")) {
      out.tables.push_back(read_route_table(item));
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Status> Vpc::learn_zones(Ctx ctx, Network& out) {
  const bool lacks_one =
      std::any_of(out.subnets.begin(), out.subnets.end(),
                  [this](const Subnet& subnet) { return zones_.lacks(subnet.zone); });
  Status read;
  if (lacks_one) read = co_await zones_.read(ctx);
  if (!read.ok()) co_return read;
  for (const Subnet& subnet : out.subnets) {
    std::string type = zones_.type_of(subnet.zone);
    if (!type.empty()) out.zone_types[subnet.zone] = std::move(type);
  }
  co_return Status();
}

Task<Status> Vpc::read(Ctx ctx, Network& out) {
  Status read = co_await read_subnets(ctx, out);
  std::set<std::string> subnets;
  for (const Subnet& subnet : out.subnets) subnets.insert(subnet.id);
  if (read.ok() && subnets != table_subnets_) {
    tables_at_ = host_.timer.now();
    read = co_await read_tables(ctx, out);
    if (read.ok()) {
      tables_ = out.tables;
      table_subnets_ = std::move(subnets);
    }
  } else {
    out.tables = tables_;
  }
  if (read.ok()) read = co_await learn_zones(ctx, out);
  co_return read;
}

}  // namespace ccm::aws
