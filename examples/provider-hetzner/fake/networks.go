package fake

import (
	"errors"
	"net/http"
	"net/netip"

	"ccm/cloudcommand"
)

const mostRoutes = 100

type network struct {
	ID      int64             `json:"id"`
	Name    string            `json:"name"`
	IPRange string            `json:"ip_range"`
	Subnets []object          `json:"subnets"`
	Routes  []route           `json:"routes"`
	Labels  map[string]string `json:"labels"`

	lock int64
}

type route struct {
	Destination string `json:"destination"`
	Gateway     string `json:"gateway"`
}

func newNetwork(id int64, name string) *network {
	return &network{ID: id, Name: name, IPRange: "10.0.0.0/8", Routes: []route{}, Labels: map[string]string{},
		Subnets: []object{{"type": "cloud", "ip_range": "10.0.0.0/16", "network_zone": "eu-central", "gateway": "10.0.0.1"}}}
}

// PlantRoute makes a route of somebody else's to a server.
func (c *Cloud) PlantRoute(cidr string, to cloudcommand.Machine) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, each := range c.servers {
		if each.Name == to.Name {
			c.networks[1].Routes = append(c.networks[1].Routes, route{cidr, each.PrivateNet[0].IP})
			return nil
		}
	}
	return errors.New("there is no server " + to.Name)
}

// Routes are those of the network "cluster", by destination.
func (c *Cloud) Routes() map[string]string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	routes := map[string]string{}
	for _, each := range c.networks[1].Routes {
		routes[each.Destination] = each.Gateway
	}
	return routes
}

func (c *Cloud) routeNetworks(a *answer, path []string) {
	if len(path) == 0 {
		if a.r.Method != http.MethodGet {
			a.notAllowed()
			return
		}
		var found []any
		for _, id := range sorted(c.networks) {
			if each := c.networks[id]; a.named(each.Name) && a.labelled(each.Labels) {
				found = append(found, each)
			}
		}
		a.list("networks", found, c.MostPerPage, "name", "label_selector")
		return
	}
	of := c.networks[number(path[0])]
	switch {
	case of == nil:
		a.missing()
	case len(path) == 1 && a.r.Method == http.MethodGet:
		a.send(http.StatusOK, object{"network": of})
	case len(path) == 1 && a.r.Method == http.MethodPut:
		c.updateNetwork(a, of)
	case len(path) == 3 && path[1] == "actions" && a.r.Method == http.MethodPost:
		c.changeRoutes(a, of, path[2])
	default:
		a.missing()
	}
}

func (c *Cloud) updateNetwork(a *answer, of *network) {
	var asked struct {
		Name   *string            `json:"name"`
		Labels *map[string]string `json:"labels"`
	}
	if !a.read(&asked) {
		return
	}
	if asked.Labels != nil {
		if fault := labelsFault(*asked.Labels); fault != "" {
			a.invalid(fault)
			return
		}
		of.Labels = *asked.Labels
	}
	if asked.Name != nil {
		of.Name = *asked.Name
	}
	a.send(http.StatusOK, object{"network": of})
}

func (c *Cloud) changeRoutes(a *answer, of *network, command string) {
	if command != "add_route" && command != "delete_route" {
		a.missing()
		return
	}
	var asked route
	if !a.read(&asked) {
		return
	}
	place := -1
	for i, each := range of.Routes {
		if each.Destination == asked.Destination && (command == "add_route" || each.Gateway == asked.Gateway) {
			place = i
		}
	}
	destination, bad := netip.ParsePrefix(asked.Destination)
	gateway, worse := netip.ParseAddr(asked.Gateway)
	switch {
	case of.lock != 0:
		a.locked()
	case bad != nil || worse != nil || !destination.Addr().Is4() || destination.Masked() != destination:
		a.invalid("destination or gateway is none")
	case !netip.MustParsePrefix(of.IPRange).Contains(gateway):
		a.invalid("gateway is not in the network")
	case command == "delete_route" && place < 0:
		a.refuse(http.StatusNotFound, "not_found", "route not found")
	case command == "delete_route":
		c.begin(a, command, &of.lock, func() { of.Routes = append(of.Routes[:place:place], of.Routes[place+1:]...) }, nil)
	case place >= 0:
		a.invalid("destination is taken")
	case len(of.Routes) >= mostRoutes:
		a.refuse(http.StatusForbidden, "resource_limit_exceeded", "too many routes")
	default:
		c.begin(a, command, &of.lock, func() { of.Routes = append(of.Routes, asked) }, nil)
	}
}

// AddCertificate has one that was uploaded.
func (c *Cloud) AddCertificate(name string) int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	id := c.next()
	c.certificates[id] = name
	return id
}

func (c *Cloud) routeCertificates(a *answer, path []string) {
	if a.r.Method != http.MethodGet || len(path) > 0 {
		a.notAllowed()
		return
	}
	var found []any
	for _, id := range sorted(c.certificates) {
		if a.named(c.certificates[id]) {
			found = append(found, object{"id": id, "name": c.certificates[id], "type": "uploaded"})
		}
	}
	a.list("certificates", found, c.MostPerPage, "name", "label_selector", "type")
}
