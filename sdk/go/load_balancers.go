package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"strconv"
	"time"
)

// LoadBalancers offers load balancers for Services; docs/provider-authors.md has the rules.
//
// EnsureLoadBalancer makes it be what the Service asks for, writing only a difference, and never waits for the cloud:
// meanwhile the state is LoadBalancerPending. A result beside an error says what was made so far; its ID is recorded.
// When Service.ID leads to one without our mark, and none bears it, the state is LoadBalancerForeign, without ID and
// without an error, and nothing is created. DeleteLoadBalancer is a success when nothing is left, and NotOwned when only
// a foreign one is.
type LoadBalancers interface {
	EnsureLoadBalancer(ctx context.Context, service *Service, backends []Backend) (*LoadBalancer, error)
	DeleteLoadBalancer(ctx context.Context, service *Service) error
}

// LoadBalancerObserver says what there is, and how it differs from what EnsureLoadBalancer would make; it writes nothing.
type LoadBalancerObserver interface {
	ObserveLoadBalancer(ctx context.Context, service *Service, backends []Backend) (*LoadBalancer, error)
}

// BackendUpdater changes only the backends of a load balancer that exists.
type BackendUpdater interface {
	UpdateLoadBalancer(ctx context.Context, service *Service, backends []Backend) (*LoadBalancer, error)
}

// LoadBalancerNamer gives the name that a load balancer has or would get, without a call to the cloud.
type LoadBalancerNamer interface {
	LoadBalancerName(ctx context.Context, service *Service) (string, error)
}

// LoadBalancerLaner gives a text for each Service: operations with the same one run one at a time. Without a call to
// the cloud; empty is the Service's own.
type LoadBalancerLaner interface {
	LoadBalancerLane(ctx context.Context, service *Service) (string, error)
}

// LoadBalancerLimiter says what the cloud bears.
type LoadBalancerLimiter interface {
	LoadBalancerLimits(ctx context.Context) (LoadBalancerLimits, error)
}

// LoadBalancerState says how it is about a load balancer.
type LoadBalancerState int32

// The states of ccm/abi/loadbalancers.h.
const (
	LoadBalancerUnknown LoadBalancerState = C.CCM_LOAD_BALANCER_UNKNOWN // nothing may be concluded
	LoadBalancerAbsent  LoadBalancerState = C.CCM_LOAD_BALANCER_ABSENT  // there certainly is none
	LoadBalancerPending LoadBalancerState = C.CCM_LOAD_BALANCER_PENDING // exists or is being changed, does not serve yet
	LoadBalancerActive  LoadBalancerState = C.CCM_LOAD_BALANCER_ACTIVE  // serves
	LoadBalancerShared  LoadBalancerState = C.CCM_LOAD_BALANCER_SHARED  // serves other Services too
	LoadBalancerForeign LoadBalancerState = C.CCM_LOAD_BALANCER_FOREIGN // not proven to be the Service's
)

// Service is the one that wants a load balancer, read and validated by the controller. The fields are those of
// ccm_service in ccm/abi/loadbalancers.h, which says more about each.
type Service struct {
	Name, Namespace, UID string
	ClusterName          string
	ID                   string // as recorded on the Service: where to look, and no proof
	AdoptID              string // one that the administrator allowed to take over
	DefaultName          string
	ClassName            string
	RequestedIP          string
	Ports                []ServicePort
	SourceRanges         []string // none = everybody
	IPFamilies           []string // "IPv4", "IPv6"
	Parameters           map[string]string

	LocalTraffic        bool // externalTrafficPolicy: Local
	ClientIPAffinity    bool // sessionAffinity: ClientIP
	NoNodePorts         bool // allocateLoadBalancerNodePorts: false
	HealthCheckNodePort int
	AffinityTimeout     time.Duration // 0 = the cloud's default
	Object              *Object       // for annotations; may be nil
}

// ServicePort is one port of a Service.
type ServicePort struct {
	Name        string
	Protocol    string // "TCP", "UDP", "SCTP"
	AppProtocol string
	Port        int
	NodePort    int // 0 = none was allocated
}

// NeedNodePorts is nil when each port of the Service has a node port. Otherwise it names those that have none
// (spec.allocateLoadBalancerNodePorts: false) and what helps, of class ClassInvalidSpec: for providers whose load balancers
// reach the Pods by node ports.
func (s *Service) NeedNodePorts() error {
	without := ""
	for _, port := range s.Ports {
		if port.NodePort != 0 {
			continue
		}
		if without != "" {
			without += ", "
		}
		without += strconv.Itoa(port.Port) + "/" + port.Protocol
	}
	if without == "" {
		return nil
	}
	return &Error{Code: CodeInvalidArgument, Class: ClassInvalidSpec, Reason: "NoNodePorts",
		Message: "no node port, which the load balancer needs, for " + without +
			": set spec.allocateLoadBalancerNodePorts to true, or a nodePort for each"}
}

// Backend is a Node that takes the Service's traffic.
type Backend struct {
	Name       string
	ProviderID string // may be empty: the instance is then found by name
	Addresses  []NodeAddress
	Node       *Object // for labels and annotations; may be nil
}

// LoadBalancer is what the cloud has for a Service.
type LoadBalancer struct {
	State      LoadBalancerState
	RetryAfter time.Duration // with LoadBalancerPending: when to come back; 0 = the host's choice
	ID         string        // the cloud's; set it as soon as it is known
	Name       string
	// From ObserveLoadBalancer: how what exists differs from what is wanted, in words. From the others: what they changed.
	Difference  string
	Ingress     []Ingress
	Annotations map[string]string // for the Service; an empty value removes one
	// Keys of the labels by which it chose among the backends: a change of one of them on a Node is a change of the backends.
	NodeLabels []string
	// Why none of the given backends can be a member, in words; empty = some can. A load balancer that serves
	// keeps its members then.
	NoMembers string
}

// Ingress is one way to reach a load balancer: IP or Hostname.
type Ingress struct {
	IP       string
	Hostname string
	IPMode   string // "VIP", "Proxy"; empty = VIP
	Ports    []IngressPort
}

// IngressPort is a load balancer's word on one port.
type IngressPort struct {
	Port     int
	Protocol string
	Error    string // CamelCase, or "domain/Reason"; empty = none
}

// LoadBalancerLimits says what the cloud bears; 0 is the host's choice, or no limit that is known.
type LoadBalancerLimits struct {
	LoadBalancers int           // of the account
	Backends      int           // of one load balancer
	IDAnnotation  string        // where the id is recorded on the Service
	Timeout       time.Duration // of one operation
	Parallel      int           // operations at once
}
