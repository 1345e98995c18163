// Package testhost is a host for the tests of sdk/go: it calls the plugin through the C tables of the ABI, keeps its
// rules, and counts what must be given back. One at a time; it has one component at most.
package testhost

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -Wno-unused-parameter -I${SRCDIR}/../../../include
// #include <stdlib.h>
// #include "testhost.h"
import "C"

import (
	"fmt"
	"math"
	"sync"
	"time"
	"unsafe"
)

// Outcome is what the plugin completed an operation with.
type Outcome struct {
	Code, Class     int
	Reason, Message string
	RetryAfterMs    int64
	Completions     int      // how often it did
	Names           []string // of instances, of the load balancer
	Result          bool     // there was one

	names func(result unsafe.Pointer) []string
}

// Request is an HTTP request of the plugin's.
type Request struct {
	Method, URL, Body, Operation string
	Headers                      map[string]string
	Flags                        uint32
	ctx                          uint64
	done                         *C.ccm_completion
}

type context struct {
	ended    bool
	deadline time.Time
	children []uint64
	onEnd    []*C.ccm_callback
}

type timer struct {
	callback *C.ccm_callback
	live     bool
}

var (
	mutex     sync.Mutex
	config    unsafe.Pointer // C text; nil = none
	logs      []string
	requests  []*Request
	contexts  map[uint64]*context
	callbacks int // registered and not dropped
	objects   int // retained and not released
	onChange  []*C.ccm_callback
	timers    []*timer
	outcomes  map[uint64]*Outcome
	component C.ccm_component
	number    uint64
)

// Reset forgets everything.
func Reset() {
	mutex.Lock()
	defer mutex.Unlock()
	logs, requests, onChange, timers, config = nil, nil, nil, nil, nil
	contexts, outcomes = map[uint64]*context{}, map[uint64]*Outcome{}
	callbacks, objects, component = 0, 0, C.ccm_component{}
}

// Create makes the component of that name.
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
	mutex.Unlock()
	if operation == "instances.list" || operation == "instances.describe" {
		outcomes[id].names = instanceNames
	}
	text := C.CString(operation)
	defer C.free(unsafe.Pointer(text))
	if C.test_operation(&component, text, C.uint64_t(id), C.uint32_t(flags), C.uint64_t(id)) == 0 {
		return 0
	}
	return id
}

// Run begins an operation and waits for its end.
func Run(operation string) Outcome { return Wait(Start(operation, time.Minute, 0)) }

func begin() uint64 {
	mutex.Lock()
	defer mutex.Unlock()
	number++
	outcomes[number] = &Outcome{}
	return number
}

// Wait waits for the completion, and ends the ctx then.
func Wait(id uint64) Outcome {
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(100 * time.Microsecond) {
		mutex.Lock()
		outcome := *outcomes[id]
		mutex.Unlock()
		if outcome.Completions > 0 {
			End(id)
			return outcome
		}
	}
	return Outcome{Message: "never completed"}
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

// FireTimers has all timers end.
func FireTimers() {
	mutex.Lock()
	due := timers
	timers = nil
	mutex.Unlock()
	for _, t := range due {
		if t.live {
			run([]*C.ccm_callback{t.callback})
		}
	}
}

// Destroy ends the component, as R-51 has it: its operations have ended, its callbacks were dropped.
func Destroy() {
	mutex.Lock()
	left := onChange
	for _, t := range timers {
		if t.live {
			left = append(left, t.callback)
		}
	}
	onChange, timers = nil, nil
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

// NextRequest waits for an HTTP request.
func NextRequest() *Request {
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(100 * time.Microsecond) {
		mutex.Lock()
		if len(requests) > 0 {
			request := requests[0]
			requests = requests[1:]
			mutex.Unlock()
			return request
		}
		mutex.Unlock()
	}
	return nil
}

// Ended says whether the ctx of the request has ended.
func (r *Request) Ended() bool { return testRemaining(C.uint64_t(r.ctx)) <= 0 }

// Answer completes it.
func (r *Request) Answer(code int, body string) {
	text, name, value := C.CString(body), C.CString("content-type"), C.CString("text/plain")
	header := (*C.ccm_key_value)(C.calloc(1, C.sizeof_ccm_key_value))
	header.key, header.value = C.ccm_str{ptr: name, len: 12}, C.ccm_str{ptr: value, len: 10}
	response := (*C.ccm_http_response)(C.calloc(1, C.sizeof_ccm_http_response))
	response.size, response.status_code = C.sizeof_ccm_http_response, C.uint32_t(code)
	response.headers, response.header_count = header, 1
	response.body = C.ccm_str{ptr: text, len: C.size_t(len(body))}
	status := C.ccm_status{size: C.sizeof_ccm_status}
	C.test_complete(r.done, &status, unsafe.Pointer(response))
	for _, memory := range []*C.char{text, name, value, (*C.char)(unsafe.Pointer(header)), (*C.char)(unsafe.Pointer(response))} {
		C.free(unsafe.Pointer(memory))
	}
}

// Fail completes it without an answer.
func (r *Request) Fail(code, class int, reason string) {
	text := C.CString(reason)
	defer C.free(unsafe.Pointer(text))
	status := (*C.ccm_status)(C.calloc(1, C.sizeof_ccm_status))
	defer C.free(unsafe.Pointer(status))
	status.size, status.code, status.error_class = C.sizeof_ccm_status, C.int32_t(code), C.int32_t(class)
	status.reason = C.ccm_str{ptr: text, len: C.size_t(len(reason))}
	C.test_complete(r.done, status, nil)
}

func instanceNames(result unsafe.Pointer) (names []string) {
	list := (*C.ccm_instance_list)(result)
	for _, instance := range unsafe.Slice(list.instances, int(list.count)) {
		names = append(names, text(instance.name))
	}
	return names
}

func text(s C.ccm_str) string { return C.GoStringN(s.ptr, C.int(s.len)) }

//export testCompleted
func testCompleted(id C.uint64_t, status *C.ccm_status, result unsafe.Pointer) {
	mutex.Lock()
	defer mutex.Unlock()
	outcome := outcomes[uint64(id)]
	outcome.Code, outcome.Class = int(status.code), int(status.error_class)
	outcome.Reason, outcome.Message = text(status.reason), text(status.message)
	outcome.RetryAfterMs = int64(status.retry_after_ms)
	outcome.Result = result != nil
	outcome.Completions++
	if contexts[uint64(id)] == nil && result != nil {
		component = *(*C.ccm_component)(result)
	}
	if outcome.names != nil && result != nil && status.code == 0 {
		outcome.Names = outcome.names(result)
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
	timers = append(timers, &timer{callback, true})
	return C.uint64_t(len(timers))
}

//export testCancelTimer
func testCancelTimer(id C.uint64_t) {
	mutex.Lock()
	t := timers[id-1]
	live := t.live
	t.live = false
	mutex.Unlock()
	if live {
		drop(t.callback)
	}
}

//export testSend
func testSend(ctx C.uint64_t, from *C.ccm_http_request, done *C.ccm_completion) {
	headers := map[string]string{}
	for _, pair := range unsafe.Slice(from.headers, int(from.header_count)) {
		headers[text(pair.key)] = text(pair.value)
	}
	mutex.Lock()
	defer mutex.Unlock()
	requests = append(requests, &Request{text(from.method), text(from.url), text(from.body), text(from.operation),
		headers, uint32(from.flags), uint64(ctx), done})
}

//export testRetain
func testRetain(_ C.uintptr_t, by C.int) {
	mutex.Lock()
	defer mutex.Unlock()
	objects += int(by)
}
