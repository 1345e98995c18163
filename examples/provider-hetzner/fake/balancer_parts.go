package fake

import "net/http"

type service struct {
	Protocol        string       `json:"protocol"`
	ListenPort      int          `json:"listen_port"`
	DestinationPort int          `json:"destination_port"`
	ProxyProtocol   bool         `json:"proxyprotocol"`
	HTTP            *serviceHTTP `json:"http"`
	HealthCheck     *healthCheck `json:"health_check"`
}

type serviceHTTP struct {
	CookieName     string  `json:"cookie_name"`
	CookieLifetime int     `json:"cookie_lifetime"`
	Certificates   []int64 `json:"certificates"`
	RedirectHTTP   bool    `json:"redirect_http"`
	StickySessions bool    `json:"sticky_sessions"`
	TimeoutIdle    int     `json:"timeout_idle"`
}

type healthCheck struct {
	Protocol string      `json:"protocol"`
	Port     int         `json:"port"`
	Interval int         `json:"interval"`
	Timeout  int         `json:"timeout"`
	Retries  int         `json:"retries"`
	HTTP     *healthHTTP `json:"http"`
}

type healthHTTP struct {
	Domain      string   `json:"domain"`
	Path        string   `json:"path"`
	Response    string   `json:"response"`
	StatusCodes []string `json:"status_codes"`
	TLS         bool     `json:"tls"`
}

type target struct {
	Type   string `json:"type"`
	Server *struct {
		ID int64 `json:"id"`
	} `json:"server"`
	UsePrivateIP bool `json:"use_private_ip"`
}

type fault struct {
	status        int
	code, message string
}

func invalid(message string) *fault {
	return &fault{http.StatusUnprocessableEntity, "invalid_input", message}
}

// whole gives a service what the API fills in.
func (s service) whole() service {
	if s.HTTP == nil {
		s.HTTP = &serviceHTTP{CookieName: "HCLBSTICKY", CookieLifetime: 300, Certificates: []int64{}}
	}
	if s.HTTP.TimeoutIdle == 0 {
		s.HTTP.TimeoutIdle = 60
	}
	if s.HealthCheck == nil {
		s.HealthCheck = &healthCheck{Protocol: "tcp", Port: s.DestinationPort, Interval: 15, Timeout: 10, Retries: 3}
	}
	return s
}

// serviceFault says why a service is refused; nil = it is not.
func (c *Cloud) serviceFault(lb *balancer, s service, isNew bool) *fault {
	protocols := map[string]bool{"tcp": true, "http": true, "https": true}
	port := func(n int) bool { return n >= 1 && n <= 65535 }
	if !protocols[s.Protocol] || !port(s.ListenPort) || !port(s.DestinationPort) {
		return invalid("protocol, listen_port or destination_port is wrong")
	}
	for _, each := range lb.Services {
		if isNew && each.ListenPort == s.ListenPort {
			return &fault{http.StatusPreconditionFailed, "source_port_already_used", "source port is used"}
		}
	}
	if isNew && len(lb.Services) >= lb.Type.MaxServices {
		return &fault{http.StatusForbidden, "resource_limit_exceeded", "too many services"}
	}
	if h := s.HTTP; h != nil {
		if s.Protocol == "tcp" || h.RedirectHTTP && s.Protocol != "https" {
			return invalid("http does not fit the protocol")
		}
		for _, id := range h.Certificates {
			if c.certificates[id] == "" {
				return invalid("certificate does not exist")
			}
		}
	}
	if s.Protocol == "https" && (s.HTTP == nil || len(s.HTTP.Certificates) == 0) {
		return invalid("https needs a certificate")
	}
	if h := s.HealthCheck; h != nil {
		if !protocols[h.Protocol] || !port(h.Port) || h.Interval < 3 || h.Interval > 60 || h.Timeout < 1 || h.Timeout > 60 || h.Retries < 0 || h.Retries > 5 {
			return invalid("health_check is wrong")
		}
		if (h.HTTP != nil) != (h.Protocol != "tcp") {
			return invalid("http of health_check does not fit its protocol")
		}
	}
	return nil
}

// targetFault says why a target is refused; nil = it is not.
func (c *Cloud) targetFault(lb *balancer, t target) *fault {
	refuse := func(code, message string) *fault { return &fault{http.StatusUnprocessableEntity, code, message} }
	if t.Type != "server" || t.Server == nil {
		return invalid("the fake knows targets of type server alone")
	}
	found := c.server(t.Server.ID)
	attached := int64(0)
	for _, each := range lb.PrivateNet {
		attached = each.Network
	}
	switch {
	case found == nil:
		return invalid("server does not exist")
	case lb.targets(t.Server.ID):
		return refuse("target_already_defined", "target is already defined")
	case len(lb.Targets) >= lb.Type.MaxTargets:
		return &fault{http.StatusForbidden, "resource_limit_exceeded", "too many targets"}
	case t.UsePrivateIP && attached == 0:
		return refuse("load_balancer_not_attached_to_network", "load balancer is not attached to a network")
	case t.UsePrivateIP && !found.in(attached):
		return refuse("server_not_attached_to_network", "server is not attached to the network of the load balancer")
	case !t.UsePrivateIP && !found.public:
		return refuse("missing_ipv4", "server has no public IPv4 address")
	case !t.UsePrivateIP && !lb.PublicNet.Enabled:
		return refuse("load_balancer_public_interface_disabled", "load balancer has no public interface")
	}
	return nil
}

func (lb *balancer) targets(server int64) bool {
	for _, each := range lb.Targets {
		if each.Server.ID == server {
			return true
		}
	}
	return false
}

func (lb *balancer) dropTarget(server int64) {
	kept := []target{}
	for _, each := range lb.Targets {
		if each.Server.ID != server {
			kept = append(kept, each)
		}
	}
	lb.Targets = kept
}

func (lb *balancer) dropService(port int) (dropped bool) {
	kept := []service{}
	for _, each := range lb.Services {
		if each.ListenPort != port {
			kept = append(kept, each)
		}
	}
	dropped = len(kept) < len(lb.Services)
	lb.Services = kept
	return dropped
}

func isAlgorithm(name string) bool { return name == "round_robin" || name == "least_connections" }
