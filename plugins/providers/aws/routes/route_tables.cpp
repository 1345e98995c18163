#include "route_tables.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

constexpr int kTablesOfAPage = 100;  // the API's maximum

std::string_view destination_name(const std::string& destination) {
  return destination.find(':') == std::string::npos ? "DestinationCidrBlock"
                                                    : "DestinationIpv6CidrBlock";
}

PodRouteTable read_table(XmlElement item) {
  PodRouteTable table;
  table.id = item.text("routeTableId");
  for (const XmlElement route : item.list("routeSet")) {
    TableRoute read;
    read.destination = route.text("destinationCidrBlock");
    if (read.destination.empty()) read.destination = route.text("destinationIpv6CidrBlock");
    if (read.destination.empty()) continue;
    read.instance = route.text("instanceId");
    read.card = route.text("networkInterfaceId");
    read.blackhole = route.text("state") == "blackhole";
    table.routes.push_back(std::move(read));
  }
  return table;
}

// By the cluster's tag, or the old one (AWS-17), which other clusters have as well.
bool has_cluster_tag(XmlElement table, const Cluster& cluster) {
  for (const XmlElement tag : table.list("tagSet")) {
    const std::string key = tag.text("key");
    if (key == cluster.tag()) return true;
    if (key == kLegacyClusterTag && tag.text("value") == cluster.id) return true;
  }
  return false;
}

}  // namespace

const TableRoute* PodRouteTable::find(const std::string& destination) const {
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const TableRoute& route) {
    return route.destination == destination;
  });
  return found == routes.end() ? nullptr : &*found;
}

Task<Result<std::vector<PodRouteTable>>> RouteTables::read(Ctx ctx, std::string id) {
  Call call{Api::ec2, "DescribeRouteTables"};
  if (id.empty()) {
    call.params.filter("vpc-id", cluster_.vpc_id)
        .filter("tag-key",
                std::vector<std::string>{cluster_.tag(), std::string(kLegacyClusterTag)});
    call.params.set("MaxResults", kTablesOfAPage);
  } else {
    call.params.add("RouteTableId", id);
  }
  std::vector<PodRouteTable> tables;
  PageReader reader = [&tables, this, named = !id.empty()](XmlElement page) {
    for (const XmlElement item : page.list("routeTableSet")) {
      if (named || has_cluster_tag(item, cluster_)) tables.push_back(read_table(item));
    }
    return Status();
  };
  Status status = co_await client_.pages(ctx, std::move(call), reader);
  if (!status.ok()) co_return status;
  if (!tables.empty()) co_return tables;
  co_return Status(Code::failed_precondition,
                   "unable to find route table for AWS cluster: no route table of " +
                       cluster_.vpc_id + " has the tag " + cluster_.tag() +
                       "; tag it, or give [Global] RouteTableID")
      .with_reason("RouteTableNotFound");
}

Task<Status> RouteTables::put(Ctx ctx, std::string table, std::string destination,
                              RouteTarget target, bool replace) {
  Call call{Api::ec2, replace ? "ReplaceRoute" : "CreateRoute"};
  call.params.set("RouteTableId", table).set(destination_name(destination), destination);
  if (target.card.empty()) {
    call.params.set("InstanceId", target.instance);
  } else {
    call.params.set("NetworkInterfaceId", target.card);
  }
  call.idempotent = replace;
  if (replace) call.replaces = "where " + destination + " leads in " + table;
  Status status = co_await client_.run(ctx, std::move(call));
  co_return status;
}

Task<Status> RouteTables::remove(Ctx ctx, std::string table, std::string destination) {
  Call call{Api::ec2, "DeleteRoute"};
  call.params.set("RouteTableId", table).set(destination_name(destination), destination);
  call.idempotent = true;
  call.replaces = "route " + destination + " of " + table;
  Status status = co_await client_.run(ctx, std::move(call));
  if (has_code(status, "InvalidRoute.NotFound")) co_return Status();
  co_return status;
}

}  // namespace ccm::aws
