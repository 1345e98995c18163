package main

import (
	"sort"

	"ccm"
)

// loadBalancer is one as the API has it.
type loadBalancer struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	PublicNet struct {
		Enabled bool       `json:"enabled"`
		IPv4    publicAddr `json:"ipv4"`
		IPv6    publicAddr `json:"ipv6"`
	} `json:"public_net"`
	PrivateNet []privateNet `json:"private_net"`
	Type       struct {
		Name       string `json:"name"`
		MaxTargets int    `json:"max_targets"`
	} `json:"load_balancer_type"`
	Protection struct {
		Delete bool `json:"delete"`
	} `json:"protection"`
	Labels    map[string]string `json:"labels"`
	Services  []service         `json:"services"`
	Targets   []target          `json:"targets"`
	Algorithm algorithm         `json:"algorithm"`
}

type publicAddr struct {
	IP     string `json:"ip"`
	DNSPtr string `json:"dns_ptr"`
}

type privateNet struct {
	Network int64  `json:"network"`
	IP      string `json:"ip"`
}

type algorithm struct {
	Type string `json:"type"`
}

type targetServer struct {
	ID int64 `json:"id"`
}

// target is a server that gets traffic. Those of other types are none of ours.
type target struct {
	Type         string        `json:"type"`
	Server       *targetServer `json:"server,omitempty"`
	UsePrivateIP bool          `json:"use_private_ip"`
}

// service is one port.
type service struct {
	Protocol        string       `json:"protocol"`
	ListenPort      int          `json:"listen_port"`
	DestinationPort int          `json:"destination_port"`
	ProxyProtocol   bool         `json:"proxyprotocol"`
	HTTP            *serviceHTTP `json:"http,omitempty"`
	HealthCheck     healthCheck  `json:"health_check"`
}

type serviceHTTP struct {
	CookieName     string  `json:"cookie_name"`
	CookieLifetime int     `json:"cookie_lifetime"`
	Certificates   []int64 `json:"certificates"`
	RedirectHTTP   bool    `json:"redirect_http"`
	StickySessions bool    `json:"sticky_sessions"`
	TimeoutIdle    int     `json:"timeout_idle,omitempty"`
}

type healthCheck struct {
	Protocol string      `json:"protocol"`
	Port     int         `json:"port"`
	Interval int         `json:"interval"`
	Timeout  int         `json:"timeout"`
	Retries  int         `json:"retries"`
	HTTP     *healthHTTP `json:"http,omitempty"`
}

type healthHTTP struct {
	Domain      string   `json:"domain"`
	Path        string   `json:"path"`
	StatusCodes []string `json:"status_codes"`
	TLS         bool     `json:"tls"`
}

// like gives the service without what `wanted` says nothing about, so that both can be compared.
func (s service) like(wanted service) service {
	if wanted.HTTP == nil || s.HTTP == nil {
		s.HTTP = nil
	} else {
		http := *s.HTTP
		http.Certificates = append([]int64{}, http.Certificates...)
		sort.Slice(http.Certificates, func(i, j int) bool { return http.Certificates[i] < http.Certificates[j] })
		if wanted.HTTP.TimeoutIdle == 0 {
			http.TimeoutIdle = 0
		}
		s.HTTP = &http
	}
	if wanted.HealthCheck.HTTP == nil {
		s.HealthCheck.HTTP = nil
	}
	return s
}

func (l *loadBalancer) attachedTo(network int64) *privateNet {
	for i := range l.PrivateNet {
		if l.PrivateNet[i].Network == network {
			return &l.PrivateNet[i]
		}
	}
	return nil
}

// result is what the host gets to know of it.
func (l *loadBalancer) result(w *wish) *ccm.LoadBalancer {
	made := &ccm.LoadBalancer{State: ccm.LoadBalancerActive, ID: id(l.ID), Name: l.Name, Ingress: l.ingress(w),
		NodeLabels: w.nodeLabels, NoMembers: w.noMembers}
	if len(made.Ingress) == 0 {
		made.State, made.RetryAfter = ccm.LoadBalancerPending, lockedFor
	}
	return made
}

func (l *loadBalancer) ingress(w *wish) (ways []ccm.Ingress) {
	if w.hostname != "" {
		return []ccm.Ingress{{Hostname: w.hostname}}
	}
	mode := "VIP"
	if w.proxyProtocol {
		mode = "Proxy" // kube-proxy may not keep such traffic inside the cluster: it would lack the header
	}
	add := func(ip string) {
		if ip != "" {
			ways = append(ways, ccm.Ingress{IP: ip, IPMode: mode})
		}
	}
	if l.PublicNet.Enabled {
		add(l.PublicNet.IPv4.IP)
		if w.ipv6 {
			add(l.PublicNet.IPv6.IP)
		}
	}
	if w.privateIngress {
		for _, private := range l.PrivateNet {
			add(private.IP)
		}
	}
	return ways
}
