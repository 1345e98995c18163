#include "app/flags/feature_gates.hpp"

#include "app/flags/flag_value.hpp"
#include "base/log.hpp"

#include <ccm/nearest.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace ccm::app {

namespace {

using enum GateStage;

// As of Kubernetes 1.37, and those that 1.37 took away: command lines of older managers have them.

constexpr std::array kGates = std::to_array<KnownGate>({
    // The controller manager's own.
    {"CloudControllerManagerWatchBasedRoutesReconciliation", alpha, false, false, true},
    {"CloudControllerManagerWebhook", alpha, false, false, false},
    {"ControllerManagerReleaseLeaderElectionLockOnExit", alpha, false, false, false},
    {"ContextualLogging", beta, true, false, false},
    {"LoggingAlphaOptions", alpha, false, false, true},
    {"LoggingBetaOptions", beta, true, false, true},
    {"NativeHistograms", beta, true, false, false},
    {"ComponentFlagz", beta, true, false, false},
    {"ComponentStatusz", beta, true, false, false},
    // A gate of API servers and of programs that elect a leader there.
    {kCoordinatedLeaderElection, beta, false, false, true},
});

// The gates of the generic API server, whose library the Go program links, by what they are there.
struct OtherGates {
  GateStage stage;
  bool default_value;
  bool locked;
  std::string_view names;
};

constexpr OtherGates kOfApiServers[] = {
    {alpha, false, false,
     "APIServerWebhookAuthenticationToken APIServingWithRoutine CBORServingAndStorage "
     "ConsistentListFromCacheSkipTimeoutFallback ShardedListAndWatch StorageVersionAPI"},
    {beta, true, false,
     "APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth "
     "AllowUnsafeMalformedObjectDeletion ConcurrentWatchObjectDecode ConstrainedImpersonation "
     "DeclarativeValidationBeta DetectCacheInconsistency EtcdRangeStream "
     "ExcludeAdmissionWebhookVirtualResources ListFromCacheSnapshot "
     "ManifestBasedAdmissionControlConfig OpenAPIEnums RemoteRequestHeaderUID "
     "RetryGenerateName SizeBasedListCostEstimate StorageVersionHash "
     "StructuredAuthenticationConfigurationEgressSelector "
     "StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation "
     "UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy WatchList "
     "WatchListCompression WebhookRoundTripLoadBalancing"},
    {ga, true, false, "MutatingAdmissionPolicy"},
    {ga, true, true,
     "APIServerTracing AnonymousAuthConfigurableEndpoints AuthorizeWithSelectors "
     "BtreeWatchCache ConsistentListFromCache DeclarativeValidation "
     "ResilientWatchCacheInitialization StreamingCollectionEncodingToJSON "
     "StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration "
     "WatchCacheInitializationPostStartHook"},
    {deprecated, false, false, "KMSv1"},
    {deprecated, false, true, "DeclarativeValidationTakeover SeparateCacheWatchRPC"},
    {deprecated, true, true, "AggregatedDiscoveryRemoveBetaType"},
};

const std::vector<KnownGate>& all_gates() {
  static const std::vector<KnownGate> gates = [] {
    std::vector<KnownGate> all(std::begin(kGates), std::end(kGates));
    for (const OtherGates& other : kOfApiServers) {
      for (std::string_view rest = other.names; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
        all.push_back({name, other.stage, other.default_value, other.locked});
      }
    }
    return all;
  }();
  return gates;
}

constexpr std::string_view kAllAlpha = "AllAlpha";
constexpr std::string_view kAllBeta = "AllBeta";

const KnownGate* find_gate(std::string_view name) {
  const auto found = std::ranges::find(all_gates(), name, &KnownGate::name);
  return found == all_gates().end() ? nullptr : &*found;
}

std::string unknown_gate(const std::string& name) {
  std::vector<std::string> names{std::string(kAllAlpha), std::string(kAllBeta)};
  for (const KnownGate& gate : all_gates()) names.emplace_back(gate.name);
  return "must name known feature gates; \"" + name + "\" is none" + did_you_mean(name, names);
}

Status bad_gate(std::string message) { return {Code::invalid_argument, std::move(message)}; }

struct ClientGate {
  std::string_view name;
  bool default_value = false;
  bool locked = false;
};

// As of client-go 0.37.
constexpr std::array kClientGates = std::to_array<ClientGate>({
    {"AtomicFIFO", true},
    {"ClientsAllowCARotation", true},
    {"ClientsAllowCBOR", false},
    {"ClientsAllowTLSCacheGC", true},
    {"ClientsPreferCBOR", false},
    {"InOrderInformers", true, true},
    {"InOrderInformersBatchProcess", true},
    {"InformerResourceVersion", true},
    {"UnlockWhileProcessingFIFO", true},
    {kWatchListClient, true},
});

std::string variable_of(std::string_view gate) { return "KUBE_FEATURE_" + std::string(gate); }

}  // namespace

std::span<const KnownGate> known_gates() { return all_gates(); }

std::string gates_with_an_effect() {
  std::string text = std::string(kAllAlpha) + ", " + std::string(kAllBeta);
  for (const KnownGate& gate : all_gates()) {
    if (!gate.effective) continue;
    text += ", " + std::string(gate.name) + " (" + (gate.stage == alpha ? "alpha" : "beta") +
            ", default=" + (gate.default_value ? "true)" : "false)");
  }
  return text;
}

Status FeatureGates::set(std::string_view text) {
  auto changed = overrides_;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string name(trim(pair.substr(0, equals)));
    if (equals == std::string_view::npos) {
      return bad_gate("must be Name=true or Name=false pairs; \"" + name + "\" has no value");
    }
    const auto value = parse_bool(trim(pair.substr(equals + 1)));
    if (!value) return bad_gate("must be Name=true or Name=false pairs; see \"" + name + "\"");
    const KnownGate* gate = find_gate(name);
    if (gate == nullptr && name != kAllAlpha && name != kAllBeta)
      return bad_gate(unknown_gate(name));
    if (gate != nullptr && gate->locked && gate->default_value != *value) {
      return bad_gate("must leave " + name + " at " + (gate->default_value ? "true" : "false") +
                      ": it is locked");
    }
    changed[name] = *value;
  }
  overrides_ = std::move(changed);
  return {};
}

bool FeatureGates::enabled(std::string_view name) const {
  const KnownGate* gate = find_gate(name);
  if (gate == nullptr) return false;
  if (const auto own = overrides_.find(name); own != overrides_.end()) return own->second;
  if (gate->locked) return gate->default_value;
  const std::string_view all = gate->stage == alpha  ? kAllAlpha
                               : gate->stage == beta ? kAllBeta
                                                     : std::string_view{};
  if (const auto whole = overrides_.find(all); whole != overrides_.end()) return whole->second;
  return gate->default_value;
}

std::string FeatureGates::text() const {
  std::string text;
  for (const auto& [name, value] : overrides_) {
    if (!text.empty()) text += ',';
    text += name + (value ? "=true" : "=false");
  }
  return text;
}

void ClientFeatureGates::read(const std::function<const char*(const char* name)>& environment) {
  for (const ClientGate& gate : kClientGates) {
    const char* const text = environment(variable_of(gate.name).c_str());
    if (text != nullptr) given_.emplace(gate.name, text);
  }
}

bool ClientFeatureGates::watch_list() const {
  const auto given = given_.find(kWatchListClient);
  return given == given_.end() || parse_bool(given->second).value_or(true);
}

void ClientFeatureGates::log() const {
  std::string idle;
  for (const ClientGate& gate : kClientGates) {
    const auto given = given_.find(gate.name);
    if (given == given_.end()) continue;
    const auto value = parse_bool(given->second);
    if (!value) {
      log::error("Could not set a feature gate: the variable must be true or false",
                 {{"variable", variable_of(gate.name)}, {"value", given->second}});
    } else if (gate.locked && *value != gate.default_value) {
      log::error("Could not set a feature gate: it is locked",
                 {{"variable", variable_of(gate.name)}, {"value", given->second}});
    } else if (gate.name == kWatchListClient) {
      log::v(1).info("Feature gate of the environment", {{"gate", gate.name}, {"enabled", *value}});
    } else {
      idle += (idle.empty() ? "" : ", ") + variable_of(gate.name);
    }
  }
  if (idle.empty()) return;
  log::info("Feature gates of the environment have no effect",
            {{"variables", idle}, {"reason", "they concern parts of Go's client"}});
}

}  // namespace ccm::app
