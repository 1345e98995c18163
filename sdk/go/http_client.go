package ccm

// #include "glue.h"
import "C"

import (
	"context"
	"net/http"
	"unsafe"
)

// HTTPClientOptions are those of a client of the provider's own. Of a text and a file for the same, the text counts;
// files have absolute paths and are read again when they change. Empty = the host's choice.
type HTTPClientOptions struct {
	Name                            string // for logs: "keystone"
	CAPEM, CAFile                   string
	CertificatePEM, CertificateFile string
	KeyPEM, KeyFile                 string
	ServerName                      string // to check and to send by SNI
	Fingerprint                     string // SHA-256 of the one certificate that is trusted, in hexadecimal digits
	Insecure                        bool   // neither certificate nor name is checked; only when the user asked for it
	Proxy                           string // http://, https:// or socks5:// URL
	NoProxy                         bool   // none, whatever the environment says
	MaxConnections                  int    // to one origin
	BodyLimit                       int64  // of an answer
	Secrets                         []string
}

// HTTPClient is an http.RoundTripper with a CA, certificate or proxy of its own.
type HTTPClient struct {
	transport
	number C.uint64_t
}

var _ http.RoundTripper = (*HTTPClient)(nil)

// OpenHTTPClient makes a client; it connects nowhere yet.
func (h *Host) OpenHTTPClient(ctx context.Context, options HTTPClientOptions) (*HTTPClient, error) {
	child, end, err := h.childCtx(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	made := &HTTPClient{transport: transport{host: h}}
	handle, answer := newAnswer(func(result unsafe.Pointer) {
		var from C.ccm_http_client
		C.ccm_go_copy(result, unsafe.Pointer(&from), C.size_t(unsafe.Sizeof(from)))
		made.client, made.number = from.http, from.number
	})
	answer.unwanted = made.Close
	withArena(func(a *arena) {
		if C.ccm_go_open_client(&h.services, child, a.httpClientOptions(options), handle) == 0 {
			answer.refuse(handle, "the host has no HTTP clients of a plugin's own")
		}
	})
	if err := answer.wait(ctx); err != nil {
		return nil, err
	}
	return made, nil
}

// Close ends the client; exchanges that it has are cancelled.
func (c *HTTPClient) Close() {
	if !c.host.closed.Load() {
		C.ccm_go_close_client(&c.host.services, c.number)
	}
}

func (a *arena) httpClientOptions(from HTTPClientOptions) *C.ccm_http_client_options {
	to := sized[C.ccm_http_client_options](a)
	if from.Insecure {
		to.flags |= C.CCM_HTTP_INSECURE
	}
	if from.NoProxy {
		to.flags |= C.CCM_HTTP_NO_PROXY
	}
	to.name, to.ca_pem, to.ca_file = a.text(from.Name), a.text(from.CAPEM), a.text(from.CAFile)
	to.certificate_pem, to.certificate_file = a.text(from.CertificatePEM), a.text(from.CertificateFile)
	to.key_pem, to.key_file = a.text(from.KeyPEM), a.text(from.KeyFile)
	to.server_name, to.proxy = a.text(from.ServerName), a.text(from.Proxy)
	to.fingerprint = a.text(from.Fingerprint)
	to.max_connections, to.body_limit = C.uint32_t(from.MaxConnections), C.int64_t(from.BodyLimit)
	to.secrets, to.secret_count = a.texts(from.Secrets)
	return to
}
