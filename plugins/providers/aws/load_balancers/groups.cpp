#include "groups.hpp"

#include "aws/api/error.hpp"
#include "node_groups.hpp"
#include "tag_lists.hpp"

#include <utility>

namespace ccm::aws {
namespace {

constexpr int kGroupPage = 1'000;

void read_sources(XmlElement permission, const Rule& ports, std::string_view list,
                  std::string_view member, Rules& out) {
  for (const XmlElement source : permission.list(list)) {
    Rule rule = ports;
    rule.source = source.text(member);
    rule.description = source.text("description");
    out.insert(std::move(rule));
  }
}

void read_permission(XmlElement permission, Rules& out) {
  Rule ports;
  ports.protocol = permission.text("ipProtocol");
  ports.from = permission.number("fromPort").value_or(-1);
  ports.to = permission.number("toPort").value_or(-1);
  read_sources(permission, ports, "ipRanges", "cidrIp", out);
  read_sources(permission, ports, "ipv6Ranges", "cidrIpv6", out);
  read_sources(permission, ports, "groups", "groupId", out);
  read_sources(permission, ports, "prefixListIds", "prefixListId", out);
}

}  // namespace

Result<SecurityGroup> read_security_group(XmlElement item) {
  SecurityGroup out;
  out.id = item.text("groupId");
  if (out.id.empty()) return bad_answer("has a security group without id");
  out.name = item.text("groupName");
  out.description = item.text("groupDescription");
  for (const XmlElement tag : item.list("tagSet")) out.tags[tag.text("key")] = tag.text("value");
  for (const XmlElement permission : item.list("ipPermissions")) {
    read_permission(permission, out.rules);
  }
  return out;
}

Groups::Groups(Host& host, Client& client, const Cluster& cluster)
    : client_(client),
      cluster_(cluster),
      groups_(host, [this](Ctx ctx, SecurityGroups& out) { return read(std::move(ctx), out); }) {}

Task<Status> Groups::read(Ctx ctx, SecurityGroups& out) {
  Call call{Api::ec2, "DescribeSecurityGroups"};
  call.params.filter("vpc-id", cluster_.vpc_id).set("MaxResults", kGroupPage);
  call.skipped = {"ipPermissionsEgress"};
  PageReader reader = [&out](XmlElement page) {
    for (const XmlElement item : page.list("securityGroupInfo")) {
      auto group = read_security_group(item);
      if (!group.ok()) return group.status();
      out[group->id] = *std::move(group);
    }
    return Status();
  };
  return client_.pages(std::move(ctx), std::move(call), std::move(reader));
}

Task<Result<Snapshot<SecurityGroups>::Ptr>> Groups::list(Ctx ctx,
                                                         std::chrono::milliseconds max_age) {
  return groups_.get(std::move(ctx), max_age);
}

Task<Result<std::string>> Groups::create(Ctx ctx, std::string name, std::string description,
                                         Tags tags) {
  Call call{Api::ec2, "CreateSecurityGroup"};
  call.params.set("GroupName", name).set("GroupDescription", description);
  call.params.set("VpcId", cluster_.vpc_id);
  Params specification;
  specification.set("ResourceType", "security-group");
  add_pairs(specification, "Tag", tags);
  call.params.add("TagSpecification", specification);
  const auto answer = co_await client_.call(ctx, std::move(call));
  if (!answer.ok()) co_return answer.status();
  SecurityGroup made{answer->result().text("groupId"), name, description, tags, {}};
  if (made.id.empty()) co_return bad_answer("has no groupId").with_context("CreateSecurityGroup");
  groups_.edit([made](SecurityGroups& groups) { groups[made.id] = made; });
  co_return made.id;
}

Task<Status> Groups::change_rules(Ctx ctx, std::string group_id, Rules rules, bool add) {
  Call call{Api::ec2, add ? "AuthorizeSecurityGroupIngress" : "RevokeSecurityGroupIngress"};
  call.idempotent = true;  // what is there, or gone, is done
  if (!add) call.replaces = "rules of " + group_id;
  call.params.set("GroupId", group_id);
  set_permissions(call.params, rules);
  Status sent = co_await client_.run(ctx, std::move(call));
  const std::string_view done = add ? "InvalidPermission.Duplicate" : "InvalidPermission.NotFound";
  const bool is_done = has_code(sent, done);
  if (is_done && rules.size() > 1) {  // the whole request is refused for one of them
    for (const Rule& rule : rules) {
      Rules alone;
      alone.insert(rule);
      sent = co_await change_rules(ctx, group_id, std::move(alone), add);
      if (!sent.ok()) co_return sent;
    }
    co_return Status();
  }
  if (is_done || (!add && is_not_found(sent))) sent = Status();
  if (!sent.ok()) co_return sent;
  groups_.edit([group_id, rules, add](SecurityGroups& groups) {
    const auto group = groups.find(group_id);
    if (group == groups.end()) return;
    for (const Rule& rule : rules) {
      group->second.rules.erase(rule);
      if (add) group->second.rules.insert(rule);
    }
  });
  co_return Status();
}

Task<Status> Groups::apply(Ctx ctx, RuleChange change) {
  if (!change.add.empty()) {
    Status added = co_await change_rules(ctx, change.group_id, std::move(change.add), true);
    if (!added.ok()) co_return added;
  }
  if (!change.remove.empty()) {
    Status removed = co_await change_rules(ctx, change.group_id, std::move(change.remove), false);
    if (!removed.ok()) co_return removed;
  }
  if (!change.shares_path_mtu) co_return Status();
  co_return co_await settle_path_mtu(ctx, std::move(change.group_id));
}

Task<Status> Groups::apply_all(Ctx ctx, std::vector<RuleChange> changes) {
  Status applied;
  for (RuleChange& change : changes) {
    if (applied.ok()) applied = co_await apply(ctx, std::move(change));
  }
  co_return applied;
}

Task<Status> Groups::settle(Ctx ctx, SecurityGroup wish, std::string& id) {
  if (id.empty()) {
    auto made = co_await create(ctx, wish.name, wish.description, wish.tags);
    if (!made.ok()) co_return made.status();
    id = *std::move(made);
  }
  const auto groups = co_await list(ctx, kKnown);
  if (!groups.ok()) co_return groups.status();
  const auto found = (*groups)->find(id);
  if (found == (*groups)->end()) co_return Status(Code::aborted, "the security group is gone");
  Status settled;
  if (!found->second.tags.contains(cluster_.tag())) {
    settled = co_await add_tags(ctx, id, wish.tags);
  }
  if (settled.ok()) settled = co_await apply(ctx, exact_change(found->second, wish.rules));
  co_return settled;
}

// When several load balancers change at once, each one saw the rules of the others as they were:
// the last one sees them as they are.
Task<Status> Groups::settle_path_mtu(Ctx ctx, std::string group_id) {
  const auto groups = co_await list(ctx, kAgeToMake);
  if (!groups.ok()) co_return groups.status();
  const auto group = (*groups)->find(group_id);
  if (group == (*groups)->end()) co_return Status();
  RuleChange rest = path_mtu_change(group->second);
  if (rest.empty()) co_return Status();
  co_return co_await apply(ctx, std::move(rest));
}

Task<Status> Groups::add_tags(Ctx ctx, std::string id, Tags tags) {
  Call call{Api::ec2, "CreateTags"};
  call.idempotent = true;
  call.params.add("ResourceId", id);
  add_pairs(call.params, "Tag", tags);
  Status sent = co_await client_.run(ctx, std::move(call));
  if (!sent.ok()) co_return sent;
  groups_.edit([id, tags](SecurityGroups& groups) {
    const auto group = groups.find(id);
    if (group == groups.end()) return;
    for (const auto& [key, value] : tags) group->second.tags[key] = value;
  });
  co_return Status();
}

Task<Status> Groups::remove(Ctx ctx, std::string id) {
  Call call{Api::ec2, "DeleteSecurityGroup"};
  call.idempotent = true;
  call.replaces = "security group " + id;
  call.params.set("GroupId", id);
  Status sent = co_await client_.run(ctx, std::move(call));
  if (is_not_found(sent)) sent = Status();
  if (sent.ok()) groups_.edit([id](SecurityGroups& groups) { groups.erase(id); });
  co_return sent;
}

}  // namespace ccm::aws
