// From a Service to a load balancer, as pure code: rules, health checks, backends, stack.
#include "digitalocean/load_balancers/backends.hpp"
#include "digitalocean/load_balancers/forwarding_rules.hpp"
#include "digitalocean/load_balancers/health_check.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::digitalocean {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

std::string full(const std::string& name) { return std::string(annotation::kPrefix) + name; }

// {"protocol", "http"} = service.beta.kubernetes.io/do-loadbalancer-protocol: http
Annotations annotated(const Values& short_names) {
  Values values;
  for (const auto& [name, value] : short_names) values[full(name)] = value;
  return Annotations(std::move(values));
}

ServicePort tcp(int32_t port, int32_t node_port = 30000) {
  return {"", "TCP", "", port, node_port};
}
ServicePort udp(int32_t port, int32_t node_port = 30000) {
  return {"", "UDP", "", port, node_port};
}
LoadBalancerService with_ports(std::vector<ServicePort> ports) {
  LoadBalancerService service;
  service.name = "web";
  service.namespace_name = "shop";
  service.ports = std::move(ports);
  return service;
}

// "entry:port>target:port[ cert=..][ passthrough]" for each rule, joined by ", "; or the error.
std::string rules(const std::vector<ServicePort>& ports, const Values& values,
                  std::string_view type = kRegional) {
  const Annotations annotations = annotated(values);
  const std::string certificate(annotations.text(annotation::kCertificateId));
  try {
    std::string text;
    for (const ForwardingRule& rule :
         forwarding_rules(with_ports(ports), annotations, type, certificate)) {
      text += (text.empty() ? "" : ", ") + rule.entry_protocol + ":" +
              std::to_string(rule.entry_port) + ">" + rule.target_protocol + ":" +
              std::to_string(rule.target_port);
      if (!rule.certificate_id.empty()) text += " cert=" + rule.certificate_id;
      if (rule.tls_passthrough) text += " passthrough";
    }
    return text;
  } catch (const SpecError& error) {
    EXPECT_EQ(error.status.error_class(), ErrorClass::invalid_spec);
    return error.status.message();
  }
}

struct RulesCase {
  const char* fact;
  std::vector<ServicePort> ports;
  Values annotations;
  std::string expected;
};

TEST(LoadBalancerRulesTest, DO_167_to_DO_183_Regional) {
  const std::string tls = "failed to build TLS part(s) of forwarding rule: ";
  const std::string http3 = "failed to construct http3 forwarding rule: ";
  const std::vector<RulesCase> table = {
      {"DO-132", {tcp(80)}, {}, "tcp:80>tcp:30000"},
      {"DO-132", {tcp(80)}, {{"protocol", "http"}}, "http:80>http:30000"},
      {"DO-132",
       {tcp(80)},
       {{"protocol", "udp"}},
       "invalid protocol \"udp\" specified in annotation "
       "\"service.beta.kubernetes.io/do-loadbalancer-protocol\""},
      {"DO-166",
       {tcp(80)},
       {{"protocol", ""}},
       "invalid protocol \"\" specified in annotation "
       "\"service.beta.kubernetes.io/do-loadbalancer-protocol\""},
      {"DO-168", {tcp(80, 1), tcp(81, 2)}, {{"http-ports", "81"}}, "tcp:80>tcp:1, http:81>http:2"},
      {"DO-168", {udp(80)}, {{"protocol", "http"}, {"http-ports", "80"}}, "udp:80>udp:30000"},
      {"DO-169",
       {{"", "SCTP", "", 80, 1}},
       {},
       "only TCP or UDP protocol is supported, got: \"SCTP\""},
      {"DO-127",
       {tcp(80)},
       {{"http-ports", "80, 443"}},
       "strconv.Atoi: parsing \" 443\": invalid syntax"},
      {"DO-127", {tcp(80)}, {{"http-ports", ""}}, "strconv.Atoi: parsing \"\": invalid syntax"},
      {"DO-170",
       {tcp(80)},
       {{"http-ports", "80,443,9"}, {"tls-ports", "443,80"}, {"tls-passthrough", "true"}},
       "ports from annotations \"service.beta.kubernetes.io/do-loadbalancer-*-ports\" cannot be "
       "shared but found: 443, 80"},
      {"DO-171", {tcp(443)}, {{"certificate-id", "c"}}, "https:443>http:30000 cert=c"},
      {"DO-171", {tcp(443)}, {{"certificate-id", "c"}, {"tls-ports", "8443"}}, "tcp:443>tcp:30000"},
      {"DO-171",
       {tcp(443)},
       {{"certificate-id", "c"}, {"http2-ports", "443"}},
       "http2:443>http:30000 cert=c"},
      {"DO-172",
       {tcp(8443)},
       {{"tls-passthrough", "true"}, {"tls-ports", "8443"}},
       "https:8443>https:30000 passthrough"},
      {"DO-137", {tcp(443)}, {{"tls-passthrough", "maybe"}}, "tcp:443>tcp:30000"},
      {"DO-173",
       {tcp(443)},
       {{"tls-ports", "443"}},
       tls + "must set certificate id or enable tls pass through"},
      {"DO-173",
       {tcp(443)},
       {{"tls-ports", "443"}, {"certificate-id", "c"}, {"tls-passthrough", "1"}},
       tls + "either certificate id should be set or tls pass through enabled, not both"},
      {"DO-174", {tcp(80)}, {{"http-ports", "81"}}, "tcp:80>tcp:30000"},
      {"DO-175",
       {tcp(443)},
       {{"http3-port", "443"}, {"certificate-id", "c"}, {"http2-ports", "443"}},
       "http2:443>http:30000 cert=c, http3:443>http:30000 cert=c"},
      {"DO-175", {tcp(80)}, {{"http3-port", "443"}, {"certificate-id", "c"}}, "tcp:80>tcp:30000"},
      {"DO-136",
       {tcp(80)},
       {{"http3-port", "x"}, {"certificate-id", "c"}},
       http3 + "strconv.Atoi: parsing \"x\": invalid syntax"},
      {"DO-176",
       {tcp(80)},
       {{"http3-port", "443"}},
       http3 + "certificate ID is required for HTTP3"},
      {"DO-176",
       {tcp(80)},
       {{"http3-port", "443"}, {"tls-passthrough", "true"}},
       http3 + "TLS passthrough is not allowed to be used in conjunction with HTTP3"},
      {"DO-179", {tcp(53, 1), udp(53, 2)}, {}, "tcp:53>tcp:1, udp:53>udp:2"},
  };
  for (const RulesCase& test : table) {
    EXPECT_EQ(rules(test.ports, test.annotations), test.expected) << test.fact;
  }
}

TEST(LoadBalancerRulesTest, DO_180_DO_181_NetworkReadsNoLayer7Annotation) {
  const Values values = {{"protocol", "nonsense"}, {"tls-ports", "443"}, {"http3-port", "x"}};
  EXPECT_EQ(rules({tcp(443, 0), udp(53, 0)}, values, kRegionalNetwork),
            "tcp:443>tcp:443, udp:53>udp:53");
}

TEST(LoadBalancerRulesTest, DO_182_RegionalNeedsNodePorts) {
  EXPECT_NE(rules({tcp(80, 0)}, {}).find("allocateLoadBalancerNodePorts"), std::string::npos);
  EXPECT_NE(rules({tcp(80, 0), tcp(81, 30081), tcp(82, 0)}, {}).find("for 80/TCP, 82/TCP:"),
            std::string::npos);
}

std::string check(const LoadBalancerService& service, const Values& values) {
  try {
    const HealthCheck found = health_check(service, annotated(values));
    std::string text = found.protocol + ":" + std::to_string(found.port) + found.path;
    for (const int64_t number : {found.check_interval_seconds, found.response_timeout_seconds,
                                 found.unhealthy_threshold, found.healthy_threshold}) {
      text += " " + std::to_string(number);
    }
    if (found.proxy_protocol) text += *found.proxy_protocol ? " proxy" : " plain";
    return text;
  } catch (const SpecError& error) {
    return error.status.message();
  }
}

TEST(LoadBalancerRulesTest, DO_194_to_DO_204_HealthChecks) {
  const LoadBalancerService service = with_ports({udp(53, 7), tcp(80, 8), tcp(443, 9)});
  LoadBalancerService local = service;
  local.local_traffic = true;
  EXPECT_EQ(check(service, {}), "http:10256/healthz 3 5 3 5 plain");  // DO-194
  EXPECT_EQ(check(local, {}), "http:10256/healthz 3 5 3 5 plain");    // DO-195
  local.health_check_node_port = 31234;
  EXPECT_EQ(check(local, {}), "http:31234/healthz 3 5 3 5 plain");

  const std::string port_name = full("healthcheck-port");
  const std::vector<std::pair<Values, std::string>> table = {
      // DO-196: without the switch the three do nothing.
      {{{"healthcheck-port", "443"}, {"healthcheck-path", "/x"}},
       "http:10256/healthz 3 5 3 5 plain"},
      {{{"override-health-check", "false"}}, "tcp:8 3 5 3 5"},  // DO-160, DO-198
      {{{"override-health-check", ""}, {"healthcheck-path", "/x"}}, "http:8/x 3 5 3 5"},  // DO-200
      {{{"override-health-check", "1"}, {"healthcheck-port", "443"}}, "tcp:9 3 5 3 5"},
      {{{"override-health-check", "1"}, {"healthcheck-protocol", "https"}}, "https:8 3 5 3 5"},
      {{{"override-health-check", "1"}, {"healthcheck-protocol", ""}}, "tcp:8 3 5 3 5"},
      {{{"override-health-check", "1"}, {"healthcheck-protocol", ""}, {"healthcheck-path", "/up"}},
       "http:8/up 3 5 3 5"},
      {{{"healthcheck-check-interval-seconds", "4"},
        {"healthcheck-response-timeout-seconds", "6"},
        {"healthcheck-unhealthy-threshold", "7"},
        {"healthcheck-healthy-threshold", "8"}},
       "http:10256/healthz 4 6 7 8 plain"},  // DO-161
      {{{"healthcheck-check-interval-seconds", "x"}},
       "failed to parse health check interval annotation \"" +
           full("healthcheck-check-interval-seconds") +
           "\": strconv.Atoi: parsing \"x\": invalid syntax"},  // DO-162
      {{{"override-health-check", "1"}, {"healthcheck-port", "x"}},
       "failed to get health check port: strconv.Atoi: parsing \"x\": invalid syntax"},  // DO-199
      {{{"override-health-check", "1"}, {"healthcheck-port", "80,443"}},
       "annotation " + port_name + " only supports a single port, but found multiple: [80 443]"},
      {{{"override-health-check", "1"}, {"healthcheck-port", "53"}},
       "health check port: 53, cannot be of protocol type UDP"},
      {{{"override-health-check", "1"}, {"healthcheck-port", "81"}},
       "specified health check port 81 does not exist on service shop/web"},
      {{{"override-health-check", "1"}, {"healthcheck-protocol", "udp"}},
       "invalid protocol \"udp\" specified in annotation \"" + full("healthcheck-protocol") + "\""},
  };
  for (const auto& [values, expected] : table) EXPECT_EQ(check(service, values), expected);
  EXPECT_EQ(check(with_ports({udp(53)}), {{"override-health-check", "1"}}),
            "no health check port of protocol TCP found");
}

Backend node(const std::string& name, const std::vector<std::string>& external,
             const std::string& internal = "10.0.0.1") {
  Backend backend;
  backend.name = name;
  if (!internal.empty()) backend.addresses.push_back({"InternalIP", internal});
  for (const std::string& address : external) backend.addresses.push_back({"ExternalIP", address});
  return backend;
}
const Backend kV4 = node("v4", {"203.0.113.1"});
const Backend kV6 = node("v6", {"2001:db8::1"});
const Backend kDual = node("dual", {"203.0.113.2", "2001:db8::2"});
const Backend kPrivateOnly = node("private", {});
const Backend kBare = node("bare", {}, "");

// The names and the stack, or the error.
std::string backends(const std::vector<Backend>& nodes, std::string_view type,
                     std::string_view network, const std::string& stack = "") {
  try {
    const EligibleBackends eligible = eligible_backends(nodes, type, network);
    std::string text;
    for (const Backend& backend : eligible.backends) text += backend.name + " ";
    return text + network_stack(stack, type, network, eligible);
  } catch (const SpecError& error) {
    return error.status.message();
  }
}

TEST(LoadBalancerRulesTest, DO_206_to_DO_212_WhoIsABackendAndTheStack) {
  EXPECT_EQ(backends({kV4, kV6, kDual, kPrivateOnly, kBare}, kRegional, kExternal),
            "v4 dual private DUALSTACK");
  EXPECT_EQ(backends({kV4, kV6, kDual, kPrivateOnly}, kRegionalNetwork, kExternal), "v4 dual IPV4");
  EXPECT_EQ(backends({kDual, kPrivateOnly}, kRegionalNetwork, kExternal), "dual DUALSTACK");
  EXPECT_EQ(backends({kV4, kV6, kPrivateOnly, kBare}, kRegionalNetwork, kInternal),
            "v4 v6 private bare IPV4");
  EXPECT_EQ(backends({kDual}, kRegional, kExternal, "IPV4"), "dual IPV4");
}

TEST(LoadBalancerRulesTest, DO_210_DO_211_NobodyIsABackend) {
  EXPECT_EQ(backends({}, kRegional, kExternal), "no ready nodes available for load balancer");
  EXPECT_EQ(backends({kV6}, kRegionalNetwork, kExternal),
            "no ready nodes available for load balancer");
  EXPECT_EQ(backends({kPrivateOnly}, kRegionalNetwork, kExternal)
                .find("no eligible load balancer backends: REGIONAL_NETWORK EXTERNAL"),
            0U);
}

TEST(LoadBalancerRulesTest, DO_214_DO_215_StacksThatCannotBe) {
  EXPECT_EQ(backends({kDual}, kRegional, kInternal, "DUALSTACK"),
            "network stack configuration error: dual stack networking is not supported for "
            "internal load balancer");
  std::vector<Backend> nodes = {kDual};
  for (const char* name : {"d", "a", "c", "b"}) nodes.push_back(node(name, {"203.0.113.9"}));
  EXPECT_EQ(backends(nodes, kRegionalNetwork, kExternal, "DUALSTACK"),
            "network stack configuration error: dual-stack networking requested but 4 nodes lack "
            "IPv6 addresses: a, b, c [+1 more]. REGIONAL_NETWORK load balancers require all nodes "
            "to have IPv6 for dual-stack mode");
}

TEST(LoadBalancerRulesTest, DO_126_Booleans) {
  for (const char* value : {"1", "t", "T", "true", "TRUE", "True"}) {
    EXPECT_TRUE(annotated({{"enable-proxy-protocol", value}})
                    .boolean(annotation::kEnableProxyProtocol, "proxy protocol"));
  }
  for (const char* value : {"0", "f", "F", "false", "FALSE", "False"}) {
    EXPECT_FALSE(annotated({{"enable-proxy-protocol", value}})
                     .boolean(annotation::kEnableProxyProtocol, "proxy protocol"));
  }
  for (const char* value : {"", "yes", "tRUE", " true"}) {
    EXPECT_THROW((void)annotated({{"enable-proxy-protocol", value}})
                     .boolean(annotation::kEnableProxyProtocol, "proxy protocol"),
                 SpecError);
  }
}

// Docs have a row for each annotation of the manifest, which `ccmctl lint` and the plugin read.
TEST(LoadBalancerRulesTest, TheReferenceListsEveryAnnotation) {
  std::ifstream reference(CCM_DO_REFERENCE);
  const std::string text(std::istreambuf_iterator<char>(reference), {});
  std::ifstream file(CCM_DO_MANIFEST);
  const auto table = nlohmann::json::parse(file).at("serviceAnnotations");
  size_t rows = 0;
  for (size_t at = text.find("\n| `"); at != text.npos; at = text.find("\n| `", at + 1)) ++rows;
  EXPECT_EQ(rows, table.at("known").size());
  EXPECT_EQ(rows, annotation::kAll.size());
  for (const auto& listed : table.at("known")) {
    std::string row = "\n| `" + listed.at("name").get<std::string>() + "`";
    for (const char* column : {"values", "default", "description"}) {
      row += " | " + listed.at(column).get<std::string>();
    }
    EXPECT_NE(text.find(row + " |\n"), text.npos) << row;
  }
}

TEST(LoadBalancerRulesTest, EveryAnnotationBeginsWithAPrefixOfTheManifest) {
  std::ifstream file(CCM_DO_MANIFEST);
  const auto table = nlohmann::json::parse(file).at("serviceAnnotations");
  for (const std::string_view name : annotation::kAll) {
    bool begins = false;
    for (const auto& prefix : table.at("prefixes")) {
      begins = begins || name.starts_with(prefix.get<std::string>());
    }
    EXPECT_TRUE(begins) << name;
  }
}

// The host warns of them, and ccmctl lint in advance.
TEST(LoadBalancerRulesTest, DO_181_TheManifestNamesWhatANetworkLoadBalancerDoesNotRead) {
  std::ifstream file(CCM_DO_MANIFEST);
  const auto manifest = nlohmann::json::parse(file);
  std::set<std::string> listed;
  for (const auto& known : manifest.at("serviceAnnotations").at("known")) {
    const auto only = known.value("onlyWith", nlohmann::json());
    for (const auto& each : only.is_object() ? nlohmann::json::array({only}) : only) {
      if (each.at("annotation") == full("type")) listed.insert(known.at("name"));
    }
  }
  std::set<std::string> unread;
  for (const std::string_view name :
       {annotation::kProtocol, annotation::kHttpPorts, annotation::kTlsPorts,
        annotation::kHttp2Ports, annotation::kHttp3Port, annotation::kTlsPassthrough,
        annotation::kCertificateId, annotation::kCertificateName, annotation::kStickySessionsType,
        annotation::kStickySessionsCookieName, annotation::kStickySessionsCookieTtl,
        annotation::kRedirectHttpToHttps, annotation::kDisableLetsEncryptDnsRecords,
        annotation::kEnableProxyProtocol, annotation::kEnableBackendKeepalive,
        annotation::kHttpIdleTimeoutSeconds}) {
    unread.emplace(name);
  }
  EXPECT_EQ(listed, unread);
}

TEST(LoadBalancerRulesTest, MisspeltAnnotationsHaveANearestOne) {
  const Annotations annotations(Values{{full("tls-port"), "443"},
                                       {full("something-else-entirely"), "x"},
                                       {full("name"), "fine"},
                                       {"kubernetes.digitalocean.com/load-balancer-ID", "x"},
                                       {"example.com/other", "x"}});
  SpellingHelp spelling(annotation::kAll);
  const auto found = annotations.unknown(spelling).named;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].nearest, annotation::kLoadBalancerId);
  EXPECT_EQ(found[1].name, full("something-else-entirely"));
  EXPECT_EQ(found[1].nearest, "");
  EXPECT_EQ(found[2].nearest, annotation::kTlsPorts);
}

}  // namespace
}  // namespace ccm::digitalocean
