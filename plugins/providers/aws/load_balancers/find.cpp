#include "find.hpp"

#include "aws/api/error.hpp"

#include <ccm/namespace_rules.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kListAge{20'000};
constexpr std::chrono::milliseconds kTagsAge{60'000};

bool may_have_had_one(const LoadBalancerService& service) {
  return !service.id.empty() || !service.adopt_id.empty() ||
         service.object.at("/status/loadBalancer/ingress/0").exists();
}

// How old a listing may be that says that there is none. A name of the UID is nobody else's, and
// for one that this process does not know AWS answers DuplicateLoadBalancerName. `named`: by its
// Service, so that it may be anybody's.
std::chrono::milliseconds age_for(const LoadBalancerService& service, bool named) {
  return named || may_have_had_one(service) ? kListAge : kAgeToMake;
}

// Where to look, the surest first.
std::array<std::string, 4> candidate_names(const LoadBalancerService& service) {
  return {service.adopt_id, service.id, load_balancer_name_of(service),
          load_balancer_name(service.uid)};
}

Status not_shared(std::string why) {
  return Status(Code::failed_precondition, ErrorClass::invalid_spec, std::move(why))
      .with_reason("LoadBalancerNotShared");
}

int rank(Claim claim) {
  switch (claim) {
    case Claim::takeover:
      return 3;
    case Claim::owner:
      return 2;
    case Claim::guest:
      return 1;
    case Claim::none:
      break;
  }
  return 0;
}

}  // namespace

std::string load_balancer_name_of(const LoadBalancerService& service) {
  if (kind_of(service) == Kind::network) {
    const auto given = Annotations(service.object).text(annotation::kName);
    if (given && !given->empty()) return *given;
  }
  return load_balancer_name(service.uid);
}

Finder::Finder(Host& host, Elbv2& elbv2, Elb& elb, const Cluster& cluster)
    : host_(host),
      elbv2_(elbv2),
      elb_(elb),
      cluster_(cluster),
      network_tags_(
          host,
          [this](Ctx ctx, TagsByOwner& out) { return read_network_tags(std::move(ctx), out); }),
      classic_tags_(host, [this](Ctx ctx, TagsByOwner& out) {
        return read_classic_tags(std::move(ctx), out);
      }) {}

Task<Status> Finder::read_network_tags(Ctx ctx, TagsByOwner& out) {
  const auto all = co_await elbv2_.list(ctx, kListAge);
  if (!all.ok()) co_return all.status();
  std::vector<std::string> arns;
  for (const auto& [name, balancer] : (*all)->by_name) {
    if (balancer.vpc_id == cluster_.vpc_id && balancer.type == "network") {
      arns.push_back(balancer.arn);
    }
  }
  auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  out = *std::move(tags);
  co_return Status();
}

Task<Status> Finder::read_classic_tags(Ctx ctx, TagsByOwner& out) {
  const auto all = co_await elb_.list(ctx, kListAge);
  if (!all.ok()) co_return all.status();
  std::vector<std::string> names;
  for (const auto& [name, balancer] : **all) {
    if (balancer.vpc_id == cluster_.vpc_id) names.push_back(name);
  }
  auto tags = co_await elb_.tags(ctx, std::move(names));
  if (!tags.ok()) co_return tags.status();
  out = *std::move(tags);
  co_return Status();
}

// `owner`: an ARN, or the name of a classic one.
Task<Result<Tags>> Finder::tags_of(Ctx ctx, Api api, std::string owner) {
  Snapshot<TagsByOwner>& known = api == Api::elb ? classic_tags_ : network_tags_;
  const auto all = co_await known.get(ctx, kTagsAge);
  if (!all.ok()) co_return all.status();
  const auto found = (*all)->find(owner);
  if (found != (*all)->end()) co_return found->second;
  std::vector<std::string> owners{owner};
  auto reading =
      api == Api::elb ? elb_.tags(ctx, std::move(owners)) : elbv2_.tags(ctx, std::move(owners));
  auto alone = co_await std::move(reading);
  if (!alone.ok()) co_return alone.status();
  const Tags tags = (*alone)[owner];
  known.edit([owner, tags](TagsByOwner& all_tags) { all_tags[owner] = tags; });
  co_return tags;
}

// A Service may forget its load balancer's id, and call for another name. What this process has
// made is in tags of any age.
Task<Result<Found>> Finder::find_by_tags(Ctx ctx, const LoadBalancerService& service) {
  const auto tags =
      co_await network_tags_.get(ctx, may_have_had_one(service) ? kTagsAge : kAgeToMake);
  if (!tags.ok()) co_return tags.status();
  auto all = co_await elbv2_.list(ctx, kAgeToMake);
  if (!all.ok()) co_return all.status();
  const auto own = std::find_if((*tags)->begin(), (*tags)->end(), [&](const auto& of) {
    const NetworkBalancer* balancer = (*all)->find(of.first);
    return balancer != nullptr &&
           is_owner(service, {of.first, balancer->name, of.second}, cluster_);
  });
  Found found;
  if (own == (*tags)->end()) co_return found;
  all = co_await elbv2_.list(ctx, kListAge);  // it may have gone or changed since
  if (!all.ok()) co_return all.status();
  if (const NetworkBalancer* balancer = (*all)->find(own->first)) {
    found.network = *balancer;
    found.tags = own->second;
    found.claim = Claim::owner;
  }
  co_return found;
}

Task<Result<Found>> Finder::find_network(Ctx ctx, const LoadBalancerService& service) {
  const std::string made_name = load_balancer_name(service.uid);
  auto all =
      co_await elbv2_.list(ctx, age_for(service, load_balancer_name_of(service) != made_name));
  if (all.ok() && (*all)->find(made_name) != nullptr) all = co_await elbv2_.list(ctx, kListAge);
  if (!all.ok()) co_return all.status();
  Found best;
  for (const std::string& candidate : candidate_names(service)) {
    const NetworkBalancer* balancer = candidate.empty() ? nullptr : (*all)->find(candidate);
    if (balancer == nullptr || (best.network && best.network->arn == balancer->arn)) continue;
    if (balancer->type != "network" && candidate != made_name) {  // an annotation may name any
      if (!best.network) best.network = *balancer;
      continue;
    }
    if (balancer->type != "network") {  // AWS-116
      co_return Status(
          Code::failed_precondition,
          "NLB '" + balancer->name + "' could not be found: it is of the type " + balancer->type);
    }
    auto tags = co_await tags_of(ctx, Api::elbv2, balancer->arn);
    if (!tags.ok()) co_return tags.status();
    Found candidate_found{*balancer, std::nullopt, *std::move(tags), Claim::none};
    candidate_found.claim = claim_of(service, candidate_found.marked(), cluster_);
    if (!best.network || rank(candidate_found.claim) > rank(best.claim))
      best = std::move(candidate_found);
  }
  if (rank(best.claim) >= rank(Claim::owner)) co_return best;
  auto tagged = co_await find_by_tags(ctx, service);
  if (!tagged.ok() || tagged->any()) co_return tagged;
  co_return best;
}

Task<Result<Found>> Finder::find_classic(Ctx ctx, const LoadBalancerService& service) {
  const std::string made_name = load_balancer_name(service.uid);
  auto all = co_await elb_.list(ctx, age_for(service, false));
  if (all.ok() && (*all)->contains(made_name)) all = co_await elb_.list(ctx, kListAge);
  if (!all.ok()) co_return all.status();
  Found best;
  for (const std::string& candidate : candidate_names(service)) {
    const auto found = (*all)->find(candidate);
    if (found == (*all)->end() || (best.classic && best.classic->name == candidate)) continue;
    auto tags = co_await tags_of(ctx, Api::elb, found->first);
    if (!tags.ok()) co_return tags.status();
    Found candidate_found{std::nullopt, found->second, *std::move(tags), Claim::none};
    candidate_found.claim = claim_of(service, candidate_found.marked(), cluster_);
    if (candidate_found.claim == Claim::guest)
      candidate_found.claim = Claim::none;  // its ports cannot be told apart
    if (!best.classic || rank(candidate_found.claim) > rank(best.claim))
      best = std::move(candidate_found);
  }
  co_return best;
}

// The other kind counts only where there may be one: a change of the type, a name by hand.
Task<Result<Found>> Finder::find(Ctx ctx, const LoadBalancerService& service, Kind kind) {
  const bool network = kind == Kind::network;
  auto of_kind = network ? find_network(ctx, service) : find_classic(ctx, service);
  auto first = co_await std::move(of_kind);
  if (!first.ok() || first->claim != Claim::none || !may_have_had_one(service)) co_return first;
  auto of_other = network ? find_classic(ctx, service) : find_network(ctx, service);
  auto second = co_await std::move(of_other);
  if (!second.ok() || second->claim != Claim::none || !first->any()) co_return second;
  co_return first;
}

Task<Status> Finder::own_target_groups(Ctx ctx, const LoadBalancerService& service, std::string arn,
                                       std::set<std::string>& out) {
  const auto groups = co_await elbv2_.groups(ctx, kListAge);
  if (!groups.ok()) co_return groups.status();
  std::vector<std::string> arns;
  for (const auto& [id, group] : **groups) {
    const auto& of = group.balancers;
    if (std::find(of.begin(), of.end(), arn) != of.end()) arns.push_back(id);
  }
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  for (const auto& [id, of] : *tags) {
    if (has_both_tags(service, of, cluster_)) out.insert(id);
  }
  co_return Status();
}

// Each Service that is on it has to permit the guest's namespace. Rules of its own security groups
// are one Service's, so one that has groups is not shared.
Status Finder::may_join(const LoadBalancerService& service, const Found& found) const {
  const std::string what = "load balancer " + found.name();
  if (!found.network || !found.network->groups.empty()) {
    return not_shared(what + " has security groups, whose rules are one Service's alone");
  }
  for (const std::string& key : other_users(service, found.marked())) {
    LoadBalancerService user;
    user.namespace_name = key.substr(0, key.find('/'));
    user.name = key.substr(std::min(user.namespace_name.size() + 1, key.size()));
    user.object = host_.kube.cached("v1/services", user.name, user.namespace_name);
    user.uid = user.object.uid();
    // A Service that was made again under its old name has another UID.
    if (!user.object || claim_of(user, found.marked(), cluster_) != Claim::owner) {
      return not_shared(what + " bears the mark of Service " + key + ", which there is not");
    }
    if (shares_load_balancer_with(host_.config, user.object, service.namespace_name)) continue;
    return not_shared("Service " + key + " does not share its " + what + " with the namespace " +
                      service.namespace_name + ": its annotation " + std::string(kShareAnnotation) +
                      " has to name it");
  }
  return {};
}

}  // namespace ccm::aws
