// A provider for Hetzner Cloud: servers, load balancers, and routes in a network.
package main

import (
	"context"
	"net/http"

	"ccm"
)

type provider struct {
	host     *ccm.Host
	api      *client
	settings settings
	network  int64 // 0 = none
	actions  actions
}

// The compiler says when a method misses its interface by a slip.
var (
	_ ccm.Initializer          = (*provider)(nil)
	_ ccm.Offerer              = (*provider)(nil)
	_ ccm.InstanceLister       = (*provider)(nil)
	_ ccm.InstanceGetter       = (*provider)(nil)
	_ ccm.LoadBalancers        = (*provider)(nil)
	_ ccm.LoadBalancerObserver = (*provider)(nil)
	_ ccm.BackendUpdater       = (*provider)(nil)
	_ ccm.LoadBalancerNamer    = (*provider)(nil)
	_ ccm.Routes               = (*provider)(nil)
	_ ccm.RouteLimiter         = (*provider)(nil)
)

func init() { ccm.Register("hcloud", newProvider) }

func main() {} // never called: the host loads this as a plugin

func newProvider(host *ccm.Host) (*provider, error) {
	found, err := readSettings(host)
	if err != nil {
		return nil, err
	}
	api := &client{host: host, http: &http.Client{Transport: host.Transport()}, endpoint: found.endpoint}
	return &provider{host: host, api: api, settings: found}, nil
}

// Initialize finds the network, and asks for one server, so that a credential which may not read them shows at once.
func (p *provider) Initialize(ctx context.Context) error {
	if token, ok := p.host.Secret("HCLOUD_TOKEN"); !ok || token == "" {
		return ccm.InvalidConfig("no token: set HCLOUD_TOKEN, or HCLOUD_TOKEN_FILE to the path of a file that has it")
	}
	if _, err := p.api.serverPage(ctx, 1, 1); err != nil {
		return err
	}
	if p.settings.network == "" {
		return nil
	}
	found, err := p.api.findNetwork(ctx, p.settings.network)
	p.network = found
	return err
}

// Offers leaves out what the settings leave out.
func (p *provider) Offers(id string) bool {
	switch id {
	case ccm.OfferLoadBalancers:
		return p.settings.balancers.enabled
	case ccm.OfferRoutes:
		return p.settings.routes && p.settings.network != ""
	}
	return true
}
