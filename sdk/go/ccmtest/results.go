package ccmtest

// #include "tables.h"
import "C"

import (
	"time"
	"unsafe"

	"ccm"
)

// readers read the results of operations while they live.
var readers = map[string]func(*Outcome, unsafe.Pointer){
	"instances.list":        readList,
	"instances.describe":    readList,
	"instances.get":         readInstance,
	"loadbalancers.ensure":  readLoadBalancer,
	"loadbalancers.observe": readLoadBalancer,
	"loadbalancers.update":  readLoadBalancer,
	"owned.list":            readOwned,
}

func readList(outcome *Outcome, result unsafe.Pointer) {
	list := (*C.ccm_instance_list)(result)
	for _, listed := range unsafe.Slice(list.instances, int(list.count)) {
		outcome.Instances = append(outcome.Instances, instance(listed))
	}
}

func readInstance(outcome *Outcome, result unsafe.Pointer) {
	outcome.Instances = []ccm.Instance{instance((*C.ccm_instance)(result))}
}

func instance(from *C.ccm_instance) ccm.Instance {
	to := ccm.Instance{State: ccm.InstanceState(from.state), ProviderID: text(from.provider_id), Name: text(from.name),
		Type: text(from.instance_type), Zone: text(from.zone), Region: text(from.region)}
	for _, address := range unsafe.Slice(from.addresses, int(from.address_count)) {
		to.Addresses = append(to.Addresses, ccm.NodeAddress{Type: text(address._type), Address: text(address.address)})
	}
	for _, id := range unsafe.Slice(from.other_ids, int(from.other_id_count)) {
		to.OtherIDs = append(to.OtherIDs, text(id))
	}
	return to
}

func readLoadBalancer(outcome *Outcome, result unsafe.Pointer) {
	from := (*C.ccm_load_balancer)(result)
	to := &ccm.LoadBalancer{State: ccm.LoadBalancerState(from.state), ID: text(from.id), Name: text(from.name),
		RetryAfter: time.Duration(from.retry_after_ms) * time.Millisecond, Difference: text(from.difference),
		NoMembers: text(from.no_members)}
	for _, label := range unsafe.Slice(from.node_labels, int(from.node_label_count)) {
		to.NodeLabels = append(to.NodeLabels, text(label))
	}
	for _, way := range unsafe.Slice(from.ingress, int(from.ingress_count)) {
		to.Ingress = append(to.Ingress, ccm.Ingress{IP: text(way.ip), Hostname: text(way.hostname), IPMode: text(way.ip_mode)})
	}
	outcome.LoadBalancer = to
}
