package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"unsafe"
)

// OwnedObjects finds what the provider has made in the cloud by its own marks: for `ccmctl orphans`, `cleanup` and `doctor`.
//
// ListOwned holds each object with a mark of one of the cluster's names, or with a mark that names no cluster, or it fails; it
// writes nothing. RemoveOwned reads the marks again, leaves alone what bears another cluster's (NotOwned), and ends with
// Waiting while the cloud works. To remove what is gone is a success.
type OwnedObjects interface {
	ListOwned(ctx context.Context, cluster ClusterNames) ([]OwnedObject, error)
	RemoveOwned(ctx context.Context, cluster ClusterNames, object OwnedObject) error
}

// ClusterNames are the names of a cluster in marks: its --cluster-name and the UID of the namespace kube-system.
type ClusterNames struct {
	Names []string
	Given bool // by the user: they count, not the provider's configuration
	// For RemoveOwned: the user named the object by its id, so it goes although its mark names no cluster.
	Confirmed bool
}

// The kinds of OwnedObject; a cloud may have others.
const (
	OwnedLoadBalancer  = C.CCM_OWNED_LOAD_BALANCER
	OwnedFloatingIP    = C.CCM_OWNED_FLOATING_IP
	OwnedRoute         = C.CCM_OWNED_ROUTE
	OwnedFirewall      = C.CCM_OWNED_FIREWALL
	OwnedSecurityGroup = C.CCM_OWNED_SECURITY_GROUP
)

// OwnedObject is one that the provider has made. Without Services and Node it is for the cluster as a whole.
type OwnedObject struct {
	NoCluster       bool // its mark names no cluster, so it may be another one's
	Shared          bool // others use it, too, or somebody else made it
	Kind            string
	ID              string // unique among those of its kind
	Name            string
	Cluster         string // as its mark names it
	Address         string // for people
	Services        []OwnedService
	Node            string // of a route
	DestinationCIDR string // of a route
}

// OwnedService is a Service that an object is for; either may be empty.
type OwnedService struct {
	Name string // "NAMESPACE/NAME"
	UID  string // a mark without room for it has its beginning
}

func listOwned(p OwnedObjects, _ *operation, from *C.ccm_list_owned_request) (work, error) {
	request, err := readRequest(from, C.CCM_OWNED_CLUSTER_GIVEN)
	cluster := clusterNames(request.flags, request.clusters, request.cluster_count)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		found, err := p.ListOwned(ctx, cluster)
		to := sized[C.ccm_owned_list](a)
		objects := array[*C.ccm_owned_object](a, len(found))
		for i := range objects {
			objects[i] = a.owned(found[i])
		}
		to.objects, to.count = first(objects), C.size_t(len(objects))
		return result(to, err)
	}, err
}

func removeOwned(p OwnedObjects, _ *operation, from *C.ccm_remove_owned_request) (work, error) {
	request, err := readRequest(from, C.CCM_OWNED_CLUSTER_GIVEN|C.CCM_OWNED_OBJECT_CONFIRMED)
	if err != nil {
		return nil, err
	}
	cluster := clusterNames(request.flags, request.clusters, request.cluster_count)
	object, err := ownedObject(request.object)
	return func(ctx context.Context, _ *arena) (unsafe.Pointer, error) {
		return nil, p.RemoveOwned(ctx, cluster, object)
	}, err
}

func clusterNames(flags C.uint32_t, names *C.ccm_str, count C.size_t) ClusterNames {
	return ClusterNames{Names: goStrings(names, count), Given: flags&C.CCM_OWNED_CLUSTER_GIVEN != 0,
		Confirmed: flags&C.CCM_OWNED_OBJECT_CONFIRMED != 0}
}

func ownedObject(from *C.ccm_owned_object) (to OwnedObject, err error) {
	object, err := readRequest(from, C.CCM_OWNED_NO_CLUSTER|C.CCM_OWNED_SHARED)
	if err != nil {
		return to, err
	}
	return OwnedObject{
		NoCluster: object.flags&C.CCM_OWNED_NO_CLUSTER != 0, Shared: object.flags&C.CCM_OWNED_SHARED != 0,
		Kind: goString(object.kind), ID: goString(object.id), Name: goString(object.name), Cluster: goString(object.cluster),
		Address: goString(object.address),
		Services: convert(object.services, object.service_count, func(from C.ccm_key_value) OwnedService {
			return OwnedService{goString(from.key), goString(from.value)}
		}),
		Node: goString(object.node), DestinationCIDR: goString(object.destination_cidr),
	}, nil
}

func (a *arena) owned(from OwnedObject) *C.ccm_owned_object {
	to := sized[C.ccm_owned_object](a)
	if from.NoCluster {
		to.flags |= C.CCM_OWNED_NO_CLUSTER
	}
	if from.Shared {
		to.flags |= C.CCM_OWNED_SHARED
	}
	to.kind, to.id, to.name = a.text(from.Kind), a.text(from.ID), a.text(from.Name)
	to.cluster, to.address = a.text(from.Cluster), a.text(from.Address)
	services := array[C.ccm_key_value](a, len(from.Services))
	for i, service := range from.Services {
		services[i].key, services[i].value = a.text(service.Name), a.text(service.UID)
	}
	to.services, to.service_count = first(services), C.size_t(len(services))
	to.node, to.destination_cidr = a.text(from.Node), a.text(from.DestinationCIDR)
	return to
}
