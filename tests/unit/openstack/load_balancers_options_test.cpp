// Annotations, classes and options of cloud.conf, as they reach Octavia and Neutron.
#include "load_balancers_fixture.hpp"

#include <set>

namespace ccm::openstack {
namespace {

class OpenStackOptionsTest : public OpenStackLoadBalancersTest {
 protected:
  using Options = std::map<std::string, std::string>;

  // Makes it so, and sees that nothing differs then.
  LoadBalancer with(const Options& options, LoadBalancerService service = web()) {
    service = annotated(std::move(service), options);
    auto made = ensured(service, nodes());
    EXPECT_EQ(observe(service, nodes())->difference, "");
    cloud.clear_log();
    ensured(service, nodes());
    EXPECT_EQ(cloud.writes(), 0);
    return made;
  }
  Status refusal(const Options& options) { return failure(annotated(web(), options)); }
  const json& floating_ip() { return *cloud.region().network.records("floatingips").begin(); }
  std::string subnet(const std::string& name, const std::string& cidr, const std::string& tag) {
    const json& made = cloud.region().network.add("subnets", facts["projects"]["admin"],
                                                  {{"name", name},
                                                   {"network_id", id("public")},
                                                   {"ip_version", 4},
                                                   {"cidr", cidr},
                                                   {"enable_dhcp", false}});
    json& record = *cloud.region().network.records("subnets").find(made.at("id"));
    record[record.contains("tags") ? "tags" : ".tags"] = json::array({tag});
    for (json& each : cloud.region().network.records("subnets")) each["shared"] = true;
    return made.at("id");
  }
};

TEST_F(OpenStackOptionsTest, OS_204_209_264_265_ListenerFields) {
  with({{"connection-limit", "100"},
        {"timeout-client-data", "1000"},
        {"timeout-member-connect", "2000"},
        {"timeout-member-data", "3000"},
        {"timeout-tcp-inspect", "4000"}});
  const json listener = only("listeners");
  EXPECT_EQ(listener.at("connection_limit"), 100);
  EXPECT_EQ(listener.at("timeout_client_data"), 1000);
  EXPECT_EQ(listener.at("timeout_member_connect"), 2000);
  EXPECT_EQ(listener.at("timeout_member_data"), 3000);
  EXPECT_EQ(listener.at("timeout_tcp_inspect"), 4000);
  EXPECT_EQ(observe(annotated(web(), {}), nodes())->difference,
            "timeouts and connection limit of TCP port 80");
  with({});
  EXPECT_EQ(only("listeners").at("connection_limit"), -1);
}

TEST_F(OpenStackOptionsTest, OS_206_267_268_XForwardedForComesAndGoes) {
  LoadBalancerService service = web(2);
  service.ports[1].protocol = "UDP";
  ensured(service, nodes());
  with({{"x-forwarded-for", "true"}}, service);
  for (const json& listener : octavia().records("listeners")) {
    const bool udp = listener.at("protocol_port") == 81;
    EXPECT_EQ(listener.at("protocol"), udp ? "UDP" : "HTTP");
    EXPECT_EQ(listener.at("insert_headers"),
              udp ? json::object() : json({{"X-Forwarded-For", "true"}}));
  }
  with({}, service);
  EXPECT_EQ(count("listeners"), 2U);
  EXPECT_EQ(count("pools"), 2U);
}

TEST_F(OpenStackOptionsTest, OS_205_269_427_ProxyProtocolIsForTcpAlone) {
  LoadBalancerService service = web(2);
  service.ports[1].protocol = "UDP";
  auto made = with({{"proxy-protocol", "v2"}}, service);
  EXPECT_EQ(made.ingress[0].ip_mode, "Proxy");
  std::vector<std::string> protocols;
  for (const json& pool : octavia().records("pools")) protocols.push_back(pool.at("protocol"));
  EXPECT_EQ(protocols, (std::vector<std::string>{"PROXYV2", "UDP"}));
  EXPECT_EQ(events("LoadBalancerOptionIgnored").size(), 1U) << "told once, not at each look";
}

// A full second pool takes over; there is no moment without members.
TEST_F(OpenStackOptionsTest, OS_270_271_AnotherPoolProtocolLeavesNoGap) {
  octavia().update_time = seconds(1);
  ensured(web(), nodes());
  const auto service = annotated(web(), {{"proxy-protocol", "true"}});
  const std::string old = only("pools").at("id");
  for (int i = 0; i < 30 && observe(service, nodes())->difference != ""; ++i) {
    ASSERT_TRUE(ensure(service, nodes()).ok());
    const std::string pool = only("listeners").at("default_pool_id");
    EXPECT_EQ(octavia().records("members").of(pool).size(), 3U);
    host.loop.advance(seconds(2));
  }
  EXPECT_EQ(only("pools").at("protocol"), "PROXY");
  EXPECT_NE(only("pools").at("id"), old);
  EXPECT_EQ(count("members"), 3U);
}

TEST_F(OpenStackOptionsTest, OS_206_TwoThatExcludeEachOther) {
  const Status status = refusal({{"proxy-protocol", "v1"}, {"x-forwarded-for", "true"}});
  EXPECT_EQ(status.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(status.message().find("exclude each other"), std::string::npos);
}

TEST_F(OpenStackOptionsTest, OS_207_250_388_Certificates) {
  openstack_api::Caller owner;
  owner.project_id = facts["projects"]["demo"];
  const std::string secret = cloud.region().key_manager.add_secret(owner, "web", "opaque");
  with({{"default-tls-container-ref", secret}});
  EXPECT_EQ(only("listeners").at("protocol"), "TERMINATED_HTTPS");
  EXPECT_EQ(only("listeners").at("default_tls_container_ref"), secret);
  EXPECT_EQ(only("pools").at("protocol"), "HTTP");
  std::string missing = secret;
  missing.back() = missing.back() == '0' ? '1' : '0';
  EXPECT_NE(refusal({{"default-tls-container-ref", missing}}).message().find("does not have it"),
            std::string::npos);
  EXPECT_EQ(refusal({{"default-tls-container-ref", "secret"}}).error_class(),
            ErrorClass::invalid_spec);
}

TEST_F(OpenStackOptionsTest, OS_208_211_212_279_PoolsAndMonitors) {
  with({{"lb-method", "SOURCE_IP"},
        {"enable-health-monitor", "true"},
        {"health-monitor-delay", "11"},
        {"health-monitor-timeout", "7"},
        {"health-monitor-max-retries", "2"},
        {"health-monitor-max-retries-down", "4"}});
  EXPECT_EQ(only("pools").at("lb_algorithm"), "SOURCE_IP");
  const json monitor = only("healthmonitors");
  EXPECT_EQ(monitor.at("delay"), 11);
  EXPECT_EQ(monitor.at("timeout"), 7);
  EXPECT_EQ(monitor.at("max_retries"), 2);
  EXPECT_EQ(monitor.at("max_retries_down"), 4);
}

TEST_F(OpenStackOptionsTest, OS_216_272_391_WhatCannotBeReadIsToldOnce) {
  const Options wrong = {{"connection-limit", "many"},
                         {"keep-floatingip", "yes"},
                         {"lb-method", "RANDOM"},
                         {"timeout-client-data", "-5"},
                         {"proxy-protocol", "v3"}};
  with(wrong);
  const auto reported = events("InvalidAnnotation");
  EXPECT_EQ(reported.size(), wrong.size());
  EXPECT_EQ(std::count(reported.begin(), reported.end(),
                       "loadbalancer.openstack.org/connection-limit: \"many\" is no number from -1 "
                       "to 2147483647"),
            1);
  EXPECT_EQ(only("listeners").at("connection_limit"), -1);
}

TEST_F(OpenStackOptionsTest, OS_128_210_249_FlavorAndZone) {
  octavia().flavors = {"00000000-0000-4000-8000-00000000000f"};
  octavia().availability_zones = {"east"};
  start("flavor-id = 00000000-0000-4000-8000-00000000000f\navailability-zone = west\n");
  with({{"availability-zone", "east"}});
  EXPECT_EQ(only("loadbalancers").at("availability_zone"), "east");
  EXPECT_EQ(only("loadbalancers").at("flavor_id"), "00000000-0000-4000-8000-00000000000f");
}

TEST_F(OpenStackOptionsTest, OS_247_249_297_348_AnOldOctaviaGetsLess) {
  octavia().newest_version = 9;
  start("availability-zone = east\n");
  LoadBalancerService service = web();
  service.source_ranges = {"10.0.0.0/8"};
  with({}, service);
  EXPECT_TRUE(only("listeners").at("allowed_cidrs").is_null());
  EXPECT_EQ(events("LoadBalancerSourceRangesIgnored").size(), 1U);
  EXPECT_EQ(events("LoadBalancerAvailabilityZonesIgnored").size(), 1U);
  octavia().newest_version = 4;
  start();
  EXPECT_EQ(ensure(web(), nodes()).status().error_class(), ErrorClass::unsupported);
}

TEST_F(OpenStackOptionsTest, OS_117_118_276_333_334_Ovn) {
  octavia().providers = {"ovn"};
  start("lb-provider = ovn\ncreate-monitor = true\nflavor-id = f\n");
  LoadBalancerService service = web(2);
  service.ports[1].protocol = "UDP";
  service.local_traffic = true;
  service.health_check_node_port = 32'000;
  with({{"x-forwarded-for", "true"}, {"timeout-client-data", "1"}}, service);
  EXPECT_EQ(octavia().records("pools").begin()->at("lb_algorithm"), "SOURCE_IP_PORT");
  EXPECT_EQ(octavia().records("healthmonitors").begin()->at("type"), "TCP");
  EXPECT_TRUE(octavia().records("members").begin()->at("monitor_port").is_null());
  EXPECT_EQ(events("LoadBalancerOptionIgnored").size(), 3U);
}

TEST_F(OpenStackOptionsTest, OS_118_208_333_OvnIgnoresAnotherMethod) {
  octavia().providers = {"ovn"};
  start("lb-provider = ovn\n");
  with({{"lb-method", "SOURCE_IP_PORT"}});
  EXPECT_EQ(events("LoadBalancerOptionIgnored").size(), 0U);
  with({{"lb-method", "LEAST_CONNECTIONS"}});
  ASSERT_EQ(events("LoadBalancerOptionIgnored").size(), 1U);
  EXPECT_EQ(events("LoadBalancerOptionIgnored")[0],
            "lb-method: this Octavia or its provider does not have LEAST_CONNECTIONS");
}

TEST_F(OpenStackOptionsTest, OS_135_136_199_233_234_240_242_Classes) {
  const std::string second = subnet("second", "198.51.100.0/24", "b");
  start("floating-subnet-id = " + id("public-v4") + "\nfloating-network-id = " + id("public") +
        "\n[LoadBalancerClass \"dmz\"]\nfloating-network-id = " + id("public") +
        "\nfloating-subnet-id = " + second + "\nsubnet-id = " + id("dual-v4") + "\n");
  const auto made = with({{"class", "dmz"}});
  EXPECT_TRUE(made.ingress[0].ip.starts_with("198.51.100.")) << made.ingress[0].ip;
  EXPECT_EQ(only("loadbalancers").at("vip_subnet_id"), id("dual-v4"));
  EXPECT_EQ(octavia().records("members").begin()->at("subnet_id"), id("dual-v4"));
  const Status status = refusal({{"class", "dnz"}});
  EXPECT_NE(status.message().find("no [LoadBalancerClass \"dnz\"]"), std::string::npos);
}

TEST_F(OpenStackOptionsTest, OS_200_201_238_312_NetworksSubnetsAndPorts) {
  with({{"network-id", id("private")}, {"member-subnet-id", id("private-v4")}});
  EXPECT_EQ(only("loadbalancers").at("vip_network_id"), id("private"));
  EXPECT_EQ(octavia().records("members").begin()->at("subnet_id"), id("private-v4"));
  EXPECT_TRUE(removed(web()));
  known_id.clear();
  const json port = cloud.region().network.add("ports", facts["projects"]["demo"],
                                               {{"network_id", id("private")}, {"name", "vip"}});
  with({{"port-id", port.at("id")}});
  EXPECT_EQ(only("loadbalancers").at("vip_port_id"), port.at("id"));
  EXPECT_TRUE(removed(web()));
  EXPECT_NE(cloud.region().network.records("ports").find(port.at("id")), nullptr);
}

TEST_F(OpenStackOptionsTest, OS_202_244_245_288_FloatingSubnetsByNameAndTags) {
  const std::string second = subnet("second", "198.51.100.0/24", "b");
  EXPECT_TRUE(with({{"floating-subnet", "sec*"}}).ingress[0].ip.starts_with("198.51.100."));
  EXPECT_TRUE(removed(web()));
  known_id.clear();
  EXPECT_TRUE(with({{"floating-subnet-tags", "a,b"}}).ingress[0].ip.starts_with("198.51.100."));
  EXPECT_TRUE(removed(web()));
  known_id.clear();
  EXPECT_TRUE(with({{"floating-subnet-tags", "!a,b"}}).ingress[0].ip.starts_with("203.0.113."));
  EXPECT_TRUE(removed(web()));
  known_id.clear();
  EXPECT_NE(refusal({{"floating-subnet", "third"}}).message().find("no subnet"), std::string::npos);
}

TEST_F(OpenStackOptionsTest, OS_243_AFloatingSubnetOfAnotherNetwork) {
  const Status status =
      refusal({{"floating-network-id", id("public")}, {"floating-subnet-id", id("private-v4")}});
  EXPECT_EQ(status.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(status.message().find("is not on the floating network"), std::string::npos);
}

TEST_F(OpenStackOptionsTest, OS_203_284_290_KeepFloatingIp) {
  const Options keep = {{"keep-floatingip", "true"}};
  const auto made = with(keep);
  EXPECT_TRUE(removed(annotated(web(), keep)));
  ASSERT_EQ(floating_ips(), 1U);
  EXPECT_TRUE(floating_ip().at("port_id").is_null());
  // Asked for by its address, it comes back; the next one goes with its Service.
  known_id.clear();
  LoadBalancerService service = web();
  service.requested_ip = made.ingress[0].ip;
  EXPECT_EQ(with({}, service).ingress, made.ingress);
  EXPECT_EQ(floating_ips(), 1U);
  with({{"service.beta.kubernetes.io/openstack-internal-load-balancer", "true"}});
  EXPECT_EQ(floating_ips(), 0U);
}

TEST_F(OpenStackOptionsTest, OS_236_NodesThatAreNotInitialisedAreWaitedFor) {
  std::vector<Backend> fresh = nodes();
  for (Backend& node : fresh) {
    node.provider_id.clear();
    node.addresses.clear();
  }
  const Status waits = ensure(web(), fresh).status();
  EXPECT_EQ(waits.error_class(), ErrorClass::waiting) << waits.message();
  EXPECT_GT(waits.retry_after(), milliseconds(0));
  fresh[0].provider_id = "metal://7";
  fresh[0].addresses = {{"InternalIP", "192.0.2.7"}};
  EXPECT_EQ(ensure(web(), fresh).status().reason(), "NoSubnet");
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackOptionsTest, OS_119_to_122_132_WhatCloudConfSays) {
  subnet("second", "198.51.100.0/24", "b");
  start("subnet-id = " + id("dual-v4") + "\nmember-subnet-id = " + id("private-v4") +
        "\nfloating-network-id = " + id("public") + "\nfloating-subnet = sec*\n");
  EXPECT_TRUE(with({}).ingress[0].ip.starts_with("198.51.100."));
  EXPECT_EQ(only("loadbalancers").at("vip_subnet_id"), id("dual-v4"));
  EXPECT_EQ(octavia().records("members").begin()->at("subnet_id"), id("private-v4"));
  EXPECT_TRUE(removed(web()));
  known_id.clear();
  openstack_api::Caller owner;
  owner.project_id = facts["projects"]["demo"];
  const std::string secret = cloud.region().key_manager.add_secret(owner, "web", "opaque");
  start("network-id = " + id("private") + "\ndefault-tls-container-ref = " + secret + "\n");
  with({});
  EXPECT_EQ(only("loadbalancers").at("vip_network_id"), id("private"));
  EXPECT_EQ(only("listeners").at("default_tls_container_ref"), secret);
}

// The class goes first, but for an internal one its annotation does.
TEST_F(OpenStackOptionsTest, OS_234_235_ASubnetOfTheClassAndOneOfTheService) {
  start("[LoadBalancerClass \"dmz\"]\nsubnet-id = " + id("dual-v4") + "\n");
  Options options = {{"class", "dmz"}, {"subnet-id", id("private-v4")}};
  with(options);
  EXPECT_EQ(only("loadbalancers").at("vip_subnet_id"), id("dual-v4"));
  EXPECT_TRUE(removed(web()));
  known_id.clear();
  options["service.beta.kubernetes.io/openstack-internal-load-balancer"] = "true";
  with(options);
  EXPECT_EQ(only("loadbalancers").at("vip_subnet_id"), id("private-v4"));
}

TEST_F(OpenStackOptionsTest, OS_220_237_AMembersAddressAndTheDescription) {
  auto list = nodes();
  list[1].addresses = {{"Hostname", "one"}, {"ExternalIP", "192.0.2.1"}, {"InternalIP", "fd00::1"}};
  list[2].addresses = {{"Hostname", "two"}};
  ensured(annotated(web(), {}), list);
  std::set<std::string> addresses;
  for (const json& member : octavia().records("members")) addresses.insert(member.at("address"));
  EXPECT_EQ(addresses, (std::set<std::string>{list[0].addresses[0].address, "192.0.2.1"}));
  EXPECT_EQ(only("loadbalancers").at("description"),
            "Kubernetes external service default/web from cluster kubernetes");
}

TEST_F(OpenStackOptionsTest, OS_286_AFloatingIpThatIsThereStays) {
  const auto made = with({});
  LoadBalancerService service = web();
  service.requested_ip = "203.0.113.250";
  EXPECT_EQ(with({}, service).ingress, made.ingress);
  EXPECT_EQ(floating_ips(), 1U);
}

TEST_F(OpenStackOptionsTest, OS_287_AnAddressThatIsUsedElsewhere) {
  const auto other = with({});
  LoadBalancerService service = web();
  service.name = "second";
  service.uid = "2";
  service.requested_ip = other.ingress[0].ip;
  const Status refused = failure(service);
  EXPECT_NE(refused.message().find("in use elsewhere"), std::string::npos);
  EXPECT_FALSE(refused.refused()) << "its user may leave it soon";
}

TEST_F(OpenStackOptionsTest, OS_241_289_WithoutANetworkThatLeadsOutside) {
  cloud.region().network.records("networks").find(id("public"))->at("router:external") = false;
  const auto made = with({});
  EXPECT_TRUE(made.ingress[0].ip.starts_with("10.10.0."));
  EXPECT_EQ(events("LoadBalancerForcedInternal").size(), 1U);
}

TEST_F(OpenStackOptionsTest, Issue37_12_AHostnameThatKubernetesRefusesIsNotFollowed) {
  start("");
  for (const char* name : {"web\nexample.com", "Web.example.com", "192.0.2.1"}) {
    const auto made = with({{"hostname", name}});
    EXPECT_EQ(made.ingress[0].hostname, "") << name;
    EXPECT_NE(made.ingress[0].ip, "");
  }
  EXPECT_FALSE(events("InvalidAnnotation").empty());
}

TEST_F(OpenStackOptionsTest, OS_129_198_214_293_HostNames) {
  start("enable-ingress-hostname = true\n");
  const auto made = with({});
  EXPECT_EQ(made.ingress[0].ip_mode, "VIP");
  const auto proxied = with({{"proxy-protocol", "true"}});
  EXPECT_EQ(proxied.ingress[0].hostname, made.ingress[0].ip + ".nip.io");
  EXPECT_EQ(with({{"hostname", "web.example.com"}}).ingress[0].hostname, "web.example.com");
  const json address = proxied.annotations.at(0).value;
  EXPECT_EQ(proxied.annotations.at(0).key, "loadbalancer.openstack.org/load-balancer-address");
  EXPECT_EQ(address, made.ingress[0].ip);
}

// Kind of digitalocean-cloud-controller-manager#888: what cloud.conf decides, the host cannot see.
TEST_F(OpenStackOptionsTest, OS_211_212_MonitorOptionsWithoutAMonitorAreTold) {
  with({{"health-monitor-delay", "7"}, {"health-monitor-max-retries", "2"}});
  ASSERT_EQ(events("LoadBalancerOptionIgnored").size(), 2U);
  EXPECT_EQ(events("LoadBalancerOptionIgnored")[0],
            "loadbalancer.openstack.org/health-monitor-delay: there is no health monitor without "
            "loadbalancer.openstack.org/enable-health-monitor: \"true\" or create-monitor in "
            "cloud.conf");
  with({{"health-monitor-delay", "7"}, {"enable-health-monitor", "true"}});
  LoadBalancerService local = web();
  local.local_traffic = true;
  local.health_check_node_port = 32'000;
  with({{"health-monitor-timeout", "3"}}, local);
  EXPECT_EQ(events("LoadBalancerOptionIgnored").size(), 2U);
}

TEST_F(OpenStackOptionsTest, OS_135_233_240_WhatTheClassOverrulesIsTold) {
  start("[LoadBalancerClass \"dmz\"]\nfloating-network-id = " + id("public") +
        "\nfloating-subnet-id = " + id("public-v4") + "\nsubnet-id = " + id("dual-v4") + "\n");
  with({{"class", "dmz"},
        {"subnet-id", id("private-v4")},
        {"floating-network-id", id("public")},
        {"floating-subnet-tags", "a"}});
  const auto reported = events("LoadBalancerOptionIgnored");
  ASSERT_EQ(reported.size(), 2U);
  for (const std::string& text : reported) {
    EXPECT_NE(text.find("[LoadBalancerClass] in cloud.conf goes first"), std::string::npos) << text;
  }
  EXPECT_TRUE(reported[0].starts_with("loadbalancer.openstack.org/subnet-id")) << reported[0];
  EXPECT_TRUE(reported[1].starts_with("loadbalancer.openstack.org/floating-subnet-tags"))
      << reported[1];
}

TEST_F(OpenStackOptionsTest, OS_130_240_FloatingOptionsWhereAllAreInternalAreTold) {
  start("internal-lb = true\n");
  with({{"floating-network-id", id("public")}});
  ASSERT_EQ(events("LoadBalancerOptionIgnored").size(), 1U);
  EXPECT_NE(events("LoadBalancerOptionIgnored")[0].find("internal-lb in cloud.conf"),
            std::string::npos);
}

// The API server refuses "fd00:20::42.nip.io".
TEST_F(OpenStackOptionsTest, OS_293_occm_1859_AnAddressOfIPv6IsNoPartOfAName) {
  start("enable-ingress-hostname = true\n");
  LoadBalancerService service = web();
  service.ip_families = {"IPv6"};
  service.requested_ip = "fd00:20::42";
  const auto made = with({{"subnet-id", id("dual-v6")}, {"proxy-protocol", "true"}}, service);
  ASSERT_EQ(made.ingress.size(), 1U);
  EXPECT_EQ(made.ingress[0].hostname, "");
  EXPECT_EQ(made.ingress[0].ip, "fd00:20::42");
  EXPECT_EQ(made.ingress[0].ip_mode, "Proxy");
}

TEST_F(OpenStackOptionsTest, OS_126_213_NodeSelector) {
  auto list = nodes();
  list[0].node = host.objects.make(R"({"metadata":{"labels":{"role":"edge"}}})");
  list[1].node = host.objects.make(R"({"metadata":{"labels":{"role":"other"}}})");
  ensured(annotated(web(), {{"node-selector", "role=edge"}}), list);
  EXPECT_EQ(count("members"), 1U);
  ensured(annotated(web(), {{"node-selector", "role"}}), list);
  EXPECT_EQ(count("members"), 2U);
  start("node-selector = role=edge\n");
  ensured(annotated(web(), {{"node-selector", ""}}), list);
  EXPECT_EQ(count("members"), 3U);
}

TEST_F(OpenStackOptionsTest, OS_232_253_283_IPv6HasNoFloatingIp) {
  LoadBalancerService service = web();
  service.ip_families = {"IPv6"};
  service.requested_ip = "fd00:20::42";
  const auto made = with({{"subnet-id", id("dual-v6")}}, service);
  EXPECT_EQ(made.ingress[0].ip, "fd00:20::42");
  EXPECT_EQ(floating_ips(), 0U);
  EXPECT_EQ(only("listeners").at("allowed_cidrs"), json::array({"::/0"}));
}

}  // namespace
}  // namespace ccm::openstack
