// Package ccmtest is a host for `go test` of a provider: no process, no cluster, no sockets. It makes the component
// through the C tables of the ABI, keeps the ABI's rules, and counts what must be given back.
//
//	func TestListInstances(t *testing.T) {
//		ccmtest.SetFlag("acme-endpoint", "https://acme.example")
//		ccmtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ... }))
//		ccmtest.Begin(t, "acme") // what the package's init registered
//		outcome := ccmtest.Run("instances.list")
//		...
//	}
//
// Operations are "initialize", "shutdown", "instances.list", ".describe", ".get", "loadbalancers.ensure", ".observe",
// ".update", ".delete" and ".name", "owned.list" and ".remove"; their requests name the Node worker-1, a Service with the UID
// "uid" and one port, the cluster "prod" and the load balancer lb-1.
// For other requests call the provider's methods themselves, with context.Background(). There is one host in a process,
// with one component at a time.
package ccmtest

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -Wno-unused-parameter
// #cgo CFLAGS: -I${SRCDIR}/../../include -I${SRCDIR}/../../../../include
// #include <stdlib.h>
// #include "tables.h"
import "C"

import (
	"fmt"
	"math"
	"net/http"
	"sort"
	"sync"
	"testing"
	"time"
	"unsafe"

	"ccm"
)

// Outcome is what the plugin completed an operation with.
type Outcome struct {
	Code            ccm.Code
	Class           ccm.Class
	Reason, Message string
	RetryAfter      time.Duration
	Completions     int               // how often it did: once is right
	Instances       []ccm.Instance    // of a listing, without labels
	LoadBalancer    *ccm.LoadBalancer // of an operation on one, also beside a failure; without ports and annotations
	Owned           []ccm.OwnedObject // of owned.list

	read func(outcome *Outcome, result unsafe.Pointer)
}

type context struct {
	ended    bool
	deadline time.Time
	children []uint64
	onEnd    []*C.ccm_callback
}

var (
	mutex     sync.Mutex
	config    unsafe.Pointer // C text; nil = none
	logs      []string
	rejected  []string // of --cloud-config
	requests  []*Request
	contexts  = map[uint64]*context{}
	callbacks int // registered and not dropped
	objects   int // retained and not released
	onChange  []*C.ccm_callback
	timers    = map[uint64]*C.ccm_callback{} // by number, which grows
	outcomes  = map[uint64]*Outcome{}
	component C.ccm_component
	number    uint64
	handler   http.Handler
	flags     = map[string]unsafe.Pointer{} // C texts
	secrets   = map[string]string{}
)

// Begin makes the component of that name, which ccm.Register named. At the end of the test the component ends, all of
// the above is forgotten, and what the plugin did not give back fails the test.
func Begin(t testing.TB, name string) {
	t.Helper()
	t.Cleanup(Reset)
	outcome := Create(name)
	if outcome.Code != ccm.CodeOK || outcome.Completions != 1 {
		t.Fatalf("create of %q: %+v", name, outcome)
	}
	t.Cleanup(func() {
		Destroy()
		if n := Callbacks(); n != 0 {
			t.Errorf("%d callbacks were not dropped", n)
		}
		if n := Objects(); n != 0 {
			t.Errorf("%d references were not given back", n)
		}
	})
}

// Reset forgets everything.
func Reset() {
	mutex.Lock()
	defer mutex.Unlock()
	logs, requests, onChange, config, handler = nil, nil, nil, nil, nil
	contexts, outcomes, timers = map[uint64]*context{}, map[uint64]*Outcome{}, map[uint64]*C.ccm_callback{}
	flags, secrets = map[string]unsafe.Pointer{}, map[string]string{}
	rejected = nil
	callbacks, objects, component = 0, 0, C.ccm_component{}
	resetServices()
}

// SetFlag gives a flag, without dashes, its value.
func SetFlag(name, value string) {
	mutex.Lock()
	defer mutex.Unlock()
	flags[name] = unsafe.Pointer(C.CString(value)) // lives as long as the process: a component may hold it
}

// SetSecret gives what Host.Secret finds.
func SetSecret(name, value string) {
	mutex.Lock()
	defer mutex.Unlock()
	secrets[name] = value
}

// Create makes the component of that name, and says how that ended; Begin is for tests that want one.
func Create(name string) Outcome {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	id := begin()
	C.test_create(text, C.uint64_t(id))
	return Wait(id)
}

// Offers says whether the component hands out that interface.
func Offers(id string) bool {
	text := C.CString(id)
	defer C.free(unsafe.Pointer(text))
	return C.test_offers(&component, text) != 0
}

// Start begins an operation, such as "instances.list", with a ctx that has that many milliseconds. 0 = the component
// does not have it.
func Start(operation string, timeout time.Duration, flags uint32) (id uint64) {
	id = begin()
	mutex.Lock()
	contexts[id] = &context{deadline: time.Now().Add(timeout)}
	outcomes[id].read = readers[operation]
	mutex.Unlock()
	text := C.CString(operation)
	defer C.free(unsafe.Pointer(text))
	if C.test_operation(&component, text, C.uint64_t(id), C.uint32_t(flags), C.uint64_t(id)) == 0 {
		return 0
	}
	return id
}

// Run begins an operation and waits for its end. CodeUnimplemented, with no completion, when there is none of that name or
// the component does not have it.
func Run(operation string) Outcome { return Wait(Start(operation, time.Minute, 0)) }

func begin() uint64 {
	mutex.Lock()
	defer mutex.Unlock()
	number++
	outcomes[number] = &Outcome{}
	return number
}

// Wait waits for the completion, and ends the ctx then. CodeUnimplemented for the 0 of Start, or after Reset.
func Wait(id uint64) Outcome {
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(100 * time.Microsecond) {
		mutex.Lock()
		known := outcomes[id]
		if known == nil {
			mutex.Unlock()
			return Outcome{Code: ccm.CodeUnimplemented, Class: ccm.ClassUnsupported, Message: "no such operation was begun"}
		}
		outcome := *known
		mutex.Unlock()
		if outcome.Completions > 0 {
			End(id)
			return outcome
		}
	}
	return Outcome{Code: ccm.CodeDeadlineExceeded, Message: "never completed"}
}

// End ends the ctx of an operation, as a caller does that no longer waits.
func End(id uint64) {
	mutex.Lock()
	c := contexts[id]
	if c == nil {
		mutex.Unlock()
		return
	}
	c.ended = true
	waiting, children := c.onEnd, c.children
	c.onEnd, c.children = nil, nil
	mutex.Unlock()
	for _, child := range children {
		End(child)
	}
	run(waiting)
}

// run calls each once and drops it.
func run(list []*C.ccm_callback) {
	for _, callback := range list {
		C.test_run(callback)
		drop(callback)
	}
}

func drop(callback *C.ccm_callback) {
	C.test_drop(callback)
	mutex.Lock()
	callbacks--
	mutex.Unlock()
}

// SetConfig changes --cloud-config; the memory of the text before is gone then.
func SetConfig(text string) {
	mutex.Lock()
	old := config
	config = unsafe.Pointer(C.CString(text))
	listeners := append([]*C.ccm_callback{}, onChange...)
	mutex.Unlock()
	for _, listener := range listeners {
		C.test_run(listener)
	}
	C.free(old)
}

// Rejected are the reasons that the provider gave to Host.ConfigRejected.
func Rejected() []string { mutex.Lock(); defer mutex.Unlock(); return append([]string{}, rejected...) }

// FireTimers has all timers end that there are now, in the order in which they were made.
func FireTimers() {
	mutex.Lock()
	var due []uint64
	for id := range timers {
		due = append(due, id)
	}
	mutex.Unlock()
	sort.Slice(due, func(i, j int) bool { return due[i] < due[j] })
	for _, id := range due {
		if callback := takeTimer(id); callback != nil {
			run([]*C.ccm_callback{callback})
		}
	}
}

// takeTimer gives the callback to one caller; nil when the timer ended or was stopped.
func takeTimer(id uint64) *C.ccm_callback {
	mutex.Lock()
	defer mutex.Unlock()
	callback := timers[id]
	delete(timers, id)
	return callback
}

// Destroy ends the component, as R-51 has it: its operations have ended, its callbacks were dropped.
func Destroy() {
	mutex.Lock()
	left := onChange
	for _, callback := range timers {
		left = append(left, callback)
	}
	left = append(left, takeCallbacks()...)
	onChange, timers = nil, map[uint64]*C.ccm_callback{}
	mutex.Unlock()
	for _, callback := range left {
		drop(callback)
	}
	C.test_destroy(&component)
}

// Callbacks says how many were not dropped yet.
func Callbacks() int { mutex.Lock(); defer mutex.Unlock(); return callbacks }

// Objects says how many references the plugin holds.
func Objects() int { mutex.Lock(); defer mutex.Unlock(); return objects }

// Logs are the lines that were written.
func Logs() []string { mutex.Lock(); defer mutex.Unlock(); return append([]string{}, logs...) }

func text(s C.ccm_str) string { return C.GoStringN(s.ptr, C.int(s.len)) }

//export testCompleted
func testCompleted(id C.uint64_t, status *C.ccm_status, result unsafe.Pointer) {
	mutex.Lock()
	defer mutex.Unlock()
	outcome := outcomes[uint64(id)]
	if outcome == nil { // Reset forgot it
		return
	}
	outcome.Code, outcome.Class = ccm.Code(status.code), ccm.Class(status.error_class)
	outcome.Reason, outcome.Message = text(status.reason), text(status.message)
	outcome.RetryAfter = time.Duration(status.retry_after_ms) * time.Millisecond
	outcome.Completions++
	if contexts[uint64(id)] == nil && result != nil {
		component = *(*C.ccm_component)(result)
	}
	if outcome.read != nil && result != nil {
		outcome.read(outcome, result)
	}
}

//export testLog
func testLog(ctx C.uint64_t, record *C.ccm_log_record) {
	line := fmt.Sprintf("%d %s", int(record.level), text(record.message))
	for _, pair := range unsafe.Slice(record.pairs, int(record.pair_count)) {
		line += fmt.Sprintf(" %s=%q", text(pair.key), text(pair.value))
	}
	mutex.Lock()
	defer mutex.Unlock()
	logs = append(logs, line)
}

//export testChild
func testChild(parent C.uint64_t, timeout C.int64_t) C.uint64_t {
	mutex.Lock()
	defer mutex.Unlock()
	number++
	child := &context{}
	if timeout < math.MaxInt64 {
		child.deadline = time.Now().Add(time.Duration(timeout) * time.Millisecond)
	}
	if of := contexts[uint64(parent)]; of != nil {
		child.ended = of.ended
		of.children = append(of.children, number)
	}
	contexts[number] = child
	return C.uint64_t(number)
}

//export testCancel
func testCancel(id C.uint64_t) { End(uint64(id)) }

//export testRemaining
func testRemaining(id C.uint64_t) C.int64_t {
	mutex.Lock()
	defer mutex.Unlock()
	c := contexts[uint64(id)]
	switch {
	case c == nil || c.ended:
		return 0
	case c.deadline.IsZero():
		return math.MaxInt64
	}
	return C.int64_t(time.Until(c.deadline).Milliseconds())
}

//export testOnEnd
func testOnEnd(id C.uint64_t, callback *C.ccm_callback) C.uint64_t {
	mutex.Lock()
	defer mutex.Unlock()
	callbacks++
	contexts[uint64(id)].onEnd = append(contexts[uint64(id)].onEnd, callback)
	return 1
}

//export testFlag
func testFlag(name C.ccm_str, out *C.ccm_str) C.ccm_bool {
	mutex.Lock()
	defer mutex.Unlock()
	value := flags[text(name)]
	if value == nil {
		return 0
	}
	out.ptr, out.len = (*C.char)(value), C.size_t(len(C.GoString((*C.char)(value))))
	return 1
}

//export testSecret
func testSecret(name C.ccm_str, buffer *C.char, capacity C.size_t) C.int64_t {
	mutex.Lock()
	defer mutex.Unlock()
	value, ok := secrets[text(name)]
	if !ok {
		return -1
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(buffer)), int(capacity)), value)
	return C.int64_t(len(value))
}

//export testConfig
func testConfig(out *C.ccm_str) C.ccm_bool {
	mutex.Lock()
	defer mutex.Unlock()
	if config == nil {
		return 0
	}
	out.ptr, out.len = (*C.char)(config), C.size_t(len(C.GoString((*C.char)(config))))
	return 1
}

//export testRejected
func testRejected(reason C.ccm_str) {
	mutex.Lock()
	defer mutex.Unlock()
	rejected = append(rejected, text(reason))
}

//export testOnChange
func testOnChange(callback *C.ccm_callback) C.ccm_bool {
	mutex.Lock()
	defer mutex.Unlock()
	callbacks++
	onChange = append(onChange, callback)
	return 1
}

//export testAfter
func testAfter(_ C.int64_t, callback *C.ccm_callback) C.uint64_t {
	mutex.Lock()
	defer mutex.Unlock()
	callbacks++
	number++
	timers[number] = callback
	return C.uint64_t(number)
}

//export testCancelTimer
func testCancelTimer(id C.uint64_t) {
	if callback := takeTimer(uint64(id)); callback != nil {
		drop(callback)
	}
}

//export testRetain
func testRetain(_ C.uintptr_t, by C.int) {
	mutex.Lock()
	defer mutex.Unlock()
	objects += int(by)
}
