package fake

import (
	"fmt"
	"net/http"
)

type balancer struct {
	ID         int64             `json:"id"`
	Name       string            `json:"name"`
	PublicNet  publicNet         `json:"public_net"`
	PrivateNet []balancerNet     `json:"private_net"`
	Location   object            `json:"location"`
	Type       balancerType      `json:"load_balancer_type"`
	Protection object            `json:"protection"`
	Labels     map[string]string `json:"labels"`
	Services   []service         `json:"services"`
	Targets    []target          `json:"targets"`
	Algorithm  algorithm         `json:"algorithm"`

	lock int64
}

type publicNet struct {
	Enabled bool          `json:"enabled"`
	IPv4    publicAddress `json:"ipv4"`
	IPv6    publicAddress `json:"ipv6"`
}

type publicAddress struct {
	IP     string `json:"ip"`
	DNSPtr string `json:"dns_ptr"`
}

type balancerNet struct {
	Network int64  `json:"network"`
	IP      string `json:"ip"`
}

type algorithm struct {
	Type string `json:"type"`
}

type balancerType struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	MaxServices int    `json:"max_services"`
	MaxTargets  int    `json:"max_targets"`
}

var balancerTypes = map[string]balancerType{
	"lb11": {1, "lb11", 5, 25}, "lb21": {2, "lb21", 15, 75}, "lb31": {3, "lb31", 30, 150},
}

var networkZones = map[string]string{"fsn1": "eu-central", "nbg1": "eu-central", "hel1": "eu-central", "ash": "us-east", "hil": "us-west"}

// creation is the body of POST /load_balancers.
type creation struct {
	Name            string            `json:"name"`
	Type            string            `json:"load_balancer_type"`
	Algorithm       *algorithm        `json:"algorithm"`
	Location        string            `json:"location"`
	NetworkZone     string            `json:"network_zone"`
	Labels          map[string]string `json:"labels"`
	Services        []service         `json:"services"`
	Targets         []target          `json:"targets"`
	PublicInterface *bool             `json:"public_interface"`
	Network         int64             `json:"network"`
}

// Balancers are copies of all load balancers, by id.
func (c *Cloud) Balancers() []Balancer {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var all []Balancer
	for _, id := range sorted(c.balancers) {
		lb := c.balancers[id]
		balancer := Balancer{ID: id, Name: lb.Name, Type: lb.Type.Name, Algorithm: lb.Algorithm.Type, IPv4: lb.PublicNet.IPv4.IP, Public: lb.PublicNet.Enabled,
			RDNS: lb.PublicNet.IPv4.DNSPtr}
		for _, each := range lb.Targets {
			balancer.Targets = append(balancer.Targets, each.Server.ID)
			balancer.Private = balancer.Private || each.UsePrivateIP
		}
		for _, each := range lb.Services {
			balancer.Ports = append(balancer.Ports, each.ListenPort)
			balancer.Protocol, balancer.Check = each.Protocol, each.HealthCheck.Protocol
			if each.HTTP != nil {
				balancer.Certificates = each.HTTP.Certificates
			}
		}
		all = append(all, balancer)
	}
	return all
}

// Balancer is what a test wants to know of a load balancer.
type Balancer struct {
	ID                    int64
	Name, Type, Algorithm string
	IPv4, RDNS            string
	Public, Private       bool
	Targets, Certificates []int64
	Ports                 []int
	Protocol, Check       string // of the last service
}

// PlantLoadBalancer makes one of somebody else's.
func (c *Cloud) PlantLoadBalancer() (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	made := c.newBalancer(creation{Name: fmt.Sprint("theirs-", len(c.balancers)), Labels: map[string]string{"theirs": "yes"}, Location: "fsn1"}, balancerTypes["lb11"])
	c.addressOf(made)
	return fmt.Sprint(made.ID), nil
}

// RemoveLoadBalancer deletes one.
func (c *Cloud) RemoveLoadBalancer(id string) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.balancers, number(id))
	return nil
}

// Protect keeps all load balancers from being deleted.
func (c *Cloud) Protect() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, each := range c.balancers {
		each.Protection["delete"] = true
	}
}

func (c *Cloud) newBalancer(asked creation, kind balancerType) *balancer {
	made := &balancer{
		ID: c.next(), Name: asked.Name, Type: kind, Labels: asked.Labels, Algorithm: algorithm{"round_robin"},
		PublicNet: publicNet{Enabled: true}, PrivateNet: []balancerNet{}, Services: []service{}, Targets: []target{},
		Location: object{"name": asked.Location}, Protection: object{"delete": false},
	}
	if made.Labels == nil {
		made.Labels = map[string]string{}
	}
	c.balancers[made.ID] = made
	return made
}

func (c *Cloud) addressOf(lb *balancer) {
	lb.PublicNet.IPv4.IP = fmt.Sprintf("203.0.113.%d", lb.ID%250+1)
	lb.PublicNet.IPv6.IP = fmt.Sprintf("2001:db8:ff::%x", lb.ID)
}

func (c *Cloud) routeBalancers(a *answer, path []string) {
	if len(path) == 0 {
		switch a.r.Method {
		case http.MethodGet:
			c.listBalancers(a)
		case http.MethodPost:
			c.createBalancer(a)
		default:
			a.notAllowed()
		}
		return
	}
	lb := c.balancers[number(path[0])]
	switch {
	case lb == nil:
		a.missing()
	case len(path) == 1 && a.r.Method == http.MethodGet:
		a.send(http.StatusOK, object{"load_balancer": lb})
	case len(path) == 1 && a.r.Method == http.MethodPut:
		c.updateBalancer(a, lb)
	case len(path) == 1 && a.r.Method == http.MethodDelete:
		c.deleteBalancer(a, lb)
	case len(path) == 3 && path[1] == "actions" && a.r.Method == http.MethodPost:
		c.changeBalancer(a, lb, path[2])
	default:
		a.missing()
	}
}

func (c *Cloud) listBalancers(a *answer) {
	var found []any
	for _, id := range sorted(c.balancers) {
		if each := c.balancers[id]; a.named(each.Name) && a.labelled(each.Labels) {
			found = append(found, each)
		}
	}
	a.list("load_balancers", found, c.MostPerPage, "name", "label_selector")
}

func (c *Cloud) createBalancer(a *answer) {
	var asked creation
	if !a.read(&asked) {
		return
	}
	kind, known := balancerTypes[asked.Type]
	switch {
	case c.full:
		a.refuse(http.StatusForbidden, "resource_limit_exceeded", "load balancer limit exceeded")
	case asked.Name == "" || !known || (asked.Location == "") == (asked.NetworkZone == ""):
		a.invalid("name, load_balancer_type, and location or network_zone are needed")
	case asked.Location != "" && networkZones[asked.Location] == "":
		a.invalid("location does not exist")
	case asked.Algorithm != nil && !isAlgorithm(asked.Algorithm.Type):
		a.invalid("algorithm does not exist")
	case asked.Network != 0 && c.networks[asked.Network] == nil:
		a.invalid("network does not exist")
	case c.isTaken(asked.Name, 0):
		a.refuse(http.StatusConflict, "uniqueness_error", "name is already used")
	case labelsFault(asked.Labels) != "":
		a.invalid(labelsFault(asked.Labels))
	default:
		c.makeBalancer(a, asked, kind)
	}
}

func (c *Cloud) makeBalancer(a *answer, asked creation, kind balancerType) {
	made := c.newBalancer(asked, kind)
	undo := func() { delete(c.balancers, made.ID) }
	if asked.Algorithm != nil {
		made.Algorithm = *asked.Algorithm
	}
	if asked.PublicInterface != nil {
		made.PublicNet.Enabled = *asked.PublicInterface
	}
	if asked.Network != 0 {
		made.PrivateNet = []balancerNet{{asked.Network, fmt.Sprintf("10.0.200.%d", made.ID%250+1)}}
	}
	for _, each := range asked.Services {
		if fault := c.serviceFault(made, each, true); fault != nil {
			undo()
			a.refuse(fault.status, fault.code, fault.message)
			return
		}
		made.Services = append(made.Services, each.whole())
	}
	for _, each := range asked.Targets {
		if fault := c.targetFault(made, each); fault != nil {
			undo()
			a.refuse(fault.status, fault.code, fault.message)
			return
		}
		made.Targets = append(made.Targets, each)
	}
	c.begin(a, "create_load_balancer", &made.lock, func() { c.addressOf(made) }, object{"load_balancer": made})
}

func (c *Cloud) isTaken(name string, but int64) bool {
	for id, each := range c.balancers {
		if each.Name == name && id != but {
			return true
		}
	}
	return false
}

func (c *Cloud) updateBalancer(a *answer, lb *balancer) {
	var asked struct {
		Name   *string            `json:"name"`
		Labels *map[string]string `json:"labels"`
	}
	if !a.read(&asked) {
		return
	}
	switch {
	case asked.Name != nil && c.isTaken(*asked.Name, lb.ID):
		a.refuse(http.StatusConflict, "uniqueness_error", "name is already used")
		return
	case asked.Labels != nil && labelsFault(*asked.Labels) != "":
		a.invalid(labelsFault(*asked.Labels))
		return
	}
	if asked.Name != nil {
		lb.Name = *asked.Name
	}
	if asked.Labels != nil {
		lb.Labels = *asked.Labels
	}
	a.send(http.StatusOK, object{"load_balancer": lb})
}

func (c *Cloud) deleteBalancer(a *answer, lb *balancer) {
	switch {
	case lb.lock != 0:
		a.locked()
	case lb.Protection["delete"] == true:
		a.refuse(http.StatusLocked, "protected", "load balancer is protected from deletion")
	default:
		delete(c.balancers, lb.ID)
		a.send(http.StatusNoContent, nil)
	}
}
