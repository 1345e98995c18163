package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// InstanceLister lists every instance of the cluster's account, project or region: all pages, or an error. Half a list
// would look like vanished instances.
type InstanceLister interface {
	ListInstances(ctx context.Context) (InstanceList, error)
}

// InstanceDescriber gives the instances of these Nodes, in one call to the cloud where that can be: element i is for
// nodes[i], with state Absent or Unknown where there is none.
type InstanceDescriber interface {
	DescribeInstances(ctx context.Context, nodes []NodeIdentity) ([]Instance, error)
}

// InstanceGetter gives one instance, or NotFound when it certainly does not exist.
type InstanceGetter interface {
	GetInstance(ctx context.Context, node NodeIdentity) (Instance, error)
}

// InstanceLimiter says what the cloud bears.
type InstanceLimiter interface {
	InstanceLimits(ctx context.Context) (InstanceLimits, error)
}

// InstanceState says how it is about an instance. Only Absent and Terminated ever lead to the deletion of a Node.
type InstanceState int32

// The states of ccm/abi/instances.h.
const (
	Unknown    InstanceState = C.CCM_INSTANCE_UNKNOWN    // the cloud did not say
	Running    InstanceState = C.CCM_INSTANCE_RUNNING    // exists; also while it moves or is locked
	Shutdown   InstanceState = C.CCM_INSTANCE_SHUTDOWN   // exists, but is switched off
	Terminated InstanceState = C.CCM_INSTANCE_TERMINATED // the cloud says explicitly that it was destroyed
	Absent     InstanceState = C.CCM_INSTANCE_ABSENT     // a complete answer did not contain it
	Starting   InstanceState = C.CCM_INSTANCE_STARTING   // is still being built: no Node is initialised from it yet
)

// NodeAddress is an address of a Node: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.
type NodeAddress struct {
	Type    string
	Address string
}

// Instance is an instance of the cloud.
type Instance struct {
	State      InstanceState
	ProviderID string // its own one, with one of the prefixes of plugin.json
	Name       string // equals the Node's name where the cloud keeps to that
	Type       string
	Zone       string
	Region     string
	Addresses  []NodeAddress // in the order in which the Node is to show them
	Labels     map[string]string
	OtherIDs   []string // other provider IDs under which a Node may name it
}

// InstanceList is a listing. Instances whose provider ID begins with one of UnknownPrefixes, such as those of a region
// that did not answer, are unknown and not absent, unless they are listed; an empty prefix is all instances.
type InstanceList struct {
	Instances       []Instance
	UnknownPrefixes []string
}

// NodeIdentity says which instance is meant: by provider ID when the Node has one, else by name.
type NodeIdentity struct {
	Name       string
	ProviderID string
	Node       *Object // may be nil
}

// InstanceLimits says what the cloud bears; 0 is the host's choice, or no limit.
type InstanceLimits struct {
	Timeout     time.Duration // of DescribeInstances and GetInstance
	ListTimeout time.Duration
	Batch       int // Nodes that one DescribeInstances takes at most
	Parallel    int // operations at once
}

func listInstances(p InstanceLister, _ *operation, request *C.ccm_list_instances_request) (work, error) {
	if _, err := readRequest(request, 0); err != nil {
		return nil, err
	}
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		list, err := p.ListInstances(ctx)
		return result(a.instanceList(list), err)
	}, nil
}

func describeInstances(p InstanceDescriber, op *operation, from *C.ccm_describe_instances_request) (work, error) {
	request, err := readRequest(from, 0)
	if err != nil {
		return nil, err
	}
	nodes, err := readParts(request.nodes, request.node_count, op.nodeIdentity)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		found, err := p.DescribeInstances(ctx, nodes)
		return result(a.instanceList(InstanceList{Instances: found}), err)
	}, err
}

func getInstance(p InstanceGetter, op *operation, from *C.ccm_get_instance_request) (work, error) {
	request, err := readRequest(from, 0)
	if err != nil {
		return nil, err
	}
	node, err := op.nodeIdentity(request.node)
	return func(ctx context.Context, a *arena) (unsafe.Pointer, error) {
		found, err := p.GetInstance(ctx, node)
		return result(a.instance(found), err)
	}, err
}

func instanceLimits(p InstanceLimiter, _ *operation, request *C.ccm_limits_request) (work, error) {
	return limits(p.InstanceLimits, request, func(a *arena, from InstanceLimits) *C.ccm_instance_limits {
		to := sized[C.ccm_instance_limits](a)
		to.timeout_ms = C.int64_t(from.Timeout.Milliseconds())
		to.list_timeout_ms = C.int64_t(from.ListTimeout.Milliseconds())
		to.batch, to.parallel = C.int64_t(from.Batch), C.int64_t(from.Parallel)
		return to
	})
}

// result is what goes to the host: nothing with an error.
func result[T any](made *T, err error) (unsafe.Pointer, error) {
	if err != nil {
		return nil, err
	}
	return unsafe.Pointer(made), nil
}

func (op *operation) nodeIdentity(from *C.ccm_node_identity) (to NodeIdentity, err error) {
	node, err := readRequest(from, 0)
	if err == nil {
		to = NodeIdentity{goString(node.name), goString(node.provider_id), op.lease.object(node.node)}
	}
	return to, err
}

func (a *arena) instanceList(from InstanceList) *C.ccm_instance_list {
	to := sized[C.ccm_instance_list](a)
	instances := array[*C.ccm_instance](a, len(from.Instances))
	for i := range instances {
		instances[i] = a.instance(from.Instances[i])
	}
	to.instances, to.count = first(instances), C.size_t(len(instances))
	to.unknown_prefixes, to.unknown_prefix_count = a.texts(from.UnknownPrefixes)
	return to
}

func (a *arena) instance(from Instance) *C.ccm_instance {
	to := sized[C.ccm_instance](a)
	to.state = C.int32_t(from.State)
	to.provider_id, to.name = a.text(from.ProviderID), a.text(from.Name)
	to.instance_type, to.zone, to.region = a.text(from.Type), a.text(from.Zone), a.text(from.Region)
	to.addresses, to.address_count = a.addresses(from.Addresses)
	to.labels, to.label_count = a.pairs(from.Labels)
	to.other_ids, to.other_id_count = a.texts(from.OtherIDs)
	return to
}

func (a *arena) addresses(from []NodeAddress) (*C.ccm_node_address, C.size_t) {
	to := array[C.ccm_node_address](a, len(from))
	for i, address := range from {
		to[i]._type, to[i].address = a.text(address.Type), a.text(address.Address)
	}
	return first(to), C.size_t(len(to))
}

func goAddress(from C.ccm_node_address) NodeAddress {
	return NodeAddress{goString(from._type), goString(from.address)}
}
