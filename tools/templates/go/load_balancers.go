package main

import (
	"context"
	"errors"
	"reflect"

	"ccm"
)

type port struct {
	Protocol string `json:"protocol"`
	Port     int    `json:"port"`
	NodePort int    `json:"nodePort"`
}

type spec struct {
	Ports    []port   `json:"ports"`
	Machines []string `json:"machines"`
}

type loadBalancer struct {
	Address string `json:"address"`
	Spec    spec   `json:"spec"`
}

// EnsureLoadBalancer compares before it writes: a second call writes nothing.
func (p *provider) EnsureLoadBalancer(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
	wanted := specOf(service, backends)
	var found loadBalancer
	err := p.api.call(ctx, "GetLoadBalancer", "GET", pathOf(service), nil, &found)
	difference := "ports or backends"
	switch {
	case errors.Is(err, errNotThere):
		difference = "created"
	case err != nil:
		return nil, err
	case reflect.DeepEqual(found.Spec, wanted):
		return resultOf(service, found, ""), nil
	}
	var made loadBalancer
	if err := p.api.call(ctx, "PutLoadBalancer", "PUT", pathOf(service), wanted, &made); err != nil {
		return nil, err
	}
	return resultOf(service, made, difference), nil
}

// DeleteLoadBalancer writes nothing for a load balancer that is not there.
func (p *provider) DeleteLoadBalancer(ctx context.Context, service *ccm.Service) error {
	err := p.api.call(ctx, "GetLoadBalancer", "GET", pathOf(service), nil, nil)
	if err == nil {
		err = p.api.call(ctx, "DeleteLoadBalancer", "DELETE", pathOf(service), nil, nil)
	}
	if errors.Is(err, errNotThere) {
		return nil
	}
	return err
}

// idOf has the Service's UID, so the load balancer can be nobody else's.
func idOf(service *ccm.Service) string { return service.ClusterName + "-" + service.UID }

func pathOf(service *ccm.Service) string { return "/load-balancers/" + idOf(service) }

func specOf(service *ccm.Service, backends []ccm.Backend) spec {
	made := spec{Ports: []port{}, Machines: []string{}} // an empty list in JSON, not null
	for _, each := range service.Ports {
		made.Ports = append(made.Ports, port{each.Protocol, each.Port, each.NodePort})
	}
	for _, backend := range backends {
		made.Machines = append(made.Machines, backend.ProviderID)
	}
	return made
}

func resultOf(service *ccm.Service, found loadBalancer, difference string) *ccm.LoadBalancer {
	result := &ccm.LoadBalancer{State: ccm.LoadBalancerPending, ID: idOf(service), Difference: difference}
	if found.Address != "" { // without one the cloud still works on it, and the host asks again
		result.State, result.Ingress = ccm.LoadBalancerActive, []ccm.Ingress{{IP: found.Address}}
	}
	return result
}
