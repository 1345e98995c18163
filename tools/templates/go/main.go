// The provider: which machines there are, and a load balancer for each Service that wants one. The host calls each method in a
// goroutine of its own, so it may block.
package main

import (
	"context"
	"net/http"

	"ccm"
)

type provider struct{ api api }

// The compiler says when a method misses its interface by a slip.
var (
	_ ccm.Initializer    = (*provider)(nil)
	_ ccm.InstanceLister = (*provider)(nil)
	_ ccm.LoadBalancers  = (*provider)(nil)
)

func init() {
	ccm.Register("@NAME@", func(host *ccm.Host) (*provider, error) {
		return &provider{api{host, &http.Client{Transport: host.Transport()}}}, nil
	})
}

func main() {} // never called: the host loads this as a plugin

// Initialize is called once. InvalidConfig ends the host with its message; other failures are retried.
func (p *provider) Initialize(ctx context.Context) error {
	if endpoint, _ := p.api.host.Flag("@NAME@-endpoint"); endpoint == "" {
		return ccm.InvalidConfig("--@NAME@-endpoint is missing")
	}
	_, err := p.ListInstances(ctx)
	return err
}
