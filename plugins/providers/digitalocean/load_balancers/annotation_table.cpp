#include "annotations.hpp"

namespace ccm::digitalocean {

const std::vector<AnnotationInfo>& known_annotations() {
  using namespace annotation;
  static const std::vector<AnnotationInfo> table = {
      {kId, "ID", "none",
       "the load balancer of this Service; recorded by the manager, no proof that it is the "
       "Service's"},
      {kName, "text", "a and the Service's UID, 32 characters", "the load balancer's name"},
      {kType, "REGIONAL, REGIONAL_NETWORK", "--digitalocean-default-lb-type",
       "kind of load balancer; cannot change later; recorded by the manager"},
      {kNetwork, "EXTERNAL, INTERNAL", "EXTERNAL",
       "reached from the internet or only within the VPC; cannot change later"},
      {kNetworkStack, "IPV4, DUALSTACK", "by type, network and nodes",
       "address families of the load balancer; cannot change later"},
      {kProtocol, "tcp, http, https, http2, http3", "tcp",
       "protocol of all ports that no other annotation names; REGIONAL only"},
      {kHttpPorts, "ports", "none", "ports that speak HTTP; REGIONAL only"},
      {kTlsPorts, "ports", "443 when a certificate or passthrough is given",
       "ports that speak HTTPS; REGIONAL only"},
      {kHttp2Ports, "ports", "none", "ports that speak HTTP/2; REGIONAL only"},
      {kHttp3Port, "port", "none", "additional port for HTTP/3; REGIONAL only"},
      {kTlsPassthrough, "boolean", "false", "hand TLS on to the Pods; REGIONAL only"},
      {kCertificateId, "ID", "none", "certificate of HTTPS, HTTP/2 and HTTP/3 ports"},
      {kCertificateName, "name", "none", "the same by name, which outlives a renewal"},
      {kHostname, "host name", "none", "shown in the Service's status instead of addresses"},
      {kAlgorithm, "round_robin, least_connections", "round_robin", "ignored by DigitalOcean"},
      {kSizeSlug, "lb-small, lb-medium, lb-large", "not managed", "size; not with size-unit"},
      {kSizeUnit, "1 to 100", "not managed", "number of nodes of the load balancer"},
      {kStickyType, "cookies, none", "none", "sticky sessions"},
      {kStickyCookieName, "text", "none", "cookie of sticky sessions; required with cookies"},
      {kStickyCookieTtl, "seconds", "none", "its life; required with cookies"},
      {kRedirectHttpToHttps, "boolean", "false", "redirect HTTP to HTTPS"},
      {kDisableLetsEncryptDns, "boolean", "false",
       "do not make DNS records for Let's Encrypt certificates"},
      {kProxyProtocol, "boolean", "false", "send the PROXY protocol to the nodes"},
      {kBackendKeepalive, "boolean", "false", "keep connections to the nodes open"},
      {kHttpIdleTimeout, "30 to 600", "not managed", "seconds until an idle connection ends"},
      {kAllowRules, "ip:ADDRESS, cidr:RANGE", "everybody",
       "who may connect; spec.loadBalancerSourceRanges goes first"},
      {kDenyRules, "ip:ADDRESS, cidr:RANGE", "nobody", "who may not connect"},
      {kIp, "address", "DigitalOcean chooses", "an address of your own; when it is made"},
      {kSubnetUuid, "UUID", "none", "subnet of the VPC; when it is made"},
      {kTargetTag, "tag", "--digitalocean-target-tag",
       "droplets are found by this tag, the flag's or one that begins with k8s:ID: of the cluster; "
       "empty: by their ids"},
      {kOverrideHealthCheck, "any value", "not there",
       "switches to the three health check annotations below"},
      {kHealthCheckPort, "port of the Service", "the first TCP port",
       "checked at its node port; needs override-health-check"},
      {kHealthCheckPath, "path", "/", "needs override-health-check"},
      {kHealthCheckProtocol, "tcp, http, https", "http with a path, else tcp",
       "needs override-health-check"},
      {kHealthCheckInterval, "3 to 300", "3", "seconds between two checks"},
      {kHealthCheckTimeout, "3 to 300", "5", "seconds until a check counts as failed"},
      {kUnhealthyThreshold, "2 to 10", "3", "failures until a node gets no traffic"},
      {kHealthyThreshold, "2 to 10", "5", "successes until a node gets traffic"},
      {kFirewallManaged, "boolean", "true",
       "whether the managed firewall opens this Service's ports, of type NodePort or LoadBalancer"},
      {kDisown, "boolean", "false", "the load balancer is left alone, also on deletion"},
  };
  return table;
}

}  // namespace ccm::digitalocean
