package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"unsafe"
)

// reader reads the request of one operation and gives what is to be done.
type reader struct {
	// has says whether a provider implements the operation.
	has func(provider any) bool
	// read is called only then.
	read func(provider any, op *operation, request unsafe.Pointer) (work, error)
}

// operations by the numbers of glue.h.
var operations = [...]reader{
	C.CCM_GO_INITIALIZE: plain(Initializer.Initialize),
	C.CCM_GO_SHUTDOWN:   plain(Shutdowner.Shutdown),

	C.CCM_GO_LIST_INSTANCES:     implement(listInstances),
	C.CCM_GO_DESCRIBE_INSTANCES: implement(describeInstances),
	C.CCM_GO_GET_INSTANCE:       implement(getInstance),
	C.CCM_GO_INSTANCE_LIMITS:    implement(instanceLimits),

	C.CCM_GO_OBSERVE:              balancer(LoadBalancerObserver.ObserveLoadBalancer),
	C.CCM_GO_ENSURE:               balancer(LoadBalancers.EnsureLoadBalancer),
	C.CCM_GO_UPDATE_BACKENDS:      balancer(BackendUpdater.UpdateLoadBalancer),
	C.CCM_GO_REMOVE:               implement(deleteLoadBalancer),
	C.CCM_GO_NAME:                 implement(loadBalancerName),
	C.CCM_GO_LANE:                 implement(loadBalancerLane),
	C.CCM_GO_LOAD_BALANCER_LIMITS: implement(loadBalancerLimits),

	C.CCM_GO_LIST_ROUTES:  implement(listRoutes),
	C.CCM_GO_APPLY_ROUTES: implement(applyRoutes),
	C.CCM_GO_ROUTE_LIMITS: implement(routeLimits),

	C.CCM_GO_LIST_OWNED:   implement(listOwned),
	C.CCM_GO_REMOVE_OWNED: implement(removeOwned),
}

// implement ties an operation to the interface of the provider and the request of the ABI that it needs.
func implement[P, Request any](read func(provider P, op *operation, request *Request) (work, error)) reader {
	return reader{
		has: func(provider any) bool {
			_, ok := provider.(P)
			return ok
		},
		read: func(provider any, op *operation, request unsafe.Pointer) (work, error) {
			return read(provider.(P), op, (*Request)(request))
		},
	}
}

// plain is an operation with an empty request and no result. All such requests have the same members.
func plain[P any](call func(provider P, ctx context.Context) error) reader {
	return implement(func(provider P, _ *operation, request *C.ccm_initialize_request) (work, error) {
		if _, err := readRequest(request, 0); err != nil {
			return nil, err
		}
		return func(ctx context.Context, _ *arena) (unsafe.Pointer, error) { return nil, call(provider, ctx) }, nil
	})
}

// limits is an operation that says what the cloud bears.
func limits[L, To any](call func(ctx context.Context) (L, error), request *C.ccm_limits_request, write func(*arena, L) *To) (work, error) {
	if _, err := readRequest(request, 0); err != nil {
		return nil, err
	}
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		found, err := call(ctx)
		if err != nil {
			return nil, err
		}
		return unsafe.Pointer(write(a, found)), nil
	}, nil
}

// functionsOf has a bit for each function that the provider implements.
func functionsOf(provider any) (functions C.uint32_t) {
	for number, operation := range operations {
		if operation.has(provider) {
			functions |= 1 << number
		}
	}
	if _, ok := provider.(ClusterIDHolder); ok {
		functions |= 1 << C.CCM_GO_HAS_CLUSTER_ID
	}
	return functions
}

// offers says whether the provider has the interface of that id; an Offerer is asked too.
func (c *component) offers(id string) bool {
	functions := c.functions
	const machines = 1<<C.CCM_GO_LIST_INSTANCES | 1<<C.CCM_GO_DESCRIBE_INSTANCES | 1<<C.CCM_GO_GET_INSTANCE
	switch id {
	case C.CCM_PROVIDER:
		return true
	case OfferInstances:
		if functions&machines == 0 {
			return false
		}
	case OfferLoadBalancers:
		if functions&(1<<C.CCM_GO_ENSURE) == 0 {
			return false
		}
	case OfferRoutes:
		if functions&(1<<C.CCM_GO_LIST_ROUTES) == 0 {
			return false
		}
	case OfferOwnedObjects:
		if functions&(1<<C.CCM_GO_LIST_OWNED) == 0 {
			return false
		}
	}
	offerer, ok := c.provider.(Offerer)
	return !ok || offerer.Offers(id)
}
