// Package cloud is a cloud in memory: for the unit tests, for `ccmctl plugin check` and to try the provider.
package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"

	"ccm/cloudcommand"
)

const (
	// URL is where the cloud is, for those that ask it without a network.
	URL = "https://api.example.com/v1"
	// Token is the one that it takes.
	Token = "s3cret"

	pageSize = 100
)

type object map[string]any

// Cloud is an http.Handler.
type Cloud struct {
	mutex     sync.Mutex
	machines  map[int]object // by id, as are the load balancers
	balancers map[int]object
	made      int // machines and load balancers so far
	writes    int
	full      bool
}

// New is an empty cloud.
func New() *Cloud { return &Cloud{machines: map[int]object{}, balancers: map[int]object{}} }

// Writes says how many requests changed something.
func (c *Cloud) Writes() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.writes
}

// AddMachines makes that many. They are listed in the order in which they were made.
func (c *Cloud) AddMachines(count int, _ bool) (named []cloudcommand.Machine, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for ; count > 0; count-- {
		c.made++
		name := fmt.Sprint("worker-", c.made)
		c.machines[c.made] = object{"id": fmt.Sprint(c.made), "name": name, "type": "small", "zone": "a", "running": true,
			"address": fmt.Sprintf("10.0.%d.%d", c.made/250, c.made%250)}
		named = append(named, cloudcommand.Machine{Name: name, ProviderID: fmt.Sprint("@NAME@://", c.made)})
	}
	return named, nil
}

// RemoveMachine ends one.
func (c *Cloud) RemoveMachine(gone cloudcommand.Machine) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.machines, idOf(strings.TrimPrefix(gone.ProviderID, "@NAME@://")))
	return nil
}

// SwitchOffMachine stops one, which goes on existing.
func (c *Cloud) SwitchOffMachine(off cloudcommand.Machine) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.machines[idOf(strings.TrimPrefix(off.ProviderID, "@NAME@://"))]["running"] = false
	return nil
}

// PlantLoadBalancer makes one of somebody else's.
func (c *Cloud) PlantLoadBalancer() (id string, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	made := c.addBalancer(object{"mark": "another/0000", "spec": object{"ports": []any{}, "machines": []any{}}})
	return made["id"].(string), nil
}

// RemoveLoadBalancer ends one.
func (c *Cloud) RemoveLoadBalancer(id string) error {
	if _, there := c.balancers[idOf(id)]; !there {
		return errors.New("there is no load balancer " + id)
	}
	delete(c.balancers, idOf(id))
	return nil
}

// ExhaustQuota lets nobody make a further load balancer.
func (c *Cloud) ExhaustQuota() error {
	c.full = true
	return nil
}

// Snapshot is all that the provider may change.
func (c *Cloud) Snapshot() any { return c.balancers }

// LoadBalancers says how many there are.
func (c *Cloud) LoadBalancers() int { return len(c.balancers) }

// ServeHTTP answers one request of the API.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	known, there := c.balancers[idOf(strings.TrimPrefix(path, "/load-balancers/"))]
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Token:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == "GET" && path == "/machines":
		answer(w, page("machines", c.machines, r))
	case r.Method == "GET" && path == "/load-balancers":
		answer(w, page("loadBalancers", c.balancers, r))
	case r.Method == "POST" && path == "/load-balancers" && c.full:
		w.WriteHeader(http.StatusPaymentRequired)
	case r.Method == "POST" && path == "/load-balancers":
		c.change(w, r, nil)
	case !there:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == "PUT":
		c.change(w, r, known)
	case r.Method == "DELETE":
		c.writes++
		delete(c.balancers, idOf(known["id"].(string)))
		w.WriteHeader(http.StatusNoContent)
	case r.Method == "GET":
		answer(w, known)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// change makes a load balancer, or changes the one that is known.
func (c *Cloud) change(w http.ResponseWriter, r *http.Request, known object) {
	var body object
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.writes++
	if known == nil {
		known = c.addBalancer(body)
	}
	for name, value := range body {
		known[name] = value
	}
	answer(w, known)
}

func (c *Cloud) addBalancer(body object) object {
	c.made++
	c.balancers[c.made] = object{"id": fmt.Sprint(c.made), "address": fmt.Sprintf("203.0.113.%d", c.made%250)}
	for name, value := range body {
		c.balancers[c.made][name] = value
	}
	return c.balancers[c.made]
}

// idOf is 0, which nothing has, for a text that is no id.
func idOf(text string) int {
	id, _ := strconv.Atoi(text)
	return id
}

// page is in the order of the ids, which only grow: what comes or goes moves nothing to another page.
func page(name string, items map[int]object, r *http.Request) object {
	var ids []int
	for id := range items {
		if id > idOf(r.URL.Query().Get("after")) {
			ids = append(ids, id)
		}
	}
	sort.Ints(ids)
	answered, chosen := object{}, []object{}
	if len(ids) > pageSize {
		ids = ids[:pageSize]
		answered["next"] = fmt.Sprint(ids[pageSize-1])
	}
	for _, id := range ids {
		chosen = append(chosen, items[id])
	}
	answered[name] = chosen
	return answered
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
