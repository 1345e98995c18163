// The Service's settings and its Events.
#include "load_balancer_fixture.hpp"

namespace ccm::digitalocean {
namespace {

TEST_F(LoadBalancerOperationsTest, DO_118_ADisownedLoadBalancerIsLeftAlone) {
  log_in();
  const std::string id = made(service(), nodes());
  const json disown = {{"service.kubernetes.io/do-loadbalancer-disown", "true"}};
  EXPECT_EQ(ensure(service(disown, id), nodes(4)).status().code(), Code::implemented_elsewhere);
  EXPECT_EQ(update(service(disown, id), nodes(4)).status().code(), Code::implemented_elsewhere);
  EXPECT_EQ(remove(service(disown, id)).code(), Code::implemented_elsewhere);
  EXPECT_EQ(cloud.calls(), 0);
}

TEST_F(LoadBalancerOperationsTest, DO_118_WhatWasToldGoesWithADisownedService) {
  log_in();
  const json odd = {{kAnnotation + "nmae", "x"}};
  const std::string id = made(service(odd), nodes());
  EXPECT_EQ(host.events.with_reason("LoadBalancerConfigWarning").size(), 1U);
  const json disown = {{"service.kubernetes.io/do-loadbalancer-disown", "true"}};
  EXPECT_EQ(remove(service(disown, id)).code(), Code::implemented_elsewhere);
  EXPECT_TRUE(ensure(service(odd, id), nodes()).ok());
  EXPECT_EQ(host.events.with_reason("LoadBalancerConfigWarning").size(), 2U);
}

// A wish to be left alone that cannot be read holds up no deletion, and deletes nothing.
TEST_F(LoadBalancerOperationsTest, Issue37_ThousandsOfUnknownAnnotationsAreOneShortWarning) {
  log_in();
  json annotations;
  for (int i = 0; i < 4'500; ++i) annotations[kAnnotation + "nme" + std::to_string(i)] = "x";
  ASSERT_TRUE(ensure(service(annotations), nodes()).ok());
  const auto events = host.events.with_reason("LoadBalancerConfigWarning");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].message.starts_with("4500 annotations are not known; annotation " +
                                            kAnnotation + "nme0 is not known; did you mean " +
                                            kAnnotation + "name?; "))
      << events[0].message;
}

TEST_F(LoadBalancerOperationsTest, DO_119_AnUnreadableDisownLeavesTheLoadBalancer) {
  log_in();
  const std::string id = made(service(), nodes());
  const json wrong = {{"service.kubernetes.io/do-loadbalancer-disown", "maybe"}};
  const std::string text =
      "failed to get disown LB configuration setting: cannot convert value \"maybe\" for "
      "annotation \"service.kubernetes.io/do-loadbalancer-disown\" to bool: "
      "strconv.ParseBool: parsing \"maybe\": invalid syntax";
  EXPECT_EQ(ensure(service(wrong, id), nodes()).status().message(), text);
  const Status removed = remove(service(wrong, id));
  EXPECT_EQ(removed.code(), Code::implemented_elsewhere);
  EXPECT_EQ(removed.message(), text);
  EXPECT_EQ(cloud.calls(), 0);
}

TEST_F(LoadBalancerOperationsTest, DO_155_WhatCannotBeReadHoldsUpNoDeletion) {
  log_in();
  const std::vector<json> table = {{{kAnnotation + "network", "BOGUS"}},
                                   {{kAnnotation + "network-stack", "BOGUS"}},
                                   {{kAnnotation + "type", "BOGUS"}},
                                   {{kAnnotation + "target-tag", "not a tag"}},
                                   {{kAnnotation + "size-unit", "x"}},
                                   {{kAnnotation + "healthcheck-check-interval-seconds", "x"}}};
  for (const json& annotations : table) {
    const std::string id = made(service(), nodes());
    EXPECT_FALSE(ensure(service(annotations, id), nodes()).ok()) << annotations;
    const Status removed = remove(service(annotations, id));
    EXPECT_TRUE(removed.ok()) << annotations << removed.message();
    EXPECT_TRUE(cloud.load_balancers().empty()) << annotations;
  }
}

TEST_F(LoadBalancerOperationsTest, DO_112_AnErroredOneIsAFailure) {
  cloud.load_balancers_fail = true;
  log_in();
  const std::string id = made(service(), nodes());
  EXPECT_EQ(ensure(service({}, id), nodes()).status().message(),
            "load-balancer has unexpected status \"errored\"");
}

TEST_F(LoadBalancerOperationsTest, DO_217_DO_218_WhatCannotChangeIsToldAndKept) {
  log_in();
  const std::string id = made(service(), nodes());
  const json asked = {{kAnnotation + "type", "REGIONAL"},
                      {kAnnotation + "network-stack", "DUALSTACK"}};
  for (int i = 0; i < 2; ++i) {
    const auto kept = ensure(service(asked, id), nodes(3));
    ASSERT_TRUE(kept.ok()) << kept.status().message();
    EXPECT_EQ(annotation_of(*kept, kAnnotation + "type"), "REGIONAL_NETWORK");
  }
  EXPECT_EQ(the_balancer()["droplet_ids"].size(), 3U);  // the rest is done all the same
  const auto events = host.events.with_reason("LoadBalancerConfigWarning");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].message.find("type is REGIONAL_NETWORK and cannot become REGIONAL"),
            std::string::npos);
  EXPECT_NE(events[0].message.find("network stack is IPV4 and cannot become DUALSTACK"),
            std::string::npos);
}

// The Event of DigitalOcean's own manager, on each try; here for every setting that is refused.
TEST_F(LoadBalancerOperationsTest, DO_210_DO_214_DO_216_AConfigurationErrorIsAnEventOfItsOwn) {
  log_in();
  const std::vector<Backend> without_address = {
      {"node-0", "digitalocean://101", {{"InternalIP", "10.0.0.101"}}, {}}};
  const json both_stacks = {{kAnnotation + "network", "INTERNAL"},
                            {kAnnotation + "network-stack", "DUALSTACK"}};
  std::vector<std::string> expected;
  for (int i = 0; i < 2; ++i) {
    expected.push_back(ensure(service(), without_address).status().message());
    expected.push_back(ensure(service(both_stacks), nodes()).status().message());
    expected.push_back(ensure(service({{kAnnotation + "enable-proxy-protocol", "maybe"}}), nodes())
                           .status()
                           .message());
  }
  const auto events = host.events.with_reason("LoadBalancerConfigError");
  ASSERT_EQ(events.size(), expected.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_TRUE(events[i].warning);
    EXPECT_EQ(events[i].message, expected[i]);
  }
  EXPECT_EQ(expected[0].find("no eligible load balancer backends: "), 0U) << expected[0];
  EXPECT_NE(expected[1].find("network stack configuration error: "), std::string::npos)
      << expected[1];

  const std::string id = made(service(), nodes());
  ASSERT_FALSE(update(service({}, id), without_address).ok());
  ASSERT_FALSE(observe(service({}, id), without_address).ok());
  EXPECT_EQ(host.events.with_reason("LoadBalancerConfigError").size(), expected.size() + 2);
}

TEST_F(LoadBalancerOperationsTest, DO_236_TheHostnameStandsInsteadOfTheAddresses) {
  log_in();
  const json annotations = {{kAnnotation + "hostname", "Web.Example.COM"}};
  const std::string id = made(service(annotations), nodes());
  const auto active = ensure(service(annotations, id), nodes());
  ASSERT_EQ(active->ingress.size(), 1U);
  EXPECT_EQ(active->ingress[0].hostname, "web.example.com");
  EXPECT_EQ(active->ingress[0].ip, "");
}

TEST_F(LoadBalancerOperationsTest,
       Issue37_12_AHostnameThatKubernetesRefusesIsToldBeforeAnythingIsMade) {
  log_in();
  for (const char* name : {"web\nexample.com", "web_1.example.com", "192.0.2.1", "-web"}) {
    const auto refused = ensure(service({{kAnnotation + "hostname", name}}), nodes());
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.status().error_class(), ErrorClass::invalid_spec);
    EXPECT_NE(refused.status().message().find("invalid LB hostname provided: \""),
              std::string::npos)
        << refused.status().message();
  }
}

TEST_F(LoadBalancerOperationsTest, DO_375_ClientsInTheClusterGoThroughWhereTheyMust) {
  log_in();
  const json annotations = {{kAnnotation + "type", "REGIONAL"},
                            {kAnnotation + "enable-proxy-protocol", "true"}};
  const std::string id = made(service(annotations), nodes());
  const auto active = ensure(service(annotations, id), nodes());
  ASSERT_EQ(active->ingress.size(), 2U);  // dual stack (DO-212)
  EXPECT_EQ(active->ingress[0].ip_mode, "Proxy");
  EXPECT_NE(active->ingress[1].ip.find(':'), std::string::npos);
}

TEST_F(LoadBalancerOperationsTest, DO_139_ACertificateByName) {
  cloud.add_certificate("cert-1", "site", "custom");
  log_in();
  json annotations = {{kAnnotation + "type", "REGIONAL"},
                      {kAnnotation + "tls-ports", "80"},
                      {kAnnotation + "certificate-name", "site"}};
  const std::string id = made(service(annotations), nodes());
  EXPECT_EQ(the_balancer()["forwarding_rules"][0]["certificate_id"], "cert-1");
  // DO-190: the id is never written over the name.
  EXPECT_EQ(
      annotation_of(*ensure(service(annotations, id), nodes()), kAnnotation + "certificate-id"),
      "-");
  EXPECT_EQ(cloud.writes(), 0);
  annotations[kAnnotation + "certificate-name"] = "none";
  EXPECT_EQ(ensure(service(annotations, id), nodes()).status().message(),
            "certificate with name: \"none\" not found");
}

TEST_F(LoadBalancerOperationsTest, DO_186_ARenewedCertificateIsNoDifference) {
  cloud.add_certificate("old", "site", "lets_encrypt");
  log_in();
  const json annotations = {{kAnnotation + "type", "REGIONAL"},
                            {kAnnotation + "tls-ports", "80"},
                            {kAnnotation + "certificate-id", "old"}};
  const std::string id = made(service(annotations), nodes());
  // DigitalOcean renews it: another id, the load balancer follows, the old one goes (DO-188).
  cloud.add_certificate("new", "site", "lets_encrypt");
  cloud.certificates().erase("old");
  cloud.load_balancers().at(id)["forwarding_rules"][0]["certificate_id"] = "new";
  pass(seconds(60));
  const auto kept = ensure(service(annotations, id), nodes());
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  EXPECT_EQ(kept->difference, "");
  EXPECT_EQ(annotation_of(*kept, kAnnotation + "certificate-id"), "new");
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(LoadBalancerOperationsTest, DO_186_AnotherCertificateIsAChange) {
  cloud.add_certificate("a", "site-a", "lets_encrypt");
  cloud.add_certificate("b", "site-b", "lets_encrypt");
  log_in();
  json annotations = {{kAnnotation + "type", "REGIONAL"},
                      {kAnnotation + "tls-ports", "80"},
                      {kAnnotation + "certificate-id", "a"}};
  const std::string id = made(service(annotations), nodes());
  annotations[kAnnotation + "certificate-id"] = "b";
  EXPECT_EQ(ensure(service(annotations, id), nodes())->difference, "forwarding rules");
  EXPECT_EQ(the_balancer()["forwarding_rules"][0]["certificate_id"], "b");
}

TEST_F(LoadBalancerOperationsTest, DO_12_DO_223_TheClusterTag) {
  host.config.set_flag("digitalocean-cluster-id", "c1");
  log_in();
  const std::string id = made(service(), nodes());
  EXPECT_EQ(the_balancer()["tags"], json::array({"k8s:c1", "k8s:c1:service:" + kUid,
                                                 "k8s:c1:service:" + kUid + ":default:web"}))
      << "older versions know the one that ends with the UID, after a rollback";
  cloud.load_balancers().at(id)["tags"] = json::array();
  EXPECT_EQ(ensure(service({}, id), nodes())->difference, "cluster tag");
  EXPECT_EQ(the_balancer()["tags"], json::array({"k8s:c1"}));
}

TEST_F(LoadBalancerOperationsTest, DO_387_TheRegionOfTheDroplets) {
  host.config.set_flag("digitalocean-region", "");
  host.http.expect("GET", "http://169.254.169.254/metadata/v1/region").answer(404, "");
  log_in();
  ASSERT_TRUE(ensure(service(), nodes()).ok());
  EXPECT_EQ(the_balancer()["region"]["slug"], "nyc3");
}

TEST_F(LoadBalancerOperationsTest, DO_225_SourceRangesBecomeTheFirewall) {
  log_in();
  auto limited = service({{kAnnotation + "allow-rules", "ip:9.9.9.9"}});
  limited.source_ranges = {"10.0.0.0/8", "192.0.2.0/24"};
  limited = with(limited, {{"spec", {{"loadBalancerSourceRanges", limited.source_ranges}}}});
  ASSERT_TRUE(ensure(limited, nodes()).ok());
  EXPECT_EQ(the_balancer()["firewall"]["allow"],
            json::array({"cidr:10.0.0.0/8", "cidr:192.0.2.0/24"}));
}

// It would be Ready, and nobody could connect.
TEST_F(LoadBalancerOperationsTest, DO_224_RangesOfIPv6AloneOnALoadBalancerOfIPv4AreRefused) {
  log_in();
  auto closed = service({{kAnnotation + "network-stack", "IPV4"}});
  closed.source_ranges = {"2001:db8::/32"};
  closed = with(closed, {{"spec", {{"loadBalancerSourceRanges", closed.source_ranges}}}});
  const Status refused = ensure(closed, nodes()).status();
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(refused.message().find("spec.loadBalancerSourceRanges has ranges of IPv6 alone"),
            std::string::npos)
      << refused.message();
  EXPECT_EQ(cloud.writes(), 0);
  const Status by_annotation =
      ensure(service({{kAnnotation + "network-stack", "IPV4"},
                      {kAnnotation + "allow-rules", "ip:2001:db8::1,cidr:2001:db8::/32"}}),
             nodes())
          .status();
  EXPECT_EQ(by_annotation.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(by_annotation.message().find("allow-rules has ranges of IPv6 alone"),
            std::string::npos);
  EXPECT_TRUE(ensure(service({{kAnnotation + "network-stack", "IPV4"},
                              {kAnnotation + "allow-rules", "ip:2001:db8::1,ip:192.0.2.1"}}),
                     nodes())
                  .ok());
}

TEST_F(LoadBalancerOperationsTest, DO_224_AllowRulesBesideRangesOfTheSpecAreTold) {
  log_in();
  auto limited = service({{kAnnotation + "allow-rules", "ip:9.9.9.9"}});
  limited.source_ranges = {"10.0.0.0/8"};
  limited = with(limited, {{"spec", {{"loadBalancerSourceRanges", limited.source_ranges}}}});
  ASSERT_TRUE(ensure(limited, nodes()).ok());
  const auto events = host.events.with_reason("LoadBalancerConfigWarning");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].message.find("has no effect beside spec.loadBalancerSourceRanges"),
            std::string::npos);
}

// DigitalOcean's manager does not read it, so what is open today stays open.
TEST_F(LoadBalancerOperationsTest, DO_129_RangesByAnnotationCloseNothing) {
  log_in();
  const std::string id = made(service(), nodes());
  auto limited =
      service({{"service.beta.kubernetes.io/load-balancer-source-ranges", "10.0.0.0/8"}}, id);
  limited.source_ranges = {"10.0.0.0/8"};
  EXPECT_EQ(ensure(limited, nodes())->difference, "");
  EXPECT_EQ(cloud.writes(), 0);
  const auto events = host.events.with_reason("LoadBalancerConfigWarning");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].message.find("set spec.loadBalancerSourceRanges"), std::string::npos);
}

// It passes packets on, and the API keeps nothing of them.
TEST_F(LoadBalancerOperationsTest, DO_181_SettingsThatANetworkLoadBalancerIgnoresAreNotRepaired) {
  log_in();
  const std::string id = made(service(), nodes());
  const json annotations = {{kAnnotation + "sticky-sessions-type", "cookies"},
                            {kAnnotation + "sticky-sessions-cookie-name", "LB"},
                            {kAnnotation + "sticky-sessions-cookie-ttl", "300"},
                            {kAnnotation + "enable-proxy-protocol", "true"},
                            {kAnnotation + "enable-backend-keepalive", "true"},
                            {kAnnotation + "redirect-http-to-https", "true"},
                            {kAnnotation + "disable-lets-encrypt-dns-records", "true"},
                            {kAnnotation + "http-idle-timeout-seconds", "90"}};
  const auto looked = observe(service(annotations, id), nodes());
  EXPECT_EQ(looked->difference, "");
  EXPECT_EQ(ensure(service(annotations, id), nodes())->difference, "");
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(LoadBalancerOperationsTest, WhatTheCloudMadeOfASettingIsNotWrittenForEver) {
  log_in();
  const json annotations = {{kAnnotation + "type", "REGIONAL"}};
  const std::string id = made(service(annotations), nodes());
  cloud.ignored_members = {"size_unit"};
  json sized = annotations;
  sized[kAnnotation + "size-unit"] = "3";
  EXPECT_EQ(ensure(service(sized, id), nodes())->difference, "size");
  EXPECT_EQ(cloud.writes(), 1);
  for (int audit = 0; audit < 3; ++audit) {
    pass();
    EXPECT_EQ(observe(service(sized, id), nodes())->difference, "");
    EXPECT_EQ(ensure(service(sized, id), nodes())->difference, "");
  }
  EXPECT_EQ(cloud.writes(), 1);
  const auto events = host.events.with_reason("LoadBalancerConfigWarning");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].message.find("as requested: size;"), std::string::npos);
  // Everything else is still seen to, and another size is asked for.
  EXPECT_EQ(ensure(service(sized, id), nodes(3))->difference, "backends");
  EXPECT_EQ(cloud.calls("PUT", "/"), 1);
  cloud.ignored_members.clear();
  sized[kAnnotation + "size-unit"] = "4";
  EXPECT_EQ(ensure(service(sized, id), nodes(3))->difference, "size");
  EXPECT_EQ(the_balancer()["size_unit"], 4);
}

TEST_F(LoadBalancerOperationsTest, RefusalsReachTheUserWithDigitalOceansWords) {
  log_in();
  auto reserved = service();
  reserved.ports[0].port = 50053;
  const Status refused = ensure(reserved, nodes()).status();
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(refused.message().find("failed to create load-balancer: CreateLoadBalancer: "
                                   "DigitalOcean answered 422 (request \""),
            0U)
      << refused.message();
  EXPECT_NE(refused.message().find("entry port is invalid"), std::string::npos);
}

TEST_F(LoadBalancerOperationsTest, SpecsThatCannotBeAreRefusedWithoutACall) {
  log_in();
  const std::vector<std::pair<json, std::string>> table = {
      {{{kAnnotation + "type", "GLOBAL"}},
       "only LB types supported are (REGIONAL, REGIONAL_NETWORK)"},
      {{{kAnnotation + "network", "X"}}, "only LB networks supported are (EXTERNAL, INTERNAL)"},
      {{{kAnnotation + "network-stack", "IPV6"}},
       "only LB network stacks supported are (IPV4, DUALSTACK)"}};
  for (const auto& [annotations, message] : table) {
    EXPECT_EQ(ensure(service(annotations), nodes()).status().message(), message);
  }
  EXPECT_EQ(cloud.calls(), 0);
  const std::string context = "failed to build load-balancer request: ";
  const std::vector<std::pair<json, std::string>> later = {
      {{{kAnnotation + "size-slug", "huge"}}, "invalid LB size slug provided: huge"},
      {{{kAnnotation + "size-unit", "x"}},
       "invalid LB size unit \"x\" provided: strconv.Atoi: parsing \"x\": invalid syntax"},
      {{{kAnnotation + "size-unit", "-1"}}, "LB size unit must be non-negative. -1 provided"},
      {{{kAnnotation + "size-unit", "2"}, {kAnnotation + "size-slug", "lb-small"}},
       "only one of LB size slug and size unit can be provided"},
      {{{kAnnotation + "sticky-sessions-type", "cookies"}},
       "sticky session cookie name not specified, but required"},
      {{{kAnnotation + "sticky-sessions-type", "cookies"},
        {kAnnotation + "sticky-sessions-cookie-name", "c"}},
       "sticky session cookie ttl not specified, but required"},
      {{{kAnnotation + "http-idle-timeout-seconds", "-1"}},
       "failed to parse provided LB HTTP idle timeout seconds value '-1': strconv.ParseUint: "
       "parsing \"-1\": invalid syntax"}};
  for (const auto& [annotations, message] : later) {
    EXPECT_EQ(ensure(service(annotations), nodes()).status().message(), context + message);
  }
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(LoadBalancerOperationsTest, NothingIsConcludedFromAListingThatFails) {
  log_in();
  const std::string id = made(service(), nodes());
  const json before = the_balancer();
  for (const int status : {401, 403, 404, 429, 500, 502}) {
    digitalocean_api::ApiFault fault;
    fault.path_prefix = "/v2/load_balancers";
    fault.status = status;
    fault.count = -1;
    cloud.add_fault(fault);
    EXPECT_FALSE(ensure(service({}, id), nodes()).ok()) << status;
    EXPECT_FALSE(observe(service({}, id), nodes()).ok()) << status;
    EXPECT_FALSE(update(service({}, id), nodes(3)).ok()) << status;
    EXPECT_FALSE(remove(service({}, id)).ok()) << status;
    cloud.clear_faults();
    pass();
  }
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(the_balancer(), before);
}

}  // namespace
}  // namespace ccm::digitalocean
