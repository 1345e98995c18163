#include "openstack_api/cloud.hpp"

#include <algorithm>
#include <utility>

namespace ccm::openstack_api {
namespace {

constexpr const char* kServices[] = {"compute", "networking", "load-balancer", "key-manager"};

std::string path_of(const std::string& target) { return target.substr(0, target.find('?')); }

// The segments after the first `drop` ones.
std::vector<std::string> behind(std::vector<std::string> segments, size_t drop) {
  segments.erase(segments.begin(),
                 segments.begin() + static_cast<ptrdiff_t>(std::min(drop, segments.size())));
  return segments;
}

}  // namespace

Region::Region(World& world, const std::string& prefix)
    : network(world, prefix + "/networking"),
      compute(world, prefix + "/compute", network),
      key_manager(world, prefix + "/key-manager"),
      load_balancing(world, prefix + "/load-balancer", network, key_manager) {}

Cloud::Cloud(std::function<milliseconds()> clock, std::string url)
    : world_{std::move(clock), std::move(url)}, identity_(world_) {}

Region& Cloud::region(const std::string& name) {
  auto& region = regions_[name];
  if (region == nullptr) {
    if (first_region_.empty()) first_region_ = name;
    const std::string prefix = name == first_region_ ? "" : "/" + name;
    region = std::make_unique<Region>(world_, prefix);
    identity_.add_endpoint("identity", name, "/identity/v3/");
    identity_.add_endpoint("compute", name, prefix + "/compute/v2.1");
    identity_.add_endpoint("network", name, prefix + "/networking");
    identity_.add_endpoint("load-balancer", name, prefix + "/load-balancer");
    identity_.add_endpoint("key-manager", name, prefix + "/key-manager");
    identity_.add_endpoint("placement", name, prefix + "/placement");
    identity_.add_endpoint("image", name, prefix + "/image");
  }
  return *region;
}

int64_t Cloud::writes() const {
  return std::count_if(log_.begin(), log_.end(), [](const Exchange& exchange) {
    return exchange.method != "GET" && exchange.target.find("/auth/tokens") == std::string::npos;
  });
}

int64_t Cloud::calls(const std::string& method, const std::string& pattern) const {
  const std::regex regex(pattern);
  return std::count_if(log_.begin(), log_.end(), [&](const Exchange& exchange) {
    return (method.empty() || exchange.method == method) &&
           std::regex_search(exchange.target, regex);
  });
}

Answer Cloud::handle(const Request& request) {
  std::optional<Fault> fault = faults.meet(request.method, request.target);
  if (!fault && chance) fault = chance(request);
  Answer made;
  if (fault && fault->cut) {
    made.cut = true;
  } else if (fault && fault->status != 0) {
    made = error_of(request.target, fault->status);
  } else {
    made = usual(request);
  }
  if (fault) {
    if (fault->body) made.body = *fault->body;
    for (const auto& [name, value] : fault->headers) made.headers[name] = value;
    made.cut = made.cut || fault->lose_answer;
    made.cut_body = fault->cut_body;
    made.delay = fault->delay;
  }
  made.delay += latency;
  made.headers["x-openstack-request-id"] = "req-" + world_.new_id();
  Exchange exchange = {world_.clock(), request.method,
                       request.target, request.headers,
                       request.body,   made.cut ? 0 : made.status,
                       made.body,      fault && (fault->cut || fault->status != 0 || fault->body)};
  exchange.request_headers.erase("x-auth-token");
  log_.push_back(std::move(exchange));
  if (observer) observer(log_.back());
  return made;
}

Answer Cloud::usual(const Request& request) {
  const std::string path = path_of(request.target);
  const size_t question = std::min(request.target.find('?'), request.target.size());
  Call call{
      request,
      path_segments(path),
      Query(std::string_view(request.target).substr(std::min(question + 1, request.target.size()))),
      path,
      {}};
  call.path.erase(call.path.begin());  // before the first slash
  std::string region_name = first_region_;
  if (!call.path.empty() && regions_.contains(call.path[0])) {
    region_name = call.path[0];
    call.path = behind(std::move(call.path), 1);
  }
  const std::string service = call.path.empty() ? "" : call.path[0];
  call.path = behind(std::move(call.path), 1);
  try {
    if (service == "identity") return identity_.handle(call);
    const bool known =
        std::find(std::begin(kServices), std::end(kServices), service) != std::end(kServices);
    const auto region = regions_.find(region_name);
    if (!known || region == regions_.end()) return error_of(request.target, 404);
    if (region->second->away) {
      Answer made;
      made.cut = true;
      return made;
    }
    return serve(*region->second, service, call);
  } catch (const Refusal& refusal) {
    return refusal.answer;
  } catch (const json::exception& fault) {
    // The real services answer so to a body that they do not expect, too.
    return error_of(request.target, 400);
  }
}

bool Cloud::needs_token(const std::string& service, const Call& call) {
  const bool root = call.path.empty() || call.path[0].empty();
  const bool version = service == "compute" && (call.path.size() < 2 || call.path[1].empty());
  return !root && !version;
}

Answer Cloud::serve(Region& region, const std::string& service, Call& call) {
  if (needs_token(service, call)) {
    auto caller = caller_of(service, call.request.header("x-auth-token"));
    if (!caller) return unauthenticated(world_.url);
    call.caller = *std::move(caller);
  }
  if (service == "compute") return region.compute.handle(call);
  if (service == "networking") return region.network.handle(call);
  if (service == "load-balancer") return region.load_balancing.handle(call);
  return region.key_manager.handle(call);
}

std::optional<Caller> Cloud::caller_of(const std::string& service, const std::string& token) {
  const std::string key = service + " " + token;
  const auto known = taken_.find(key);
  if (known != taken_.end() && world_.clock() < known->second.until) return known->second.caller;
  auto caller = identity_.caller(token);
  if (caller && token_cache > milliseconds(0))
    taken_[key] = {*caller, world_.clock() + token_cache};
  return caller;
}

Answer error_of(const std::string& target, int status) {
  const std::string message = "The service says " + std::to_string(status) + ".";
  if (target.find("/networking/") != target.npos) {
    return answer(
        status, {{"NeutronError", {{"type", "HTTPError"}, {"message", message}, {"detail", ""}}}});
  }
  if (target.find("/load-balancer/") != target.npos) {
    return answer(status, {{"faultcode", status < 500 ? "Client" : "Server"},
                           {"faultstring", message},
                           {"debuginfo", nullptr}});
  }
  if (target.find("/compute/") != target.npos) {
    const char* kind = status == 404                    ? "itemNotFound"
                       : status == 403                  ? "forbidden"
                       : status == 409                  ? "conflictingRequest"
                       : status == 413 || status == 429 ? "overLimit"
                       : status < 500                   ? "badRequest"
                                                        : "computeFault";
    return answer(status, {{kind, {{"code", status}, {"message", message}}}});
  }
  if (target.find("/key-manager/") != target.npos) {
    return answer(status, {{"code", status}, {"title", "Error"}, {"description", message}});
  }
  return identity_error(status, "Error", message);
}

}  // namespace ccm::openstack_api
