package ccm

// #include "glue.h"
import "C"

import "context"

// Initializer reads the configuration and logs in; it writes nothing to the cloud. It comes first, also on a standby,
// and is repeated with back-off until it succeeds; InvalidConfig ends the host instead.
type Initializer interface {
	Initialize(ctx context.Context) error
}

// Shutdowner logs out, in 5 s at most: its call is the last operation, when all controllers are gone. It is left out
// when Initialize never succeeded. The Lease was given back by then: a request other than a GET is refused, unless its
// HTTPOptions say ReadOnly, which is right for a log-out.
type Shutdowner interface {
	Shutdown(ctx context.Context) error
}

// ClusterIDHolder says whether resources carry the cluster's id; without one --allow-untagged-cloud is needed. It must
// return at once.
type ClusterIDHolder interface {
	HasClusterID() bool
}

// Offerer is asked after Initialize, for each of the Offer... ids that its methods allow, whether this cloud has it. It
// must return at once.
type Offerer interface {
	Offers(id string) bool
}

// The ids that Offerer is asked about; the same ids stand in plugin.json.
const (
	OfferInstances     = C.CCM_CLOUD_INSTANCES
	OfferLoadBalancers = C.CCM_CLOUD_LOADBALANCERS
	OfferRoutes        = C.CCM_CLOUD_ROUTES
	OfferOwnedObjects  = C.CCM_CLOUD_OWNED
)
