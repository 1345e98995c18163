package ccmtest

// #include <stdlib.h>
// #include "tables.h"
import "C"

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
	"unsafe"

	"ccm"
)

// Request is an HTTP request of the plugin's.
type Request struct {
	Method, URL, Body string
	Header            http.Header
	Operation         string
	ReadOnly          bool // sent by standbys too
	Idempotent        bool
	Replaces          string // of a write, in words

	ctx  uint64
	done *C.ccm_completion
}

// Serve has the handler answer all requests from now on, each in a goroutine of its own; NextRequest gets none of them.
func Serve(by http.Handler) {
	mutex.Lock()
	defer mutex.Unlock()
	handler = by
}

// NextRequest waits for an HTTP request; nil after 30 s.
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

// Answer completes it. The header may be nil.
func (r *Request) Answer(code int, header http.Header, body string) {
	var memory []unsafe.Pointer
	keep := func(pointer unsafe.Pointer) unsafe.Pointer {
		memory = append(memory, pointer)
		return pointer
	}
	str := func(text string) C.ccm_str {
		return C.ccm_str{ptr: (*C.char)(keep(unsafe.Pointer(C.CString(text)))), len: C.size_t(len(text))}
	}
	response := (*C.ccm_http_response)(keep(C.calloc(1, C.sizeof_ccm_http_response)))
	response.size, response.status_code, response.body = C.sizeof_ccm_http_response, C.uint32_t(code), str(body)
	response.headers = (*C.ccm_key_value)(keep(C.calloc(C.size_t(len(header)+1), C.sizeof_ccm_key_value)))
	pairs := unsafe.Slice(response.headers, len(header)+1)
	for name, values := range header {
		pairs[response.header_count] = C.ccm_key_value{key: str(strings.ToLower(name)), value: str(strings.Join(values, ", "))}
		response.header_count++
	}
	r.complete(&ccm.Error{}, unsafe.Pointer(response))
	for _, pointer := range memory {
		C.free(pointer)
	}
}

// Fail completes it without an answer.
func (r *Request) Fail(err *ccm.Error) { r.complete(err, nil) }

func (r *Request) complete(err *ccm.Error, result unsafe.Pointer) {
	reason, message := C.CString(err.Reason), C.CString(err.Message)
	defer C.free(unsafe.Pointer(reason))
	defer C.free(unsafe.Pointer(message))
	status := (*C.ccm_status)(C.calloc(1, C.sizeof_ccm_status))
	defer C.free(unsafe.Pointer(status))
	status.size, status.code, status.error_class = C.sizeof_ccm_status, C.int32_t(err.Code), C.int32_t(err.Class)
	status.retry_after_ms = C.int64_t(err.RetryAfter.Milliseconds())
	status.reason = C.ccm_str{ptr: reason, len: C.size_t(len(err.Reason))}
	status.message = C.ccm_str{ptr: message, len: C.size_t(len(err.Message))}
	C.test_complete(r.done, status, result)
}

// serve answers by a handler.
func (r *Request) serve(by http.Handler) {
	request := httptest.NewRequest(r.Method, r.URL, strings.NewReader(r.Body))
	request.Header = r.Header
	recorder := httptest.NewRecorder()
	by.ServeHTTP(recorder, request)
	answer := recorder.Result()
	r.Answer(answer.StatusCode, answer.Header, recorder.Body.String())
}

//export testSend
func testSend(ctx C.uint64_t, from *C.ccm_http_request, done *C.ccm_completion) {
	header := http.Header{}
	for _, pair := range unsafe.Slice(from.headers, int(from.header_count)) {
		header.Add(text(pair.key), text(pair.value))
	}
	request := &Request{Method: text(from.method), URL: text(from.url), Body: text(from.body), Header: header,
		Operation: text(from.operation), ReadOnly: from.flags&C.CCM_HTTP_READ_ONLY != 0,
		Idempotent: from.flags&C.CCM_HTTP_IDEMPOTENT != 0, Replaces: text(from.replaces), ctx: uint64(ctx), done: done}
	mutex.Lock()
	defer mutex.Unlock()
	if handler != nil {
		go request.serve(handler)
		return
	}
	requests = append(requests, request)
}
