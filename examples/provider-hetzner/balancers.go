package main

import (
	"context"

	"ccm"
)

// EnsureLoadBalancer changes what differs. It waits for no action: while one runs the load balancer is pending.
func (p *provider) EnsureLoadBalancer(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
	w, certificates, err := p.wishFor(service, backends)
	if err != nil {
		return nil, err
	}
	found, foreign, err := p.find(ctx, service)
	switch {
	case err != nil:
		return nil, err
	case foreign:
		return &ccm.LoadBalancer{State: ccm.LoadBalancerForeign}, nil
	}
	if err := p.useCertificates(ctx, w, certificates); err != nil {
		return nil, err
	}
	if found == nil {
		return p.create(ctx, w, service.UID)
	}
	return p.change(ctx, found, w, planFor(found, w, service.UID))
}

// ObserveLoadBalancer says how it is, and what EnsureLoadBalancer would change.
func (p *provider) ObserveLoadBalancer(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
	w, certificates, err := p.wishFor(service, backends)
	if err != nil {
		return nil, err
	}
	found, foreign, err := p.find(ctx, service)
	switch {
	case err != nil:
		return nil, err
	case foreign:
		return &ccm.LoadBalancer{State: ccm.LoadBalancerForeign}, nil
	case found == nil:
		return &ccm.LoadBalancer{State: ccm.LoadBalancerAbsent}, nil
	}
	if err := p.useCertificates(ctx, w, certificates); err != nil {
		return nil, err
	}
	result := found.result(w)
	result.Difference = inWords(planFor(found, w, service.UID))
	return result, nil
}

// UpdateLoadBalancer changes the targets alone.
func (p *provider) UpdateLoadBalancer(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
	w, _, err := p.wishFor(service, backends)
	if err != nil {
		return nil, err
	}
	found, foreign, err := p.find(ctx, service)
	switch {
	case err != nil:
		return nil, err
	case foreign:
		return &ccm.LoadBalancer{State: ccm.LoadBalancerForeign}, nil
	case found == nil:
		return nil, ccm.NotFound("no load balancer has the label %s=%s", uidLabel, service.UID)
	}
	only := &plan{of: found}
	only.targets(w)
	return p.change(ctx, found, w, only.steps)
}

// DeleteLoadBalancer deletes what bears the Service's mark.
func (p *provider) DeleteLoadBalancer(ctx context.Context, service *ccm.Service) error {
	ours, foreign, err := p.ours(ctx, service)
	switch {
	case err != nil:
		return err
	case foreign:
		return ccm.NotOwned("load balancer %s has no label %s=%s", service.ID, uidLabel, service.UID)
	}
	for _, each := range ours {
		if each.Protection.Delete {
			return ccm.ImplementedElsewhere("load balancer %d is protected from deletion, and stays", each.ID)
		}
		err := p.api.call(ctx, "DeleteLoadBalancer", "DELETE", path([]any{"load_balancers", each.ID}), nil, nil)
		if err != nil && !isCode(err, "not_found") {
			return err
		}
	}
	return nil
}

// LoadBalancerName needs no call.
func (p *provider) LoadBalancerName(_ context.Context, service *ccm.Service) (string, error) {
	a := annotations{values: metadata(service.Object).Annotations}
	return a.text("name", service.DefaultName), nil
}

func (p *provider) create(ctx context.Context, w *wish, uid string) (*ccm.LoadBalancer, error) {
	var answer struct {
		actionAnswer
		LoadBalancer *loadBalancer `json:"load_balancer"`
	}
	if err := p.api.call(ctx, "CreateLoadBalancer", "POST", "/load_balancers", creation(w, uid), &answer); err != nil {
		return nil, err
	}
	if answer.LoadBalancer == nil {
		return nil, ccm.Unavailable("CreateLoadBalancer: the answer has no load balancer")
	}
	p.actions.began(resourceOf(answer.LoadBalancer), answer.Action)
	result := pending(answer.LoadBalancer)
	result.Difference = "created"
	return result, nil
}

// change takes the steps that the API takes now. The host comes back for the others when the actions have ended.
func (p *provider) change(ctx context.Context, found *loadBalancer, w *wish, steps []step) (*ccm.LoadBalancer, error) {
	running, err := p.settled(ctx, resourceOf(found))
	if err != nil || running {
		return pending(found), err
	}
	if len(steps) == 0 {
		return found.result(w), nil
	}
	var recorded error // by a dry run, which is to see all steps
	for i, each := range steps {
		if each.alone && i > 0 && recorded == nil {
			break
		}
		var answer actionAnswer
		err := p.api.call(ctx, each.operation, each.method, each.path, each.body, &answer)
		if isCode(err, "locked") {
			break
		}
		if isDryRun(err) {
			recorded = err
			continue
		}
		if err != nil {
			return pending(found), err
		}
		p.actions.began(resourceOf(found), answer.Action)
		if each.alone {
			break
		}
	}
	result := pending(found)
	if recorded != nil {
		return result, recorded
	}
	result.Difference = inWords(steps)
	return result, nil
}

func pending(found *loadBalancer) *ccm.LoadBalancer {
	return &ccm.LoadBalancer{State: ccm.LoadBalancerPending, RetryAfter: lockedFor, ID: id(found.ID), Name: found.Name}
}

func resourceOf(of *loadBalancer) string { return path([]any{"load_balancers", of.ID}) }
