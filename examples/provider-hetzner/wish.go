package main

import (
	"sort"
	"strconv"

	"ccm"
)

// wish is the load balancer that a Service asks for.
type wish struct {
	name                  string // as it is created; renamed only when an annotation says so
	rename                bool
	location, networkZone string // as it is created
	kind                  string
	keepKind              bool // nobody asked for a type: one that somebody chose by hand stays
	algorithm             string
	public                bool
	network               int64 // 0 = none
	privateIP             string
	privateSubnet         string
	usePrivateIP          bool
	services              []service
	servers               []int64  // targets, sorted
	nodeLabels            []string // by which they were chosen
	noMembers             string   // why none of the Nodes is one; empty = some are
	rdns4, rdns6          string   // empty = as it is

	hostname       string
	ipv6           bool
	privateIngress bool
	proxyProtocol  bool
}

// wishFor reads the Service. Certificates that it names are not resolved yet: they are in certificates.
func (p *provider) wishFor(from *ccm.Service, backends []ccm.Backend) (w *wish, certificates []string, err error) {
	defaults := p.settings.balancers
	a := &annotations{values: metadata(from.Object).Annotations}
	w = &wish{
		name:           a.text("name", from.DefaultName),
		rename:         a.has("name"),
		kind:           a.text("type", defaults.kind),
		algorithm:      a.oneOf("algorithm-type", defaults.algorithm, "round_robin", "least_connections"),
		public:         !a.boolean("disable-public-network", defaults.disablePublicNetwork),
		network:        p.network,
		privateIP:      a.address("private-ipv4"),
		privateSubnet:  a.cidr("private-subnet-ip-range", defaults.privateSubnet),
		usePrivateIP:   a.boolean("use-private-ip", defaults.usePrivateIP),
		rdns4:          a.text("ipv4-rdns", ""),
		rdns6:          a.text("ipv6-rdns", ""),
		hostname:       a.hostname("hostname"),
		ipv6:           !a.boolean("ipv6-disabled", defaults.disableIPv6),
		privateIngress: !a.boolean("disable-private-ingress", defaults.disablePrivateIngress),
		proxyProtocol:  a.boolean("uses-proxyprotocol", defaults.proxyProtocol),
	}
	if w.kind == "" {
		w.kind, w.keepKind = "lb11", true
	}
	if w.usePrivateIP && w.network == 0 {
		a.refuse("use-private-ip", "false without --hcloud-network")
	}
	if a.text("certificate-type", "uploaded") != "uploaded" {
		a.refuse("certificate-type", "uploaded: managed certificates are not supported")
	}
	w.place(a, defaults)
	certificates = a.list("http-certificates")
	w.readServices(a, defaults, from)
	if a.err == nil && len(from.SourceRanges) > 0 {
		a.err = ccm.InvalidSpec("load balancers of Hetzner Cloud have no firewall: loadBalancerSourceRanges cannot be kept")
	}
	if a.err == nil {
		a.err = w.chooseTargets(a, backends)
	}
	return w, certificates, a.err
}

// place says where it is created. An annotation of one kind overrides the settings of both.
func (w *wish) place(a *annotations, defaults balancerSettings) {
	w.location, w.networkZone = a.text("location", ""), a.text("network-zone", "")
	if !a.has("location") && w.networkZone == "" {
		w.location = defaults.location
	}
	if !a.has("network-zone") && w.location == "" {
		w.networkZone = defaults.networkZone
	}
	switch {
	case a.err != nil:
	case w.location != "" && w.networkZone != "":
		a.err = ccm.InvalidSpec("annotations %slocation and network-zone exclude each other", annotationPrefix)
	case w.location == "" && w.networkZone == "":
		a.err = ccm.InvalidSpec("where is the load balancer to be? Set annotation %slocation or network-zone, or "+
			"--hcloud-load-balancers-location or --hcloud-load-balancers-network-zone", annotationPrefix)
	}
}

func (w *wish) readServices(a *annotations, defaults balancerSettings, from *ccm.Service) {
	protocol := a.oneOf("protocol", "tcp", "tcp", "http", "https")
	for _, port := range from.Ports {
		if port.Protocol != "TCP" && a.err == nil {
			a.err = ccm.InvalidSpec("port %d: load balancers of Hetzner Cloud take TCP ports alone", port.Port)
		}
	}
	if a.err == nil {
		a.err = from.NeedNodePorts()
	}
	if a.err != nil {
		return
	}
	for _, port := range from.Ports {
		w.services = append(w.services, service{
			Protocol: protocol, ListenPort: port.Port, DestinationPort: port.NodePort, ProxyProtocol: w.proxyProtocol,
			HTTP:        readHTTP(a, protocol),
			HealthCheck: readHealthCheck(a, defaults, port.NodePort),
		})
	}
	sort.Slice(w.services, func(i, j int) bool { return w.services[i].ListenPort < w.services[j].ListenPort })
}

func readHTTP(a *annotations, protocol string) *serviceHTTP {
	if protocol == "tcp" {
		return nil
	}
	redirect := a.boolean("http-redirect-http", false)
	if redirect && protocol != "https" {
		a.refuse("http-redirect-http", "false without protocol https")
	}
	return &serviceHTTP{
		CookieName:     a.text("http-cookie-name", "HCLBSTICKY"),
		CookieLifetime: a.seconds("http-cookie-lifetime", 300, 30, 86400),
		Certificates:   []int64{},
		RedirectHTTP:   redirect,
		StickySessions: a.boolean("http-sticky-sessions", false),
		TimeoutIdle:    a.seconds("http-timeout-idle", 0, 30, 300),
	}
}

func readHealthCheck(a *annotations, defaults balancerSettings, nodePort int) healthCheck {
	check := healthCheck{
		Protocol: a.oneOf("health-check-protocol", "tcp", "tcp", "http", "https"),
		Port:     a.number("health-check-port", nodePort, 1, 65535),
		Interval: a.seconds("health-check-interval", defaults.checkInterval, 3, 60),
		Timeout:  a.seconds("health-check-timeout", defaults.checkTimeout, 1, 60),
		Retries:  a.number("health-check-retries", defaults.checkRetries, 0, 5),
	}
	if check.Protocol != "tcp" {
		check.HTTP = &healthHTTP{
			Domain:      a.text("health-check-http-domain", ""),
			Path:        a.text("health-check-http-path", "/"),
			StatusCodes: a.list("http-status-codes", "2??", "3??"),
			TLS:         a.boolean("health-check-http-validate-certificate", false),
		}
	}
	return check
}

// chooseTargets takes the servers that the Service's Nodes are. A Node of another provider is none, nor is one without provider ID.
func (w *wish) chooseTargets(a *annotations, backends []ccm.Backend) error {
	text := a.text("node-selector", "")
	chosen, err := parseSelector(text)
	if err != nil {
		return ccm.InvalidSpec("annotation %snode-selector: %v", annotationPrefix, err)
	}
	w.servers, w.nodeLabels = []int64{}, chosen.keys
	for _, backend := range backends {
		if id, ok := serverID(backend.ProviderID); ok && chosen.matches(metadata(backend.Node).Labels) {
			w.servers = append(w.servers, id)
		}
	}
	sort.Slice(w.servers, func(i, j int) bool { return w.servers[i] < w.servers[j] })
	if len(backends) > 0 && len(w.servers) == 0 {
		w.noMembers = "no Node is a server that fits the node-selector " + strconv.Quote(text) + "; targets that are there stay"
	}
	return nil
}

func id(number int64) string { return strconv.FormatInt(number, 10) }
