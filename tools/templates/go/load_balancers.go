package main

import (
	"context"
	"errors"
	"net/url"
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
	Sources  []string `json:"sources"` // who may come in; none = everybody. A cloud that cannot keep others out: ccm.InvalidSpec
}

type loadBalancer struct {
	ID      string `json:"id,omitempty"`
	Address string `json:"address,omitempty"`
	Mark    string `json:"mark"` // whose it is
	Spec    spec   `json:"spec"`
}

// EnsureLoadBalancer compares before it writes: a second call writes nothing.
func (p *provider) EnsureLoadBalancer(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
	found, foreign, err := p.find(ctx, service)
	if err != nil {
		return nil, err
	}
	wanted := loadBalancer{Mark: markOf(service), Spec: specOf(service, backends)}
	method, path, difference := "POST", "/load-balancers", "created"
	switch {
	case found != nil && reflect.DeepEqual(found.Spec, wanted.Spec):
		return resultOf(found, ""), nil
	case found != nil:
		method, path, difference = "PUT", pathOf(found.ID), "ports or backends"
	case service.AdoptID != "":
		method, path, difference = "PUT", pathOf(service.AdoptID), "taken over"
	case foreign:
		return &ccm.LoadBalancer{State: ccm.LoadBalancerForeign}, nil
	}
	var made loadBalancer
	if err := p.api.call(ctx, "WriteLoadBalancer", method, path, wanted, &made); err != nil {
		return nil, err
	}
	return resultOf(&made, difference), nil
}

// DeleteLoadBalancer writes nothing for a load balancer that is not there, or somebody else's.
func (p *provider) DeleteLoadBalancer(ctx context.Context, service *ccm.Service) error {
	found, foreign, err := p.find(ctx, service)
	switch {
	case err != nil:
		return err
	case found == nil && foreign:
		return ccm.NotOwned("load balancer %s is somebody else's", service.ID)
	case found == nil:
		return nil
	}
	err = p.api.call(ctx, "DeleteLoadBalancer", "DELETE", pathOf(found.ID), nil, nil)
	if errors.Is(err, errNotThere) {
		return nil
	}
	return err
}

// find looks at the recorded id, which proves nothing and says where to look, and then for the mark. A list that cannot be
// read is an error, and no absence. foreign: the recorded id leads to one without our mark, and none bears it.
func (p *provider) find(ctx context.Context, service *ccm.Service) (found *loadBalancer, foreign bool, err error) {
	if service.ID != "" {
		var one loadBalancer
		err := p.api.call(ctx, "GetLoadBalancer", "GET", pathOf(service.ID), nil, &one)
		if err != nil && !errors.Is(err, errNotThere) {
			return nil, false, err
		}
		if err == nil && one.Mark == markOf(service) {
			return &one, false, nil
		}
		foreign = err == nil
	}
	for path := "/load-balancers"; path != ""; {
		var page struct {
			LoadBalancers *[]loadBalancer `json:"loadBalancers"`
			Next          string          `json:"next"`
		}
		if err := p.api.call(ctx, "ListLoadBalancers", "GET", path, nil, &page); err != nil {
			return nil, false, err
		}
		if page.LoadBalancers == nil {
			return nil, false, ccm.Unavailable("ListLoadBalancers: the answer has no list")
		}
		for i, one := range *page.LoadBalancers {
			if one.Mark == markOf(service) {
				return &(*page.LoadBalancers)[i], false, nil
			}
		}
		path = nextPage("/load-balancers", page.Next)
	}
	return nil, foreign, nil
}

// markOf has the Service's UID, so the load balancer can be nobody else's.
func markOf(service *ccm.Service) string { return service.ClusterName + "/" + service.UID }

func pathOf(id string) string { return "/load-balancers/" + url.PathEscape(id) }

func nextPage(path, next string) string {
	if next == "" {
		return ""
	}
	return path + "?after=" + url.QueryEscape(next)
}

func specOf(service *ccm.Service, backends []ccm.Backend) spec {
	made := spec{Ports: []port{}, Machines: []string{}, Sources: append([]string{}, service.SourceRanges...)} // in JSON [], not null
	for _, each := range service.Ports {
		made.Ports = append(made.Ports, port{each.Protocol, each.Port, each.NodePort})
	}
	for _, backend := range backends {
		made.Machines = append(made.Machines, backend.ProviderID)
	}
	return made
}

func resultOf(found *loadBalancer, difference string) *ccm.LoadBalancer {
	result := &ccm.LoadBalancer{State: ccm.LoadBalancerPending, ID: found.ID, Difference: difference}
	if found.Address != "" { // without one the cloud still works on it, and the host asks again
		result.State, result.Ingress = ccm.LoadBalancerActive, []ccm.Ingress{{IP: found.Address}}
	}
	return result
}
