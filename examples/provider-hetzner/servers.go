package main

import (
	"context"
	"net/netip"
	"strconv"
	"strings"

	"ccm"
)

const (
	idPrefix = "hcloud://"
	// The prefix that hcloud-cloud-controller-manager once gave to dedicated servers, of which this API knows nothing.
	dedicatedPrefix = "hcloud://bm-"
)

type server struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	PublicNet struct {
		IPv4 *struct {
			IP string `json:"ip"`
		} `json:"ipv4"`
		IPv6 *struct {
			IP string `json:"ip"` // a network, 2001:db8:1234::/64
		} `json:"ipv6"`
	} `json:"public_net"`
	PrivateNet []struct {
		Network int64  `json:"network"`
		IP      string `json:"ip"`
	} `json:"private_net"`
	ServerType struct {
		Name string `json:"name"`
	} `json:"server_type"`
	Location struct {
		Name string `json:"name"`
	} `json:"location"`
}

type serverPage struct {
	listing
	Servers *[]server `json:"servers"`
}

// serverPage gives one page of all servers. By id, so that new ones come last.
func (c *client) serverPage(ctx context.Context, number, size int) (serverPage, error) {
	var page serverPage
	err := c.call(ctx, "ListServers", "GET",
		path([]any{"servers"}, "page", strconv.Itoa(number), "per_page", strconv.Itoa(size), "sort", "id:asc"), nil, &page)
	if err == nil && (page.Servers == nil || page.Meta.Pagination == nil || page.Meta.Pagination.TotalEntries == nil) {
		err = ccm.Unavailable("ListServers: the answer has no list of servers")
	}
	return page, err
}

// ListInstances gives all servers of the project.
func (p *provider) ListInstances(ctx context.Context) (ccm.InstanceList, error) {
	list, err := ccm.ListSteadily(func() ([]ccm.InstancePage, error) {
		var pages []ccm.InstancePage
		for number := 1; ; number++ {
			read, err := p.api.serverPage(ctx, number, pageSize)
			if err != nil {
				return nil, err
			}
			page := ccm.InstancePage{Total: *read.Meta.Pagination.TotalEntries}
			for _, found := range *read.Servers {
				page.Instances = append(page.Instances, p.instance(found))
			}
			pages = append(pages, page)
			if read.Meta.Pagination.NextPage == nil {
				return pages, nil
			}
		}
	})
	list.UnknownPrefixes = append(list.UnknownPrefixes, dedicatedPrefix)
	return list, err
}

// GetInstance asks for one server: the host does so before it deletes a Node.
func (p *provider) GetInstance(ctx context.Context, node ccm.NodeIdentity) (ccm.Instance, error) {
	if node.ProviderID == "" {
		return p.instanceNamed(ctx, node.Name)
	}
	if strings.HasPrefix(node.ProviderID, dedicatedPrefix) {
		return ccm.Instance{State: ccm.Unknown, ProviderID: node.ProviderID, Name: node.Name}, nil
	}
	id, ok := serverID(node.ProviderID)
	if !ok {
		return ccm.Instance{}, &ccm.Error{Code: ccm.CodeInvalidArgument, Message: "the provider ID " + node.ProviderID + " is not hcloud:// and a number"}
	}
	var answer struct {
		Server *server `json:"server"`
	}
	err := p.api.call(ctx, "GetServer", "GET", path([]any{"servers", id}), nil, &answer)
	switch {
	case isCode(err, "not_found"): // the API's own word, and not that of a wrong path
		return ccm.Instance{}, ccm.NotFound("there is no server %d", id)
	case err != nil:
		return ccm.Instance{}, err
	case answer.Server == nil || answer.Server.ID != id:
		return ccm.Instance{}, ccm.Unavailable("GetServer: the answer has no server %d", id)
	}
	return p.instance(*answer.Server), nil
}

func (p *provider) instanceNamed(ctx context.Context, name string) (ccm.Instance, error) {
	var answer serverPage
	if err := p.api.call(ctx, "GetServerByName", "GET", path([]any{"servers"}, "name", name), nil, &answer); err != nil {
		return ccm.Instance{}, err
	}
	if answer.Servers == nil {
		return ccm.Instance{}, ccm.Unavailable("GetServerByName: the answer has no list of servers")
	}
	for _, found := range *answer.Servers {
		if found.Name == name {
			return p.instance(found), nil
		}
	}
	return ccm.Instance{}, ccm.NotFound("there is no server named %s", name)
}

func serverID(providerID string) (int64, bool) {
	text := strings.TrimPrefix(providerID, idPrefix)
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id > 0 && text != providerID
}

func (p *provider) instance(from server) ccm.Instance {
	to := ccm.Instance{
		State:      stateOf(from.Status),
		ProviderID: idPrefix + strconv.FormatInt(from.ID, 10),
		Name:       from.Name,
		Type:       from.ServerType.Name,
		Region:     from.Location.Name,
		Addresses:  p.addresses(from),
		Labels:     map[string]string{"instance.hetzner.cloud/provided-by": "cloud"},
	}
	if p.settings.zoneLabel {
		to.Zone = zoneOf(from.Location.Name)
	}
	return to
}

func stateOf(status string) ccm.InstanceState {
	switch status {
	case "running", "starting", "stopping", "migrating", "rebuilding", "deleting":
		return ccm.Running // it exists; one that is deleted is absent soon
	case "off":
		return ccm.Shutdown
	case "initializing":
		return ccm.Starting
	}
	return ccm.Unknown
}

// zoneOf gives the data centre that a location had while the API told of data centres: Nodes of older clusters have its name.
func zoneOf(location string) string {
	dataCentres := map[string]string{
		"nbg1": "nbg1-dc3", "hel1": "hel1-dc2", "fsn1": "fsn1-dc14", "ash": "ash-dc1", "hil": "hil-dc1", "sin": "sin-dc1",
	}
	if known, ok := dataCentres[location]; ok {
		return known
	}
	return location
}

func (p *provider) addresses(from server) []ccm.NodeAddress {
	addresses := []ccm.NodeAddress{{Type: "Hostname", Address: from.Name}}
	family := p.settings.addressFamily
	if v4 := from.PublicNet.IPv4; v4 != nil && v4.IP != "" && family != "ipv6" {
		addresses = append(addresses, ccm.NodeAddress{Type: "ExternalIP", Address: v4.IP})
	}
	if v6 := from.PublicNet.IPv6; v6 != nil && family != "ipv4" {
		if network, err := netip.ParsePrefix(v6.IP); err == nil { // the server has the first address of its network
			addresses = append(addresses, ccm.NodeAddress{Type: "ExternalIP", Address: network.Masked().Addr().Next().String()})
		}
	}
	for _, private := range from.PrivateNet {
		if p.network != 0 && private.Network == p.network {
			addresses = append(addresses, ccm.NodeAddress{Type: "InternalIP", Address: private.IP})
		}
	}
	return addresses
}
