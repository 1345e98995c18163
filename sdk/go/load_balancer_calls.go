package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// balancer is an operation whose result is a load balancer, also beside an error.
func balancer[P any](call func(provider P, ctx context.Context, service *Service, backends []Backend) (*LoadBalancer, error)) reader {
	return implement(func(provider P, op *operation, request *C.ccm_load_balancer_request) (work, error) {
		service, backends, err := op.loadBalancerRequest(request)
		return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
			found, err := call(provider, ctx, service, backends)
			if found == nil {
				if err == nil {
					err = &Error{Code: CodeInternal, Message: "the provider returned no load balancer and no error"}
				}
				return nil, err
			}
			return unsafe.Pointer(a.loadBalancer(found)), err
		}, err
	})
}

func deleteLoadBalancer(p LoadBalancers, op *operation, request *C.ccm_load_balancer_request) (work, error) {
	service, _, err := op.loadBalancerRequest(request)
	return func(ctx context.Context, _ *arena) (unsafe.Pointer, error) {
		return nil, p.DeleteLoadBalancer(ctx, service)
	}, err
}

func loadBalancerName(p LoadBalancerNamer, op *operation, request *C.ccm_load_balancer_request) (work, error) {
	service, _, err := op.loadBalancerRequest(request)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		name, err := p.LoadBalancerName(ctx, service)
		to := sized[C.ccm_load_balancer_name](a)
		to.name = a.text(name)
		return result(to, err)
	}, err
}

func loadBalancerLane(p LoadBalancerLaner, op *operation, request *C.ccm_load_balancer_request) (work, error) {
	service, _, err := op.loadBalancerRequest(request)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		lane, err := p.LoadBalancerLane(ctx, service)
		to := sized[C.ccm_load_balancer_lane](a)
		to.lane = a.text(lane)
		return result(to, err)
	}, err
}

func loadBalancerLimits(p LoadBalancerLimiter, _ *operation, request *C.ccm_limits_request) (work, error) {
	return limits(p.LoadBalancerLimits, request, func(a *arena, from LoadBalancerLimits) *C.ccm_load_balancer_limits {
		to := sized[C.ccm_load_balancer_limits](a)
		to.load_balancers, to.backends = C.int64_t(from.LoadBalancers), C.int64_t(from.Backends)
		to.id_annotation = a.text(from.IDAnnotation)
		to.timeout_ms, to.parallel = C.int64_t(from.Timeout.Milliseconds()), C.int64_t(from.Parallel)
		return to
	})
}

func (op *operation) loadBalancerRequest(from *C.ccm_load_balancer_request) (*Service, []Backend, error) {
	request, err := readRequest(from, 0)
	if err != nil {
		return nil, nil, err
	}
	service, err := op.service(request.service)
	if err != nil {
		return nil, nil, err
	}
	backends, err := readParts(request.backends, request.backend_count, op.backend)
	return service, backends, err
}

func (op *operation) service(from *C.ccm_service) (*Service, error) {
	s, err := readRequest(from, C.CCM_SERVICE_LOCAL_TRAFFIC|C.CCM_SERVICE_CLIENT_IP_AFFINITY|C.CCM_SERVICE_NO_NODE_PORTS)
	if err != nil {
		return nil, err
	}
	ports, err := readParts(s.ports, s.port_count, servicePort)
	if err != nil {
		return nil, err
	}
	parameters := map[string]string{}
	for _, pair := range convert(s.parameters, s.parameter_count, func(p C.ccm_key_value) C.ccm_key_value { return p }) {
		parameters[goString(pair.key)] = goString(pair.value)
	}
	return &Service{
		Name: goString(s.name), Namespace: goString(s.namespace_name), UID: goString(s.uid),
		ClusterName: goString(s.cluster_name), ID: goString(s.id), AdoptID: goString(s.adopt_id),
		DefaultName: goString(s.default_name), ClassName: goString(s.class_name), RequestedIP: goString(s.requested_ip),
		Ports:               ports,
		SourceRanges:        goStrings(s.source_ranges, s.source_range_count),
		IPFamilies:          goStrings(s.ip_families, s.ip_family_count),
		Parameters:          parameters,
		LocalTraffic:        s.flags&C.CCM_SERVICE_LOCAL_TRAFFIC != 0,
		ClientIPAffinity:    s.flags&C.CCM_SERVICE_CLIENT_IP_AFFINITY != 0,
		NoNodePorts:         s.flags&C.CCM_SERVICE_NO_NODE_PORTS != 0,
		HealthCheckNodePort: int(s.health_check_node_port),
		AffinityTimeout:     time.Duration(s.affinity_timeout_seconds) * time.Second,
		Object:              op.lease.object(s.object),
	}, nil
}

func servicePort(from *C.ccm_service_port) (to ServicePort, err error) {
	port, err := readRequest(from, 0)
	if err == nil {
		to = ServicePort{goString(port.name), goString(port.protocol), goString(port.app_protocol), int(port.port), int(port.node_port)}
	}
	return to, err
}

func (op *operation) backend(from *C.ccm_backend) (to Backend, err error) {
	backend, err := readRequest(from, 0)
	if err == nil {
		addresses := convert(backend.addresses, backend.address_count, goAddress)
		to = Backend{goString(backend.name), goString(backend.provider_id), addresses, op.lease.object(backend.node)}
	}
	return to, err
}

func (a *arena) loadBalancer(from *LoadBalancer) *C.ccm_load_balancer {
	to := sized[C.ccm_load_balancer](a)
	to.state = C.int32_t(from.State)
	to.retry_after_ms = C.int64_t(from.RetryAfter.Milliseconds())
	to.id, to.name, to.difference = a.text(from.ID), a.text(from.Name), a.text(from.Difference)
	ingress := array[*C.ccm_ingress](a, len(from.Ingress))
	for i := range ingress {
		ingress[i] = a.ingress(from.Ingress[i])
	}
	to.ingress, to.ingress_count = first(ingress), C.size_t(len(ingress))
	to.annotations, to.annotation_count = a.pairs(from.Annotations)
	to.node_labels, to.node_label_count = a.texts(from.NodeLabels)
	to.no_members = a.text(from.NoMembers)
	return to
}

func (a *arena) ingress(from Ingress) *C.ccm_ingress {
	to := sized[C.ccm_ingress](a)
	to.ip, to.hostname, to.ip_mode = a.text(from.IP), a.text(from.Hostname), a.text(from.IPMode)
	ports := array[*C.ccm_ingress_port](a, len(from.Ports))
	for i, port := range from.Ports {
		ports[i] = sized[C.ccm_ingress_port](a)
		ports[i].port = C.int32_t(port.Port)
		ports[i].protocol, ports[i].error = a.text(port.Protocol), a.text(port.Error)
	}
	to.ports, to.port_count = first(ports), C.size_t(len(ports))
	return to
}
