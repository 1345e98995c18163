package main

import (
	"context"
	"strconv"

	"ccm"
)

// uidLabel marks a load balancer with the UID of its Service. It is the mark of hcloud-cloud-controller-manager, too.
const uidLabel = "hcloud-ccm/service-uid"

// marked gives the load balancers that bear the Service's mark.
func (c *client) marked(ctx context.Context, uid string) ([]loadBalancer, error) {
	var answer struct {
		LoadBalancers *[]loadBalancer `json:"load_balancers"`
	}
	err := c.call(ctx, "ListLoadBalancers", "GET",
		path([]any{"load_balancers"}, "label_selector", uidLabel+"=="+uid, "per_page", strconv.Itoa(pageSize)), nil, &answer)
	if err == nil && answer.LoadBalancers == nil {
		err = ccm.Unavailable("ListLoadBalancers: the answer has no list of load balancers")
	}
	if err != nil {
		return nil, err
	}
	var ours []loadBalancer
	for _, each := range *answer.LoadBalancers {
		if each.Labels[uidLabel] == uid {
			ours = append(ours, each)
		}
	}
	return ours, nil
}

// loadBalancer gives one by its id; nil when there is none.
func (c *client) loadBalancer(ctx context.Context, text string) (*loadBalancer, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number <= 0 {
		return nil, nil // no id of this API, so there is none
	}
	var answer struct {
		LoadBalancer *loadBalancer `json:"load_balancer"`
	}
	err = c.call(ctx, "GetLoadBalancer", "GET", path([]any{"load_balancers", number}), nil, &answer)
	if isCode(err, "not_found") {
		return nil, nil
	}
	if err == nil && (answer.LoadBalancer == nil || answer.LoadBalancer.ID != number) {
		err = ccm.Unavailable("GetLoadBalancer: the answer has no load balancer %d", number)
	}
	return answer.LoadBalancer, err
}

// ours gives the load balancers that bear the Service's mark, the recorded one also when the list does not show it yet. foreign: there
// is none, and the recorded id leads to somebody else's.
func (p *provider) ours(ctx context.Context, service *ccm.Service) (ours []loadBalancer, foreign bool, err error) {
	ours, err = p.api.marked(ctx, service.UID)
	if err != nil || len(ours) > 0 || service.ID == "" {
		return ours, false, err
	}
	recorded, err := p.api.loadBalancer(ctx, service.ID)
	if err != nil || recorded == nil {
		return nil, false, err
	}
	if recorded.Labels[uidLabel] != service.UID {
		return nil, true, nil
	}
	return []loadBalancer{*recorded}, false, nil
}

// find gives the Service's load balancer: the one that the administrator gave it, else the one with its mark. Nil = none; then
// foreign says whether the recorded id leads to somebody else's.
func (p *provider) find(ctx context.Context, service *ccm.Service) (found *loadBalancer, foreign bool, err error) {
	if service.AdoptID != "" {
		found, err = p.api.loadBalancer(ctx, service.AdoptID)
		if err == nil && found == nil {
			err = ccm.InvalidSpec("there is no load balancer %s to take over", service.AdoptID)
		}
		return found, false, err
	}
	ours, foreign, err := p.ours(ctx, service)
	if err != nil || len(ours) == 0 {
		return nil, foreign, err
	}
	if len(ours) == 1 {
		return &ours[0], false, nil
	}
	for i := range ours {
		if id(ours[i].ID) == service.ID {
			return &ours[i], false, nil
		}
	}
	return nil, false, &ccm.Error{Code: ccm.CodeFailedPrecondition, Reason: "AmbiguousLoadBalancer",
		Message: "load balancers " + id(ours[0].ID) + " and " + id(ours[1].ID) + " both have the label " + uidLabel + "=" + service.UID + ": take it from one of them"}
}
