package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Routes offers the routes of the cloud's network that lead pod CIDRs to Nodes.
//
// ListRoutes holds every route of the cluster's table, foreign ones included, or fails. ApplyRoutes removes, then adds,
// and answers with an error or nil for each change, removals first; it fails itself only when nothing is known of the
// outcome. To remove a route that is gone, and to add one that exists, are successes.
type Routes interface {
	ListRoutes(ctx context.Context, clusterName string) ([]Route, error)
	ApplyRoutes(ctx context.Context, clusterName string, remove, add []Route) ([]error, error)
}

// RouteLimiter says what the cloud bears.
type RouteLimiter interface {
	RouteLimits(ctx context.Context) (RouteLimits, error)
}

// Route is a route of the cloud's, or one to be added.
type Route struct {
	Owned            bool   // the provider's own mark in the cloud says that this cluster's manager made it
	Blackhole        bool   // its target does not exist any more
	ID               string // the cloud's name of it; empty for one to be added
	NameHint         string // for one to be added: unique for Node and CIDR, fit for names
	DestinationCIDR  string
	TargetNode       string // the Node's name; empty = not known
	TargetProviderID string // for one to be added; may be empty
	TargetAddresses  []NodeAddress
	Node             *Object // for one to be added; may be nil
}

// RouteLimits says what the cloud bears; 0 is the host's choice, or no limit.
type RouteLimits struct {
	UseAddresses bool // targets are addresses: a route is wrong when its Node's addresses differ
	Routes       int  // that the table holds, foreign ones included
	Batch        int  // changes that one ApplyRoutes takes at most
	Timeout      time.Duration
}

func listRoutes(p Routes, _ *operation, from *C.ccm_list_routes_request) (work, error) {
	request, err := readRequest(from, 0)
	cluster := goString(request.cluster_name)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		found, err := p.ListRoutes(ctx, cluster)
		to := sized[C.ccm_route_list](a)
		routes := array[*C.ccm_route](a, len(found))
		for i := range routes {
			routes[i] = a.route(found[i])
		}
		to.routes, to.count = first(routes), C.size_t(len(routes))
		return result(to, err)
	}, err
}

func applyRoutes(p Routes, op *operation, from *C.ccm_apply_routes_request) (work, error) {
	request, err := readRequest(from, 0)
	if err != nil {
		return nil, err
	}
	cluster := goString(request.cluster_name)
	remove, err := readParts(request.remove, request.remove_count, op.route)
	if err != nil {
		return nil, err
	}
	add, err := readParts(request.add, request.add_count, op.route)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		outcomes, err := p.ApplyRoutes(ctx, cluster, remove, add)
		to := sized[C.ccm_route_results](a)
		statuses := array[*C.ccm_status](a, len(outcomes))
		for i, outcome := range outcomes {
			statuses[i] = sized[C.ccm_status](a)
			a.fill(statuses[i], outcome)
		}
		to.statuses, to.count = first(statuses), C.size_t(len(statuses))
		return result(to, err)
	}, err
}

func routeLimits(p RouteLimiter, _ *operation, request *C.ccm_limits_request) (work, error) {
	return limits(p.RouteLimits, request, func(a *arena, from RouteLimits) *C.ccm_route_limits {
		to := sized[C.ccm_route_limits](a)
		if from.UseAddresses {
			to.flags = C.CCM_ROUTES_USE_ADDRESSES
		}
		to.routes, to.batch = C.int64_t(from.Routes), C.int64_t(from.Batch)
		to.timeout_ms = C.int64_t(from.Timeout.Milliseconds())
		return to
	})
}

func (op *operation) route(from *C.ccm_route) (to Route, err error) {
	route, err := readRequest(from, C.CCM_ROUTE_OWNED|C.CCM_ROUTE_BLACKHOLE)
	if err != nil {
		return to, err
	}
	return Route{
		Owned: route.flags&C.CCM_ROUTE_OWNED != 0, Blackhole: route.flags&C.CCM_ROUTE_BLACKHOLE != 0,
		ID: goString(route.id), NameHint: goString(route.name_hint), DestinationCIDR: goString(route.destination_cidr),
		TargetNode: goString(route.target_node), TargetProviderID: goString(route.target_provider_id),
		TargetAddresses: convert(route.target_addresses, route.target_address_count, goAddress),
		Node:            op.lease.object(route.node),
	}, nil
}

func (a *arena) route(from Route) *C.ccm_route {
	to := sized[C.ccm_route](a)
	if from.Owned {
		to.flags |= C.CCM_ROUTE_OWNED
	}
	if from.Blackhole {
		to.flags |= C.CCM_ROUTE_BLACKHOLE
	}
	to.id, to.name_hint, to.destination_cidr = a.text(from.ID), a.text(from.NameHint), a.text(from.DestinationCIDR)
	to.target_node, to.target_provider_id = a.text(from.TargetNode), a.text(from.TargetProviderID)
	to.target_addresses, to.target_address_count = a.addresses(from.TargetAddresses)
	return to
}
