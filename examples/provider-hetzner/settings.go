package main

import (
	"net/netip"
	"strconv"
	"time"

	"ccm"
)

// settings are the flags of plugin.json. Each has an environment variable as well, the one of hcloud-cloud-controller-manager.
type settings struct {
	endpoint      string
	network       string // name or id
	routes        bool
	addressFamily string
	zoneLabel     bool
	balancers     balancerSettings
}

// balancerSettings are defaults, which annotations of a Service override.
type balancerSettings struct {
	enabled               bool
	location, networkZone string
	kind                  string
	algorithm             string
	disablePublicNetwork  bool
	disablePrivateIngress bool
	disableIPv6           bool
	usePrivateIP          bool
	privateSubnet         string
	proxyProtocol         bool
	checkInterval         int // seconds
	checkTimeout          int
	checkRetries          int
}

func readSettings(host *ccm.Host) (settings, error) {
	f := flags{host: host}
	found := settings{
		endpoint:      f.text("hcloud-endpoint"),
		network:       f.text("hcloud-network"),
		routes:        f.boolean("hcloud-network-routes-enabled"),
		addressFamily: f.text("hcloud-instances-address-family"),
		zoneLabel:     f.boolean("hcloud-instances-zone-label-enabled"),
		balancers: balancerSettings{
			enabled:               f.boolean("hcloud-load-balancers-enabled"),
			location:              f.text("hcloud-load-balancers-location"),
			networkZone:           f.text("hcloud-load-balancers-network-zone"),
			kind:                  f.text("hcloud-load-balancers-type"),
			algorithm:             f.text("hcloud-load-balancers-algorithm-type"),
			disablePublicNetwork:  f.boolean("hcloud-load-balancers-disable-public-network"),
			disablePrivateIngress: f.boolean("hcloud-load-balancers-disable-private-ingress"),
			disableIPv6:           f.boolean("hcloud-load-balancers-disable-ipv6"),
			usePrivateIP:          f.boolean("hcloud-load-balancers-use-private-ip"),
			privateSubnet:         f.text("hcloud-load-balancers-private-subnet-ip-range"),
			proxyProtocol:         f.boolean("hcloud-load-balancers-uses-proxyprotocol"),
			checkInterval:         f.seconds("hcloud-load-balancers-health-check-interval"),
			checkTimeout:          f.seconds("hcloud-load-balancers-health-check-timeout"),
			checkRetries:          f.number("hcloud-load-balancers-health-check-retries"),
		},
	}
	b := found.balancers
	if b.location != "" && b.networkZone != "" {
		return found, ccm.InvalidConfig("--hcloud-load-balancers-location and --hcloud-load-balancers-network-zone exclude each other: leave one out")
	}
	if b.usePrivateIP && found.network == "" {
		return found, ccm.InvalidConfig("--hcloud-load-balancers-use-private-ip needs --hcloud-network")
	}
	if b.privateSubnet != "" {
		if _, err := netip.ParsePrefix(b.privateSubnet); err != nil {
			return found, ccm.InvalidConfig("--hcloud-load-balancers-private-subnet-ip-range is %q, which is no CIDR", b.privateSubnet)
		}
	}
	return found, f.err
}

// flags reads flags, and remembers the first that cannot be read. The host has checked their types, and those of variables of
// the environment.
type flags struct {
	host *ccm.Host
	err  error
}

func (f *flags) text(name string) string {
	value, _ := f.host.Flag(name)
	return value
}

func (f *flags) boolean(name string) bool {
	value, err := strconv.ParseBool(f.text(name))
	f.remember(name, err)
	return value
}

func (f *flags) number(name string) int {
	value, err := strconv.Atoi(f.text(name))
	f.remember(name, err)
	return value
}

func (f *flags) seconds(name string) int {
	value, err := time.ParseDuration(f.text(name))
	f.remember(name, err)
	return int(value / time.Second)
}

func (f *flags) remember(name string, err error) {
	if err != nil && f.err == nil {
		f.err = ccm.InvalidConfig("--%s: %v", name, err)
	}
}
