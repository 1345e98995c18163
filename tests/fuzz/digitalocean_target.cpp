// Answers of DigitalOcean's API (plugins/providers/digitalocean): droplets, load balancers,
// certificates, failures.
// Input: a byte of choices, then the text of an answer.
// Properties: whatever is read can be used: IDs lead back to numbers, lists are in the promised
// order, an update of a load balancer that already is as wanted names no difference and is JSON; a
// failure has a class and a short message without the rest of the answer.
#include "digitalocean/answer.hpp"
#include "digitalocean/droplet.hpp"
#include "digitalocean/load_balancers/certificates.hpp"
#include "digitalocean/load_balancers/compare.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/ownership.hpp"
#include "fuzz.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ccm::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestMessage = 4096;

void check_fault(const Status& status) {
  require(!status.ok() && !status.message().empty(), "a failure says what is wrong");
  require(status.message().size() <= kLongestMessage, "in a few words");
}

void check_droplet(const Instance& droplet) {
  const auto id = digitalocean::droplet_id(droplet.provider_id);
  require(id.ok() && *id > 0, "a droplet's ID leads back to its number");
  require(droplet.state != InstanceState::absent, "an answer never says absent");
}

void check_droplets(std::string_view text) {
  const auto page = digitalocean::parse_droplets(text);
  if (page.ok()) {
    for (const Instance& droplet : page->droplets) check_droplet(droplet);
  } else {
    check_fault(page.status());
  }
  const auto one = digitalocean::parse_droplet(text);
  if (one.ok()) {
    check_droplet(*one);
  } else {
    check_fault(one.status());
  }
}

// The existing load balancer as a wanted one.
digitalocean::WantedLoadBalancer same_as(const digitalocean::ExistingLoadBalancer& existing) {
  digitalocean::WantedLoadBalancer wanted;
  wanted.name = existing.name;
  wanted.region = existing.region;
  wanted.droplet_ids = existing.droplet_ids;
  wanted.forwarding_rules = existing.forwarding_rules;
  return wanted;
}

void check_balancer(const digitalocean::ExistingLoadBalancer& existing) {
  require(!existing.id.empty(), "a load balancer has an id");
  require(std::is_sorted(existing.droplet_ids.begin(), existing.droplet_ids.end()),
          "targets in their order");
  require(std::is_sorted(existing.allow.begin(), existing.allow.end()), "ranges in their order");
  const std::string certificate = existing.certificate_id();
  const auto& rules = existing.forwarding_rules;
  require(std::any_of(rules.begin(), rules.end(),
                      [&](const auto& rule) { return rule.certificate_id == certificate; }) ||
              certificate.empty(),
          "the certificate is one of a rule");
  require(digitalocean::foreign_cluster_tag(existing, "").empty(),
          "without a cluster of our own none is foreign");
  for (const std::string& tag : existing.tags.value_or(std::vector<std::string>())) {
    const auto service = digitalocean::marked_service(tag);
    require(!service || tag.ends_with(*service), "a mark ends with the UID of its Service");
  }
  const auto wanted = same_as(existing);
  const auto differ = digitalocean::differences(wanted, existing);
  require(std::find(differ.begin(), differ.end(), digitalocean::kBackendsDiffer) == differ.end(),
          "equal targets are equal");
  const auto change = digitalocean::target_change(existing.droplet_ids, existing);
  require(change.added.empty() && change.removed.empty(), "and need no change");
  for (const std::string& body :
       {digitalocean::create_body(wanted), digitalocean::update_body(wanted, existing)}) {
    require(json::parse(body, nullptr, false).is_object(), "what is sent is JSON");
  }
}

void check_balancers(std::string_view text) {
  const auto page = digitalocean::parse_load_balancers(text);
  if (page.ok()) {
    for (const auto& balancer : page->load_balancers) check_balancer(balancer);
  } else {
    check_fault(page.status());
  }
  const auto one = digitalocean::parse_load_balancer(text);
  if (one.ok()) {
    check_balancer(*one);
  } else {
    check_fault(one.status());
  }
}

void check_certificates(std::string_view text) {
  const auto one = digitalocean::parse_certificate(text);
  if (one.ok()) {
    require(!one->id.empty(), "a certificate has an id");
  } else {
    check_fault(one.status());
  }
  const auto named = digitalocean::parse_certificate_named(text, "web");
  if (named.ok()) {
    require(named->name == "web" && !named->id.empty(), "the one that was asked for");
  } else {
    check_fault(named.status());
  }
}

void check_status(std::string_view text, uint32_t code) {
  HttpResponse response;
  response.status_code = code;
  response.body = text;
  const std::string head(text.substr(0, 16));
  response.headers = {{"Retry-After", head}, {"Ratelimit-Reset", head}, {"X-Request-Id", head}};
  const Status status =
      digitalocean::status_of("ListDroplets", response, std::chrono::hours(24 * 365 * 50));
  require(status.ok() == (code >= 200 && code < 300), "2xx is success");
  require(status.retry_after().count() >= 0, "nobody waits for the past");
  if (!status.ok()) check_fault(status);
}

}  // namespace

void digitalocean_target(std::string_view bytes) {
  Input input(bytes);
  const uint8_t choices = input.byte();
  const Exact text(input.rest());
  switch (choices % 4) {
    case 0:
      return check_droplets(text.view());
    case 1:
      return check_balancers(text.view());
    case 2:
      return check_certificates(text.view());
    default:
      break;
  }
  constexpr uint32_t kCodes[] = {200, 204, 301, 400, 401, 403, 404, 409,
                                 412, 422, 423, 429, 500, 502, 503, 599};
  check_status(text.view(), kCodes[(choices >> 2U) % std::size(kCodes)]);
}

}  // namespace ccm::fuzz
