package main

import (
	"context"
	"net/netip"

	"ccm"
)

const mostRoutes = 100 // of one network

// RouteLimits says what the cloud bears.
func (p *provider) RouteLimits(context.Context) (ccm.RouteLimits, error) {
	return ccm.RouteLimits{Routes: mostRoutes}, nil
}

// ListRoutes gives all routes of the network.
func (p *provider) ListRoutes(ctx context.Context, cluster string) ([]ccm.Route, error) {
	if err := clusterLabel(cluster); err != nil {
		return nil, err
	}
	of, err := p.api.network(ctx, p.network)
	if err != nil {
		return nil, err
	}
	servers, err := p.gateways(ctx)
	if err != nil {
		return nil, err
	}
	var routes []ccm.Route
	for _, each := range *of.Routes {
		server, known := servers.byAddress[each.Gateway]
		routes = append(routes, ccm.Route{
			ID:               idOf(each),
			DestinationCIDR:  each.Destination,
			Owned:            of.owned(cluster, each.Destination),
			Blackhole:        !known,
			TargetNode:       server.Name,
			TargetProviderID: server.ProviderID,
		})
	}
	return routes, nil
}

// ApplyRoutes changes one route after the other: while the network works on one, it is locked. Those that it does not take yet
// are waited for, by the host.
func (p *provider) ApplyRoutes(ctx context.Context, cluster string, remove, add []ccm.Route) ([]error, error) {
	if err := clusterLabel(cluster); err != nil {
		return nil, err
	}
	of, err := p.api.network(ctx, p.network)
	if err != nil {
		return nil, err
	}
	running, err := p.settled(ctx, resourceOfNetwork(of))
	if err != nil {
		return nil, err
	}
	change := &routeChange{p: p, of: &of, cluster: cluster, locked: running}
	outcomes := change.remove(ctx, remove)
	return append(outcomes, change.add(ctx, add)...), nil
}

// routeChange is one ApplyRoutes.
type routeChange struct {
	p       *provider
	of      *network
	cluster string
	locked  bool // no further change is taken now
}

func idOf(of networkRoute) string { return of.Destination + "-" + of.Gateway }

// gateway says where a destination leads to; empty = nowhere.
func (c *routeChange) gateway(destination string) string {
	for _, each := range *c.of.Routes {
		if each.Destination == destination {
			return each.Gateway
		}
	}
	return ""
}

// remove takes away what is there and ours, and then the marks of what is not there any more. Another route to the same
// destination may have come meanwhile.
func (c *routeChange) remove(ctx context.Context, routes []ccm.Route) []error {
	outcomes := make([]error, len(routes))
	var gone []string
	for i, route := range routes {
		there := networkRoute{route.DestinationCIDR, c.gateway(route.DestinationCIDR)}
		switch {
		case there.Gateway == "":
			gone = append(gone, route.DestinationCIDR)
		case idOf(there) != route.ID:
		case !c.of.owned(c.cluster, route.DestinationCIDR):
			outcomes[i] = ccm.NotOwned("route %s bears no mark of cluster %s", route.DestinationCIDR, c.cluster)
		default:
			outcomes[i] = c.send(ctx, "delete_route", there)
		}
	}
	if err := c.p.mark(ctx, c.of, c.cluster, nil, gone); err != nil {
		for i, route := range routes {
			if c.gateway(route.DestinationCIDR) == "" {
				outcomes[i] = err // the route is gone; its mark goes with the next try
			}
		}
	}
	return outcomes
}

// add marks first, and then makes what is missing. A destination that leads elsewhere is free when its route has gone.
func (c *routeChange) add(ctx context.Context, routes []ccm.Route) []error {
	outcomes := make([]error, len(routes))
	if len(routes) == 0 {
		return outcomes
	}
	servers, err := c.p.gateways(ctx)
	if err != nil {
		for i := range routes {
			outcomes[i] = err
		}
		return outcomes
	}
	wanted := make([]networkRoute, len(routes))
	var missing []string
	for i, route := range routes {
		wanted[i].Destination = route.DestinationCIDR
		wanted[i].Gateway, outcomes[i] = servers.gatewayOf(route)
		switch there := c.gateway(route.DestinationCIDR); {
		case outcomes[i] != nil || there == wanted[i].Gateway:
		case there == "":
			missing = append(missing, route.DestinationCIDR)
		case c.locked:
			outcomes[i] = waitingFor("add_route", route.DestinationCIDR)
		default:
			outcomes[i] = &ccm.Error{Code: ccm.CodeAborted, Class: ccm.ClassConflict,
				Message: "route " + route.DestinationCIDR + " leads to " + there + " already, not to " + wanted[i].Gateway}
		}
	}
	marked := c.p.mark(ctx, c.of, c.cluster, missing, nil)
	for i, route := range routes {
		if outcomes[i] != nil || c.gateway(route.DestinationCIDR) != "" {
			continue
		}
		if outcomes[i] = marked; marked == nil {
			outcomes[i] = c.send(ctx, "add_route", wanted[i])
		}
	}
	return outcomes
}

func waitingFor(command, destination string) error {
	return ccm.Waiting(lockedFor, "the network works on %s of %s, or on another change", command, destination)
}

// ended notes a change that the network has made already.
func (c *routeChange) ended(command string, route networkRoute) {
	left := []networkRoute{}
	for _, each := range *c.of.Routes {
		if each.Destination != route.Destination {
			left = append(left, each)
		}
	}
	if command == "add_route" {
		left = append(left, route)
	}
	c.of.Routes = &left
}

// send begins one change. Most are worked on for a while: they count as made when the network shows them.
func (c *routeChange) send(ctx context.Context, command string, route networkRoute) error {
	if c.locked {
		return waitingFor(command, route.Destination)
	}
	var answer actionAnswer
	err := c.p.api.call(ctx, operations[command], "POST", path([]any{"networks", c.of.ID, "actions", command}), route, &answer)
	if err != nil && !isCode(err, "locked") {
		return err
	}
	if err == nil && answer.Action.Status == "success" {
		c.ended(command, route)
		return nil
	}
	c.locked = true
	c.p.actions.began(resourceOfNetwork(*c.of), answer.Action)
	return waitingFor(command, route.Destination)
}

var operations = map[string]string{"add_route": "AddRouteToNetwork", "delete_route": "DeleteRouteOfNetwork"}

func resourceOfNetwork(of network) string { return path([]any{"networks", of.ID}) }

// gateways are the servers by their addresses in the network, and by provider ID and name.
type gateways struct {
	byAddress map[string]ccm.Instance
	byKey     map[string]ccm.Instance
}

func (p *provider) gateways(ctx context.Context) (found gateways, err error) {
	list, err := p.ListInstances(ctx)
	if err != nil {
		return found, err
	}
	for _, prefix := range list.UnknownPrefixes {
		if prefix == "" {
			return found, ccm.Unavailable("servers came and went while they were listed")
		}
	}
	found.byAddress, found.byKey = map[string]ccm.Instance{}, map[string]ccm.Instance{}
	for _, each := range list.Instances {
		found.byKey[each.ProviderID], found.byKey[each.Name] = each, each
		if address := internal(each); address != "" {
			found.byAddress[address] = each
		}
	}
	return found, nil
}

func internal(of ccm.Instance) string {
	for _, address := range of.Addresses {
		if address.Type == "InternalIP" {
			return address.Address
		}
	}
	return ""
}

func (g gateways) gatewayOf(route ccm.Route) (string, error) {
	if prefix, err := netip.ParsePrefix(route.DestinationCIDR); err != nil || !prefix.Addr().Is4() {
		return "", ccm.InvalidSpec("route %s: networks of Hetzner Cloud have IPv4 routes only", route.DestinationCIDR)
	}
	key := route.TargetProviderID
	if key == "" {
		key = route.TargetNode
	}
	server, known := g.byKey[key]
	if !known {
		return "", ccm.Unavailable("route %s: there is no server %s", route.DestinationCIDR, key)
	}
	if address := internal(server); address != "" {
		return address, nil
	}
	return "", ccm.Unavailable("route %s: server %s is not attached to the network", route.DestinationCIDR, server.Name)
}
