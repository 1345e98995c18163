// Package cloud is a cloud in memory: for the unit tests, for `ccmctl plugin check` and to try the provider.
package cloud

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"ccm/cloudcommand"
)

const (
	// URL is where the cloud is, for those that ask it without a network.
	URL = "https://api.example.com/v1"
	// Token is the one that it takes.
	Token = "s3cret"
)

type machine struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Zone    string `json:"zone"`
	Address string `json:"address"`
	Running bool   `json:"running"`
}

type balancer struct {
	Address string          `json:"address"`
	Spec    json.RawMessage `json:"spec"`
}

// Cloud is an http.Handler.
type Cloud struct {
	mutex     sync.Mutex
	machines  []machine
	balancers map[string]balancer
	made      int // machines and load balancers so far
	writes    int
}

// New is an empty cloud.
func New() *Cloud { return &Cloud{machines: []machine{}, balancers: map[string]balancer{}} }

// Writes says how many requests changed something.
func (c *Cloud) Writes() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.writes
}

// AddMachines makes that many, before the others of a listing if `first`.
func (c *Cloud) AddMachines(count int, first bool) ([]cloudcommand.Machine, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var added []machine
	var named []cloudcommand.Machine
	for ; count > 0; count-- {
		c.made++
		id := fmt.Sprint(c.made)
		added = append(added, machine{id, "worker-" + id, "small", "a", fmt.Sprintf("10.0.%d.%d", c.made/250, c.made%250), true})
		named = append(named, cloudcommand.Machine{Name: "worker-" + id, ProviderID: "@NAME@://" + id})
	}
	if first {
		c.machines = append(added, c.machines...)
	} else {
		c.machines = append(c.machines, added...)
	}
	return named, nil
}

// RemoveMachine ends one.
func (c *Cloud) RemoveMachine(gone cloudcommand.Machine) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	kept := []machine{}
	for _, each := range c.machines {
		if "@NAME@://"+each.ID != gone.ProviderID {
			kept = append(kept, each)
		}
	}
	c.machines = kept
	return nil
}

// Snapshot is all that the provider may change.
func (c *Cloud) Snapshot() any { return c.balancers }

// ServeHTTP answers one request of the API.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	name := strings.TrimPrefix(path, "/load-balancers/")
	known, there := c.balancers[name]
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Token:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == "GET" && path == "/machines":
		answer(w, map[string]any{"machines": c.machines})
	case r.Method == "PUT" && name != path:
		if !there {
			c.made++
			known.Address = fmt.Sprintf("203.0.113.%d", c.made%250)
		}
		if json.NewDecoder(r.Body).Decode(&known.Spec) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.writes++
		c.balancers[name] = known
		answer(w, known)
	case !there:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == "DELETE":
		c.writes++
		delete(c.balancers, name)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == "GET":
		answer(w, known)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
