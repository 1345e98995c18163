#include "controller.hpp"

#include "digitalocean/firewall/search.hpp"
#include "digitalocean/load_balancers/service_view.hpp"

#include <ccm/percent_encode.hpp>
#include <ccm/watch.hpp>

#include <utility>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kFirewallKey = "firewall";
constexpr std::string_view kFirewallServices = "v1/services";
constexpr milliseconds kFirewallPeriod{300'000};  // DO-269
constexpr milliseconds kFirewallGather{500};      // a new Service causes several events
constexpr milliseconds kFirewallTimeout{60'000};
constexpr milliseconds kFirewallFirstRetry{1'000};  // DO-267
constexpr milliseconds kFirewallLongestRetry{300'000};

using FoundFirewall = std::optional<ExistingFirewall>;

std::string key_of_service(const Object& service) {
  std::string key(service.namespace_name());
  key += '/';
  key += service.name();
  return key;
}

double seconds_of(milliseconds time) { return static_cast<double>(time.count()) / 1000.0; }

// The buckets of DO-251 and DO-252.
Metric run_seconds(const Metrics& metrics, std::string_view name, std::string_view help,
                   Metrics::Names labels) {
  return metrics.histogram(name, help, {1,   16,  31,  46,  61,  76,  91,  106, 121, 136, 151,
                                        166, 181, 196, 211, 226, 241, 256, 271, 286, 301},
                           labels);
}

}  // namespace

// The names and buckets of DO-249..DO-252.
FirewallController::FirewallController(Host& host)
    : host_(host),
      api_(host),
      operation_duration_(host.metrics.histogram(
          "firewall_api_operation_duration_seconds", "Duration of calls for the public firewall.",
          {1,    5.5, 10,   14.5, 19,   23.5, 28,   32.5, 37,   41.5, 46,
           50.5, 55,  59.5, 64,   68.5, 73,   77.5, 82,   86.5, 91},
          {"operation", "result", "http_response_code"})),
      operations_(host.metrics.counter("firewall_api_operations_total",
                                       "Calls for the public firewall.",
                                       {"operation", "result", "http_response_code"})),
      reconcile_duration_(run_seconds(host.metrics, "firewall_reconcile_duration_seconds",
                                      "Duration of runs for the public firewall.",
                                      {"result", "error_type"})),
      reconciles_(host.metrics.counter("firewall_reconciles_total", "Runs for the public firewall.",
                                       {"result", "error_type"})),
      sync_duration_(run_seconds(host.metrics, "firewall_resource_sync_duration_seconds",
                                 "Duration of the periodic runs for the public firewall.",
                                 {"result"})),
      syncs_(host.metrics.counter("firewall_resource_syncs_total",
                                  "Periodic runs for the public firewall.", {"result"})) {}

Status FirewallController::setup(Setup& setup) {
  auto settings = read_settings(host_.config);
  if (!settings.ok()) return told_by_provider();
  if (settings->firewall_name.empty()) {
    return Status(Code::unimplemented, ErrorClass::unsupported,
                  "no public access firewall is configured: PUBLIC_ACCESS_FIREWALL_NAME and "
                  "PUBLIC_ACCESS_FIREWALL_TAGS are not set");
  }
  api_.configure(*std::move(settings));

  QueueOptions options;
  options.backoff_first = kFirewallFirstRetry;
  options.backoff_limit = kFirewallLongestRetry;
  options.reconcile_timeout = kFirewallTimeout;
  setup.queue(options);
  watch(setup, kFirewallServices, service_view_fields(),
        [this](EventKind kind, const Object&, const Object& now, const Queue& queue) {
          if (kind == EventKind::resync || kind == EventKind::hinted) return;
          if (kind == EventKind::deleted) seen_.erase(key_of_service(now));
          queue.add(kFirewallKey, Priority::changed, kFirewallGather);
        });
  setup.every(kFirewallKey, kFirewallPeriod);
  return {};
}

Task<Result<ReconcileResult>> FirewallController::reconcile(Ctx ctx, Request request) {
  const milliseconds begun = host_.timer.now();
  const bool look =
      request.priority == Priority::periodic || !looked_ || begun - *looked_ >= kFirewallPeriod;
  auto outcome = co_await sync(ctx, look);
  measure(outcome, look, seconds_of(host_.timer.now() - begun));
  if (!outcome.ok()) co_return outcome.status();
  // setup.every() alone would put the next look off with each change of a Service.
  co_return ReconcileResult{*looked_ + kFirewallPeriod - host_.timer.now()};
}

Task<Result<FirewallController::Outcome>> FirewallController::sync(Ctx ctx, bool look) {
  if (look) {
    Status status = co_await load(ctx);
    if (!status.ok()) co_return status;
  }
  WantedFirewall target = wanted();
  if (known_ && satisfies(target, *known_)) co_return Outcome::skipped;
  if (known_ && as_accepted(*known_) && firewall_body(target, &*known_) == asked_) {
    co_return Outcome::skipped;
  }
  Status status = co_await write(ctx, std::move(target));
  if (!status.ok()) co_return status.with_context("failed to set firewall");
  co_return Outcome::reconciled;
}

WantedFirewall FirewallController::wanted() {
  const Settings& settings = api_.settings();
  WantedFirewall target;
  target.name = settings.firewall_name;
  target.tags = settings.firewall_tags;
  host_.kube.cached_each(kFirewallServices, {}, [&](const Object& service) {
    ServiceRules now = firewall_rules(service, settings.default_lb_type);
    Seen& seen = seen_[key_of_service(service)];
    if (!now.doubt.empty() && now.doubt != seen.doubt) {
      std::string text = "the firewall leaves this Service's ports as they are: ";
      host_.events.warning(service, "FirewallConfigWarning", text + now.doubt);
    }
    seen.doubt = std::move(now.doubt);
    if (seen.doubt.empty()) seen.certain = now.rules;
    if (seen.certain) {
      target.open.insert(seen.certain->begin(), seen.certain->end());
    } else {
      target.kept.insert(now.rules.begin(), now.rules.end());
    }
  });
  return target;
}

// By its id while that leads somewhere, else by its name (DO-269, DO-270).
Task<Status> FirewallController::load(Ctx ctx) {
  looked_.reset();
  FoundFirewall found;
  if (known_) {
    auto same = co_await by_id(ctx, known_->id);
    if (!same.ok()) co_return same.status().with_context("could not get firewall");
    found = *std::move(same);
  }
  if (!found) {
    auto named = co_await by_name(ctx);
    if (!named.ok()) co_return named.status().with_context("could not get firewall");
    found = *std::move(named);
  }
  known_ = std::move(found);
  looked_ = host_.timer.now();
  if (known_) tell(*known_);
  co_return Status();
}

Task<Result<FoundFirewall>> FirewallController::by_id(Ctx ctx, std::string id) {
  Call call;
  call.path = "/v2/firewalls/" + percent_encode(id);
  call.operation = "GetFirewall";
  auto body = co_await measured(ctx, std::move(call), "get_by_id");
  if (!body.ok()) {
    if (body.status().error_class() == ErrorClass::not_found) co_return FoundFirewall();
    co_return body.status();
  }
  auto firewall = parse_firewall(*body);
  if (!firewall.ok()) co_return firewall.status();
  co_return FoundFirewall(*std::move(firewall));
}

Task<Result<FoundFirewall>> FirewallController::by_name(Ctx ctx) {
  uint32_t code = 200;
  const milliseconds begun = host_.timer.now();
  auto found = co_await firewalls_named(api_, ctx, api_.settings().firewall_name, &code);
  measure_call("get_by_list", found.ok(), code, host_.timer.now() - begun);
  if (!found.ok()) {
    co_return found.status().with_context("failed to retrieve list of firewalls from DO API");
  }
  if (found->empty()) co_return FoundFirewall();
  co_return FoundFirewall(std::move(found->front()));
}

Task<Status> FirewallController::write(Ctx ctx, WantedFirewall wanted) {
  const std::string asked = firewall_body(wanted, known_ ? &*known_ : nullptr);
  auto written = co_await send(ctx, wanted);
  if (!written.ok()) {
    looked_.reset();  // its result is unknown
    co_return written.status();
  }
  known_ = *std::move(written);
  tell(*known_);
  accepted_.reset();
  if (!satisfies(wanted, *known_)) {
    accepted_ = known_;
    asked_ = firewall_body(wanted, &*known_);
    host_.log.warning("DigitalOcean did not apply the firewall as requested",
                      {{"firewall", known_->name}, {"asked", asked}});
  } else {
    host_.log.info("The public access firewall was changed",
                   {{"firewall", known_->name}, {"rules", known_->inbound.size()}});
  }
  co_return Status();
}

// A PUT for a deleted firewall is turned into a POST (DO-268).
Task<Result<ExistingFirewall>> FirewallController::send(Ctx ctx, WantedFirewall wanted) {
  if (known_) {
    Call call;
    call.method = "PUT";
    call.path = "/v2/firewalls/" + percent_encode(known_->id);
    call.operation = "UpdateFirewall";
    call.body = firewall_body(wanted, &*known_);
    auto body = co_await measured(ctx, std::move(call), "update");
    if (body.ok()) co_return parse_firewall(*body);
    if (body.status().error_class() != ErrorClass::not_found) {
      co_return body.status().with_context("failed to update firewall");
    }
  }
  Call call;
  call.method = "POST";
  call.path = "/v2/firewalls";
  call.operation = "CreateFirewall";
  call.body = firewall_body(wanted, nullptr);
  auto body = co_await measured(ctx, std::move(call), "create");
  if (!body.ok()) co_return body.status().with_context("failed to create firewall");
  co_return parse_firewall(*body);
}

Task<Result<std::string>> FirewallController::measured(Ctx ctx, Call call, std::string operation) {
  uint32_t code = 0;
  call.status_code = &code;
  const milliseconds begun = host_.timer.now();
  auto body = co_await api_.call(ctx, std::move(call));
  measure_call(operation, body.ok(), code, host_.timer.now() - begun);
  co_return body;
}

void FirewallController::measure_call(const std::string& operation, bool ok, uint32_t code,
                                      milliseconds time) const {
  const std::string status = code == 0 ? std::string() : std::to_string(code);
  const char* result = ok ? "succeeded" : "failed";
  operation_duration_.record(seconds_of(time), {operation, result, status});
  operations_.record(1, {operation, result, status});
}

// Its status leaves "waiting" without another write.
bool FirewallController::as_accepted(ExistingFirewall firewall) const {
  if (!accepted_) return false;
  firewall.status = accepted_->status;
  return firewall == *accepted_;
}

// Unlike the Go manager, which does not check it (DO-273).
void FirewallController::tell(const ExistingFirewall& firewall) {
  if (firewall.status != "failed") return;
  host_.log.warning("DigitalOcean could not apply the firewall to all droplets",
                    {{"firewall", firewall.name}, {"id", firewall.id}});
}

void FirewallController::measure(const Result<Outcome>& outcome, bool look, double seconds) const {
  std::string result = "failed";
  std::string error;
  if (outcome.ok()) {
    result = *outcome == Outcome::reconciled ? "reconciled" : "skipped";
  } else {
    error = outcome.status().code() == Code::deadline_exceeded ? "timeout" : "generic";
  }
  reconcile_duration_.record(seconds, {result, error});
  reconciles_.record(1, {result, error});
  if (!look) return;
  std::string sync = "failed";
  if (outcome.ok()) sync = "updated";
  if (!outcome.ok() && outcome.status().code() == Code::cancelled) sync = "canceled";
  sync_duration_.record(seconds, {sync});
  syncs_.record(1, {sync});
}

}  // namespace ccm::digitalocean
