package ccm

// #include "glue.h"
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"
	"time"
	"unsafe"
)

// Transport is an http.RoundTripper over the host's HTTP client: pooling, TLS, proxy, retries, the call budget of the
// credential, metrics and redacted logs are the host's, and answers that change anything are only sent by the leader.
// Requests must carry the operation's context (http.NewRequestWithContext). Bodies are read as a whole. An answer that
// did not come is an *Error; return it as it is.
func (h *Host) Transport() http.RoundTripper { return &transport{host: h} }

// HTTPOptions is what the host wants to know of a request, besides the request.
type HTTPOptions struct {
	Operation  string // for metrics and logs, from a small fixed set: "ListMachines"
	Credential string // names the call budget; empty = the plugin's only one
	ReadOnly   bool   // changes nothing that counts (a log-in, a log-out, a search by POST): sent without the Lease too
	Idempotent bool   // doing it twice is doing it once: retried like a GET
	Timeout    time.Duration
	MaxTries   int
	Secrets    []string // further texts to redact
	Replaces   string   // of a write, for a dry run: what it takes away, in words
}

type optionsKey struct{}

// WithHTTPOptions gives a context for requests with these options.
func WithHTTPOptions(ctx context.Context, options HTTPOptions) context.Context {
	return context.WithValue(ctx, optionsKey{}, options)
}

type transport struct {
	host   *Host
	client C.ccm_interface // of OpenHTTPClient; none = the host's own
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		var err error
		body, err = io.ReadAll(request.Body)
		request.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	ctx := request.Context()
	child, end, err := t.host.childCtx(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var response *http.Response
	handle, answer := newAnswer(func(result unsafe.Pointer) { response = goResponse(request, result) })
	withArena(func(a *arena) {
		if C.ccm_go_send(&t.host.services, t.client, child, a.httpRequest(request, body, t.host.services.abi_minor), handle) == 0 {
			answer.refuse(handle, "the host has no HTTP client")
		}
	})
	if err := answer.wait(ctx); err != nil {
		return nil, err
	}
	if response == nil {
		return nil, &Error{Code: CodeInternal, Message: "the host gave no response"}
	}
	return response, nil
}

func (a *arena) httpRequest(from *http.Request, body []byte, abiMinor C.uint32_t) *C.ccm_http_request {
	options, _ := from.Context().Value(optionsKey{}).(HTTPOptions)
	to := sized[C.ccm_http_request](a)
	if options.ReadOnly {
		to.flags |= C.CCM_HTTP_READ_ONLY
	}
	if options.Idempotent {
		to.flags |= C.CCM_HTTP_IDEMPOTENT
	}
	to.method, to.url = a.text(from.Method), a.text(from.URL.String())
	var headers []C.ccm_key_value
	for name, values := range from.Header {
		for _, value := range values {
			headers = append(headers, C.ccm_key_value{key: a.text(name), value: a.text(value)})
		}
	}
	copies := array[C.ccm_key_value](a, len(headers))
	copy(copies, headers)
	to.headers, to.header_count = first(copies), C.size_t(len(copies))
	to.body = a.text(string(body))
	to.operation, to.credential = a.text(options.Operation), a.text(options.Credential)
	to.timeout_ms, to.max_tries = C.uint32_t(options.Timeout.Milliseconds()), C.uint32_t(options.MaxTries)
	to.secrets, to.secret_count = a.texts(options.Secrets)
	if abiMinor >= 1 { // an older host refuses what it does not know
		to.replaces = a.text(options.Replaces)
	}
	return to
}

func goResponse(request *http.Request, result unsafe.Pointer) *http.Response {
	var from C.ccm_http_response
	C.ccm_go_copy(result, unsafe.Pointer(&from), C.size_t(unsafe.Sizeof(from)))
	header := http.Header{}
	for _, pair := range convert(from.headers, from.header_count, func(p C.ccm_key_value) C.ccm_key_value { return p }) {
		header.Add(textproto.CanonicalMIMEHeaderKey(goString(pair.key)), goString(pair.value))
	}
	body := []byte(goString(from.body))
	code := int(from.status_code)
	return &http.Response{
		Status: strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code))), StatusCode: code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: request,
	}
}
