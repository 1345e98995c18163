package fake

import (
	"fmt"
	"net/http"
	"net/netip"
)

// changeBalancer begins an action of a load balancer.
func (c *Cloud) changeBalancer(a *answer, lb *balancer, command string) {
	commands := map[string]func(*answer, *balancer, string){
		"add_service": c.addService, "update_service": c.updateService, "delete_service": c.deleteService,
		"add_target": c.addTarget, "remove_target": c.removeTarget,
		"change_algorithm": c.changeAlgorithm, "change_type": c.changeType, "change_dns_ptr": c.changeDNSPtr,
		"attach_to_network": c.attach, "detach_from_network": c.detach,
		"enable_public_interface": c.publicInterface, "disable_public_interface": c.publicInterface,
	}
	begin := commands[command]
	switch {
	case begin == nil:
		a.missing()
	case lb.lock != 0:
		a.locked()
	default:
		begin(a, lb, command)
	}
}

func (c *Cloud) orRefuse(a *answer, lb *balancer, command string, found *fault, apply func()) {
	if found != nil {
		a.refuse(found.status, found.code, found.message)
		return
	}
	c.begin(a, command, &lb.lock, apply, nil)
}

func (c *Cloud) addService(a *answer, lb *balancer, command string) {
	var asked service
	if a.read(&asked) {
		c.orRefuse(a, lb, command, c.serviceFault(lb, asked, true), func() { lb.Services = append(lb.Services, asked.whole()) })
	}
}

func (c *Cloud) updateService(a *answer, lb *balancer, command string) {
	var asked service
	if !a.read(&asked) {
		return
	}
	found := c.serviceFault(lb, asked, false)
	if found == nil && !lb.listens(asked.ListenPort) {
		found = &fault{http.StatusNotFound, "not_found", "service not found"}
	}
	c.orRefuse(a, lb, command, found, func() {
		lb.dropService(asked.ListenPort)
		lb.Services = append(lb.Services, asked.whole())
	})
}

func (lb *balancer) listens(port int) bool {
	for _, each := range lb.Services {
		if each.ListenPort == port {
			return true
		}
	}
	return false
}

func (c *Cloud) deleteService(a *answer, lb *balancer, command string) {
	var asked struct {
		ListenPort int `json:"listen_port"`
	}
	if !a.read(&asked) {
		return
	}
	var found *fault
	if !lb.listens(asked.ListenPort) {
		found = &fault{http.StatusNotFound, "not_found", "service not found"}
	}
	c.orRefuse(a, lb, command, found, func() { lb.dropService(asked.ListenPort) })
}

func (c *Cloud) addTarget(a *answer, lb *balancer, command string) {
	var asked target
	if a.read(&asked) {
		c.orRefuse(a, lb, command, c.targetFault(lb, asked), func() { lb.Targets = append(lb.Targets, asked) })
	}
}

func (c *Cloud) removeTarget(a *answer, lb *balancer, command string) {
	var asked struct {
		Type   string `json:"type"`
		Server *struct {
			ID int64 `json:"id"`
		} `json:"server"`
	}
	if !a.read(&asked) {
		return
	}
	var found *fault
	if asked.Type != "server" || asked.Server == nil || !lb.targets(asked.Server.ID) {
		found = &fault{http.StatusNotFound, "not_found", "target not found"}
	}
	c.orRefuse(a, lb, command, found, func() { lb.dropTarget(asked.Server.ID) })
}

func (c *Cloud) changeAlgorithm(a *answer, lb *balancer, command string) {
	var asked algorithm
	if !a.read(&asked) {
		return
	}
	var found *fault
	if !isAlgorithm(asked.Type) {
		found = invalid("algorithm does not exist")
	}
	c.orRefuse(a, lb, command, found, func() { lb.Algorithm = asked })
}

func (c *Cloud) changeType(a *answer, lb *balancer, command string) {
	var asked struct {
		Type string `json:"load_balancer_type"`
	}
	if !a.read(&asked) {
		return
	}
	kind, known := balancerTypes[asked.Type]
	var found *fault
	if !known || len(lb.Targets) > kind.MaxTargets || len(lb.Services) > kind.MaxServices {
		found = &fault{http.StatusUnprocessableEntity, "invalid_load_balancer_type", "load balancer type does not fit"}
	}
	c.orRefuse(a, lb, command, found, func() { lb.Type = kind })
}

func (c *Cloud) changeDNSPtr(a *answer, lb *balancer, command string) {
	var asked struct {
		IP     string  `json:"ip"`
		DNSPtr *string `json:"dns_ptr"`
	}
	if !a.read(&asked) {
		return
	}
	for _, address := range []*publicAddress{&lb.PublicNet.IPv4, &lb.PublicNet.IPv6} {
		if address.IP == asked.IP && asked.DNSPtr != nil {
			c.orRefuse(a, lb, command, nil, func() { address.DNSPtr = *asked.DNSPtr })
			return
		}
	}
	a.invalid("ip is none of the load balancer's")
}

func (c *Cloud) attach(a *answer, lb *balancer, command string) {
	var asked struct {
		Network int64  `json:"network"`
		IP      string `json:"ip"`
		IPRange string `json:"ip_range"`
	}
	if !a.read(&asked) {
		return
	}
	of := c.networks[asked.Network]
	ip := asked.IP
	if ip == "" {
		ip = fmt.Sprintf("10.0.200.%d", lb.ID%250+1)
	}
	var found *fault
	address, err := netip.ParseAddr(ip)
	switch {
	case of == nil:
		found = invalid("network does not exist")
	case len(lb.PrivateNet) > 0:
		found = &fault{http.StatusUnprocessableEntity, "load_balancer_already_attached", "load balancer is attached to a network"}
	case err != nil || !netip.MustParsePrefix(of.IPRange).Contains(address):
		found = &fault{http.StatusUnprocessableEntity, "ip_not_available", "ip is not in the network"}
	case asked.IPRange != "" && asked.IPRange != of.Subnets[0]["ip_range"]:
		found = &fault{http.StatusUnprocessableEntity, "no_subnet_available", "there is no such subnet"}
	}
	c.orRefuse(a, lb, command, found, func() { lb.PrivateNet = []balancerNet{{asked.Network, ip}} })
}

func (c *Cloud) detach(a *answer, lb *balancer, command string) {
	var asked struct {
		Network int64 `json:"network"`
	}
	if !a.read(&asked) {
		return
	}
	if len(lb.PrivateNet) == 0 || lb.PrivateNet[0].Network != asked.Network {
		a.refuse(http.StatusUnprocessableEntity, "load_balancer_not_attached_to_network", "load balancer is not attached to it")
		return
	}
	c.orRefuse(a, lb, command, nil, func() {
		lb.PrivateNet = []balancerNet{}
		for _, each := range append([]target{}, lb.Targets...) {
			if each.UsePrivateIP { // it cannot be reached any more
				lb.dropTarget(each.Server.ID)
			}
		}
	})
}

func (c *Cloud) publicInterface(a *answer, lb *balancer, command string) {
	var asked struct{}
	if !a.read(&asked) {
		return
	}
	enable := command == "enable_public_interface"
	var found *fault
	if !enable && len(lb.PrivateNet) == 0 {
		found = &fault{http.StatusUnprocessableEntity, "load_balancer_not_attached_to_network", "load balancer is not attached to a network"}
	}
	for _, each := range lb.Targets {
		if !enable && !each.UsePrivateIP {
			found = &fault{http.StatusUnprocessableEntity, "targets_without_use_private_ip", "targets use the public interface"}
		}
	}
	c.orRefuse(a, lb, command, found, func() { lb.PublicNet.Enabled = enable })
}
