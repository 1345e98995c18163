package main

import (
	"reflect"
	"strings"
)

// The fewest targets that a type of load balancer takes: those of lb11. One that exists says how many it takes.
const fewestTargets = 25

// step is one change of a load balancer: a request with an action, and what it changes, in words.
type step struct {
	what, operation, method, path string
	body                          any
	alone                         bool // nothing else before its action has ended
}

type object map[string]any

// plan lists the changes that make a load balancer what the Service asks for, in an order that the API takes.
type plan struct {
	of    *loadBalancer
	steps []step
}

func planFor(of *loadBalancer, w *wish, uid string) []step {
	p := &plan{of: of}
	p.update(w, uid)
	p.settings(w)
	p.attachment(w)
	p.targets(w)
	p.services(w)
	return p.steps
}

// action adds a step.
func (p *plan) action(what, command string, body any) *step {
	p.steps = append(p.steps, step{what: what, operation: operationOf(command), method: "POST",
		path: path([]any{"load_balancers", p.of.ID, "actions", command}), body: body})
	return &p.steps[len(p.steps)-1]
}

// operationOf makes AddServiceToLoadBalancer of add_service.
func operationOf(command string) string {
	name := ""
	for _, word := range strings.Split(command, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name + "OfLoadBalancer"
}

func (p *plan) update(w *wish, uid string) {
	body, what := object{}, ""
	if p.of.Labels[uidLabel] != uid {
		labels := object{uidLabel: uid}
		for key, value := range p.of.Labels {
			if key != uidLabel {
				labels[key] = value
			}
		}
		body["labels"], what = labels, "label"
	}
	if w.rename && p.of.Name != w.name {
		body["name"], what = w.name, "name"
	}
	if len(body) > 0 {
		p.steps = append(p.steps, step{what: what, operation: "UpdateLoadBalancer", method: "PUT",
			path: path([]any{"load_balancers", p.of.ID}), body: body})
	}
}

func (p *plan) settings(w *wish) {
	if p.of.Algorithm.Type != w.algorithm {
		p.action("algorithm", "change_algorithm", object{"type": w.algorithm})
	}
	if !w.keepKind && p.of.Type.Name != w.kind {
		p.action("type", "change_type", object{"load_balancer_type": w.kind}).alone = true
	}
	for _, each := range []struct {
		wanted string
		has    publicAddr
	}{{w.rdns4, p.of.PublicNet.IPv4}, {w.rdns6, p.of.PublicNet.IPv6}} {
		if each.wanted != "" && each.has.IP != "" && each.wanted != each.has.DNSPtr {
			p.action("reverse DNS", "change_dns_ptr", object{"ip": each.has.IP, "dns_ptr": each.wanted})
		}
	}
}

// attachment is about networks. The public interface goes only when no target is reached by it.
func (p *plan) attachment(w *wish) {
	for _, private := range p.of.PrivateNet {
		if private.Network != w.network || w.privateIP != "" && private.IP != w.privateIP {
			p.action("network", "detach_from_network", object{"network": private.Network}).alone = true
		}
	}
	if w.network != 0 && p.of.attachedTo(w.network) == nil {
		body := object{"network": w.network}
		if w.privateIP != "" {
			body["ip"] = w.privateIP
		}
		if w.privateSubnet != "" {
			body["ip_range"] = w.privateSubnet
		}
		p.action("network", "attach_to_network", body).alone = true
	}
	switch {
	case w.public && !p.of.PublicNet.Enabled:
		p.action("public interface", "enable_public_interface", object{}).alone = true
	case !w.public && p.of.PublicNet.Enabled && p.allPrivate():
		p.action("public interface", "disable_public_interface", object{}).alone = true
	}
}

func (p *plan) allPrivate() bool {
	for _, each := range p.of.Targets {
		if !each.UsePrivateIP {
			return false
		}
	}
	return true
}

// targets takes away before it adds. One that is reached by the wrong interface is added again when it is gone. When no Node can
// be one, those that serve stay.
func (p *plan) targets(w *wish) {
	if w.noMembers != "" {
		return
	}
	wanted := map[int64]bool{}
	for _, server := range w.servers {
		wanted[server] = true
	}
	known := map[int64]bool{}
	left := 0
	for _, each := range p.of.Targets {
		if each.Type != "server" || each.Server == nil {
			left++ // somebody put it there by hand
			continue
		}
		known[each.Server.ID] = true
		if wanted[each.Server.ID] && each.UsePrivateIP == w.usePrivateIP {
			left++
			continue
		}
		p.action("targets", "remove_target", object{"type": "server", "server": targetServer{each.Server.ID}})
	}
	for _, server := range w.servers {
		if most := p.of.Type.MaxTargets; known[server] || most > 0 && left >= most {
			continue
		}
		left++
		p.action("targets", "add_target", targetFor(server, w))
	}
}

func targetFor(server int64, w *wish) target {
	return target{Type: "server", Server: &targetServer{server}, UsePrivateIP: w.usePrivateIP}
}

func (p *plan) services(w *wish) {
	existing := map[int]service{}
	for _, each := range p.of.Services {
		existing[each.ListenPort] = each
	}
	for _, each := range w.services {
		delete(existing, each.ListenPort)
	}
	for _, each := range p.of.Services {
		if _, extra := existing[each.ListenPort]; extra {
			p.action("services", "delete_service", object{"listen_port": each.ListenPort})
		}
	}
	for _, each := range w.services {
		has := false
		for _, there := range p.of.Services {
			if there.ListenPort != each.ListenPort {
				continue
			}
			has = true
			if !reflect.DeepEqual(there.like(each), each) {
				p.action("services", "update_service", each)
			}
		}
		if !has {
			p.action("services", "add_service", each)
		}
	}
}

// creation makes all of it in one request. A network of which more than its id is wanted is attached afterwards, and servers
// that are reached by it come then, too.
func creation(w *wish, uid string) object {
	body := object{
		"name":               w.name,
		"load_balancer_type": w.kind,
		"algorithm":          algorithm{w.algorithm},
		"labels":             object{uidLabel: uid},
		"services":           w.services,
	}
	if w.location != "" {
		body["location"] = w.location
	} else {
		body["network_zone"] = w.networkZone
	}
	attached := w.network != 0 && w.privateIP == "" && w.privateSubnet == ""
	if attached {
		body["network"] = w.network
	}
	if attached || !w.usePrivateIP {
		targets := []target{}
		for _, server := range w.servers {
			if len(targets) < fewestTargets {
				targets = append(targets, targetFor(server, w))
			}
		}
		body["targets"] = targets
	}
	if !w.public && attached {
		body["public_interface"] = false
	}
	return body
}

// inWords joins what steps change, each once.
func inWords(steps []step) string {
	var words []string
	seen := map[string]bool{}
	for _, each := range steps {
		if !seen[each.what] {
			seen[each.what] = true
			words = append(words, each.what)
		}
	}
	return strings.Join(words, ", ")
}
