package ccmtest

// #include <stdlib.h>
// #include "tables.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"ccm"
)

// fileWatch is one of Host.WatchFile.
type fileWatch struct {
	path     string
	callback *C.ccm_callback
}

var (
	files       = map[string]string{}
	watches     = map[uint64]fileWatch{}
	metrics     []string // their names; the number of one is its place, from 1
	series      = map[string]float64{}
	counters    = map[string]bool{}
	events      []string
	hints       []ccm.Hint
	leads       = true
	transitions uint64
	onLeading   []*C.ccm_callback
	clusterUID  unsafe.Pointer // C text; nil = the manager may not read it
)

func resetServices() {
	files, watches, series = map[string]string{}, map[uint64]fileWatch{}, map[string]float64{}
	clusterUID = nil
	metrics, counters, events, hints, onLeading, leads, transitions = nil, map[string]bool{}, nil, nil, nil, true, 0
}

// SetFile gives what Host.ReadFile finds at that path, and tells those who watch it.
func SetFile(path, content string) {
	mutex.Lock()
	files[path] = content
	var listeners []*C.ccm_callback
	for _, watch := range watches {
		if watch.path == path {
			listeners = append(listeners, watch.callback)
		}
	}
	mutex.Unlock()
	for _, callback := range listeners {
		C.test_run(callback)
	}
}

// SetClusterUID gives what Host.ClusterUID finds; without it the manager may not read the namespace.
func SetClusterUID(uid string) {
	mutex.Lock()
	defer mutex.Unlock()
	clusterUID = unsafe.Pointer(C.CString(uid))
}

//export testClusterUID
func testClusterUID(out *C.ccm_str) C.ccm_bool {
	mutex.Lock()
	defer mutex.Unlock()
	if clusterUID == nil {
		return 0
	}
	out.ptr, out.len = (*C.char)(clusterUID), C.size_t(len(C.GoString((*C.char)(clusterUID))))
	return 1
}

// SetLeading takes the Lease away, or gives it back, and tells those who want to know.
func SetLeading(leading bool) {
	mutex.Lock()
	leads = leading
	transitions++
	listeners := append([]*C.ccm_callback{}, onLeading...)
	mutex.Unlock()
	for _, callback := range listeners {
		C.test_run(callback)
	}
}

// Metrics are the values of all series, by name and labels: `acme_calls{"list","200"}`. Of a histogram it is the last one.
func Metrics() map[string]float64 {
	mutex.Lock()
	defer mutex.Unlock()
	found := map[string]float64{}
	for name, value := range series {
		found[name] = value
	}
	return found
}

// Events are those that were recorded: "Warning NoMembers: no Node has an IPv4 address".
func Events() []string { mutex.Lock(); defer mutex.Unlock(); return append([]string{}, events...) }

// Hints are those that the provider gave.
func Hints() []ccm.Hint { mutex.Lock(); defer mutex.Unlock(); return append([]ccm.Hint{}, hints...) }

// takeCallbacks gives all that live as long as the component. The mutex is held.
func takeCallbacks() []*C.ccm_callback {
	left := onLeading
	for _, watch := range watches {
		left = append(left, watch.callback)
	}
	onLeading, watches = nil, map[uint64]fileWatch{}
	return left
}

//export testReadFile
func testReadFile(path C.ccm_str, done *C.ccm_completion) {
	mutex.Lock()
	content, ok := files[text(path)]
	mutex.Unlock()
	status, file := C.ccm_status{size: C.sizeof_ccm_status}, (*C.ccm_file)(C.calloc(1, C.sizeof_ccm_file))
	defer C.free(unsafe.Pointer(file))
	if !ok {
		status.code = C.CCM_CODE_NOT_FOUND
		C.test_complete(done, &status, nil)
		return
	}
	file.size = C.sizeof_ccm_file
	file.bytes.ptr, file.bytes.len = C.CString(content), C.size_t(len(content))
	defer C.free(unsafe.Pointer(file.bytes.ptr))
	C.test_complete(done, &status, unsafe.Pointer(file))
}

//export testWatch
func testWatch(path C.ccm_str, callback *C.ccm_callback) C.uint64_t {
	mutex.Lock()
	defer mutex.Unlock()
	callbacks++
	number++
	watches[number] = fileWatch{text(path), callback}
	return C.uint64_t(number)
}

//export testUnwatch
func testUnwatch(id C.uint64_t) {
	mutex.Lock()
	watch, ok := watches[uint64(id)]
	delete(watches, uint64(id))
	mutex.Unlock()
	if ok {
		drop(watch.callback)
	}
}

//export testDefine
func testDefine(metric *C.ccm_metric) C.uint64_t {
	mutex.Lock()
	defer mutex.Unlock()
	name := text(metric.name)
	for _, known := range metrics {
		if known == name {
			return 0 // taken
		}
	}
	metrics = append(metrics, name)
	counters[name] = metric.kind == C.CCM_METRIC_COUNTER
	return C.uint64_t(len(metrics))
}

//export testRecord
func testRecord(id C.uint64_t, values *C.ccm_str, count C.size_t, value C.double) {
	mutex.Lock()
	defer mutex.Unlock()
	name := metrics[id-1]
	var labels []string
	for _, label := range unsafe.Slice(values, int(count)) {
		labels = append(labels, fmt.Sprintf("%q", text(label)))
	}
	key := name
	if len(labels) > 0 {
		key += "{" + strings.Join(labels, ",") + "}"
	}
	if counters[name] {
		series[key] += float64(value)
	} else {
		series[key] = float64(value)
	}
}

//export testEvent
func testEvent(event *C.ccm_event) {
	kind := "Normal"
	if event.flags&C.CCM_EVENT_IS_WARNING != 0 {
		kind = "Warning"
	}
	mutex.Lock()
	defer mutex.Unlock()
	events = append(events, fmt.Sprintf("%s %s: %s", kind, text(event.reason), text(event.message)))
}

//export testHint
func testHint(from *C.ccm_hint) {
	mutex.Lock()
	defer mutex.Unlock()
	hints = append(hints, ccm.Hint{LoadBalancer: from.kind == C.CCM_HINT_LOAD_BALANCER, Name: text(from.name),
		Namespace: text(from.namespace_), UID: text(from.uid), ProviderID: text(from.provider_id), ID: text(from.id)})
}

//export testLeading
func testLeading() C.ccm_bool {
	mutex.Lock()
	defer mutex.Unlock()
	if leads {
		return 1
	}
	return 0
}

//export testTransitions
func testTransitions() C.uint64_t { mutex.Lock(); defer mutex.Unlock(); return C.uint64_t(transitions) }

//export testOnLeading
func testOnLeading(callback *C.ccm_callback) C.ccm_bool {
	mutex.Lock()
	defer mutex.Unlock()
	callbacks++
	onLeading = append(onLeading, callback)
	return 1
}

func readOwned(outcome *Outcome, result unsafe.Pointer) {
	list := (*C.ccm_owned_list)(result)
	for _, from := range unsafe.Slice(list.objects, int(list.count)) {
		to := ccm.OwnedObject{NoCluster: from.flags&C.CCM_OWNED_NO_CLUSTER != 0, Shared: from.flags&C.CCM_OWNED_SHARED != 0,
			Kind: text(from.kind), ID: text(from.id), Name: text(from.name), Cluster: text(from.cluster),
			Address: text(from.address), Node: text(from.node), DestinationCIDR: text(from.destination_cidr)}
		for _, pair := range unsafe.Slice(from.services, int(from.service_count)) {
			to.Services = append(to.Services, ccm.OwnedService{Name: text(pair.key), UID: text(pair.value)})
		}
		outcome.Owned = append(outcome.Owned, to)
	}
}
