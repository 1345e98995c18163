package fake

import (
	"fmt"
	"net/http"

	"ccm/cloudcommand"
)

type server struct {
	ID         int64              `json:"id"`
	Name       string             `json:"name"`
	Status     string             `json:"status"`
	PublicNet  object             `json:"public_net"`
	PrivateNet []serverPrivateNet `json:"private_net"`
	ServerType object             `json:"server_type"`
	Location   object             `json:"location"`
	Labels     map[string]string  `json:"labels"`
	public     bool
}

type serverPrivateNet struct {
	Network    int64    `json:"network"`
	IP         string   `json:"ip"`
	AliasIPs   []string `json:"alias_ips"`
	MACAddress string   `json:"mac_address"`
}

// AddServer makes a server in the network "cluster".
func (c *Cloud) AddServer(name string) int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	made := c.makeServer(name)
	c.servers = append(c.servers, made)
	return made.ID
}

// AddMachines makes servers, before the others if `first`.
func (c *Cloud) AddMachines(count int, first bool) ([]cloudcommand.Machine, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var machines []cloudcommand.Machine
	var made []*server
	for ; count > 0; count-- {
		machine := c.makeServer(fmt.Sprintf("worker-%d", c.last+1))
		made = append(made, machine)
		machines = append(machines, cloudcommand.Machine{Name: machine.Name, ProviderID: fmt.Sprintf("hcloud://%d", machine.ID)})
	}
	if first {
		c.servers = append(made, c.servers...)
	} else {
		c.servers = append(c.servers, made...)
	}
	return machines, nil
}

// RemoveMachine deletes a server; load balancers lose it, too.
func (c *Cloud) RemoveMachine(gone cloudcommand.Machine) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, each := range c.servers {
		if fmt.Sprintf("hcloud://%d", each.ID) != gone.ProviderID {
			continue
		}
		c.servers = append(c.servers[:i:i], c.servers[i+1:]...)
		for _, lb := range c.balancers {
			lb.dropTarget(each.ID)
		}
		return nil
	}
	return fmt.Errorf("there is no server %s", gone.ProviderID)
}

// SetServer changes a server: its status, and whether it has a public IPv4 address and is in the network.
func (c *Cloud) SetServer(id int64, status string, public, private bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := c.server(id)
	found.Status = status
	if found.public = public; !public {
		found.PublicNet["ipv4"] = nil
	}
	if !private {
		found.PrivateNet = []serverPrivateNet{}
	}
}

func (c *Cloud) makeServer(name string) *server {
	id := c.next()
	return &server{
		ID: id, Name: name, Status: "running", public: true,
		PublicNet: object{
			"ipv4": object{"id": id, "ip": fmt.Sprintf("192.0.%d.%d", id/250, id%250+1), "blocked": false, "dns_ptr": ""},
			"ipv6": object{"id": id, "ip": fmt.Sprintf("2001:db8:%x::/64", id), "blocked": false, "dns_ptr": []any{}},
		},
		PrivateNet: []serverPrivateNet{{1, fmt.Sprintf("10.0.%d.%d", id/250, id%250+1), []string{}, ""}},
		ServerType: object{"id": 1, "name": "cx22"},
		Location:   object{"id": 1, "name": "fsn1", "network_zone": "eu-central"},
		Labels:     map[string]string{},
	}
}

func (c *Cloud) server(id int64) *server {
	for _, each := range c.servers {
		if each.ID == id {
			return each
		}
	}
	return nil
}

func (s *server) in(network int64) bool {
	for _, each := range s.PrivateNet {
		if each.Network == network {
			return true
		}
	}
	return false
}

func (c *Cloud) routeServers(a *answer, path []string) {
	switch {
	case a.r.Method != http.MethodGet || len(path) > 1:
		a.notAllowed()
	case len(path) == 1:
		if found := c.server(number(path[0])); found != nil {
			a.send(http.StatusOK, object{"server": found})
		} else {
			a.missing()
		}
	default:
		var found []any
		for _, each := range c.servers {
			if a.named(each.Name) && a.labelled(each.Labels) {
				found = append(found, each)
			}
		}
		a.list("servers", found, c.MostPerPage, "name", "label_selector", "status")
	}
}
