// Package fake is the part of Hetzner Cloud's API that the provider uses, in memory and with state, from the public reference
// (https://docs.hetzner.cloud). It refuses what the real one refuses, works on actions for a while, and locks what they
// change.
package fake

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"ccm/cloudcommand"
)

// Token is the one that the API takes.
const Token = "hcloud-token-that-is-secret"

// Cloud is an http.Handler. Change its fields before it serves.
type Cloud struct {
	ActionTime  time.Duration // that an action takes
	RateLimit   int           // calls that there are at once; one comes back each second
	MostPerPage int

	mutex        sync.Mutex
	now          time.Time
	last         int64 // id
	calls        int   // of RateLimit, that are spent
	refilled     time.Time
	full         bool // no further load balancer is allowed
	servers      []*server
	balancers    map[int64]*balancer
	networks     map[int64]*network
	certificates map[int64]string
	actions      map[int64]*action
	failing      map[string]string // commands of actions, and the code with which the next one fails
	fault        func(r *http.Request) (status int, code string)
	writes       []string
}

// New is a cloud with a network of the id 1, named "cluster", and nothing else.
func New() *Cloud {
	c := &Cloud{
		ActionTime: time.Second, RateLimit: 3600, MostPerPage: 50,
		last: 1, balancers: map[int64]*balancer{}, networks: map[int64]*network{}, certificates: map[int64]string{},
		actions: map[int64]*action{}, failing: map[string]string{},
	}
	c.networks[1] = newNetwork(1, "cluster")
	return c
}

// FailNext has the next action of that command end with an error of that code.
func (c *Cloud) FailNext(command, code string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failing[command] = code
}

// Break has requests for which `fault` gives a status fail with that and the code; nil mends it.
func (c *Cloud) Break(fault func(r *http.Request) (status int, code string)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.fault = fault
}

// Writes are the requests that were taken and were no GET, such as "POST /load_balancers".
func (c *Cloud) Writes() []string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]string{}, c.writes...)
}

func (c *Cloud) next() int64 {
	c.last++
	return c.last
}

// ServeHTTP answers one request.
func (c *Cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.now = cloudcommand.Now(r.Context())
	c.finishActions()
	a := &answer{w: w, r: r}
	if !c.mayCall(a) {
		return
	}
	if c.fault != nil {
		if status, code := c.fault(r); status != 0 {
			a.refuse(status, code, "the fake was told to")
			return
		}
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		a.refuse(http.StatusUnauthorized, "unauthorized", "unable to authenticate")
		return
	}
	c.route(a, strings.Split(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v1"), "/"), "/"))
	if r.Method != http.MethodGet && a.status < 300 {
		c.writes = append(c.writes, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/v1"))
	}
}

// mayCall counts calls. Each answer has how many are left.
func (c *Cloud) mayCall(a *answer) bool {
	if back := int(c.now.Sub(c.refilled) / time.Second); back > 0 {
		c.calls, c.refilled = c.calls-back, c.now
		if c.calls < 0 {
			c.calls = 0
		}
	}
	spent := c.calls >= c.RateLimit
	if !spent {
		c.calls++
	}
	header := a.w.Header()
	header.Set("RateLimit-Limit", strconv.Itoa(c.RateLimit))
	header.Set("RateLimit-Remaining", strconv.Itoa(c.RateLimit-c.calls))
	header.Set("RateLimit-Reset", strconv.FormatInt(c.now.Add(time.Duration(c.calls)*time.Second).Unix(), 10))
	if spent {
		a.refuse(http.StatusTooManyRequests, "rate_limit_exceeded", "limit of calls reached")
	}
	return !spent
}

func (c *Cloud) route(a *answer, path []string) {
	collection, rest := path[0], path[1:]
	switch collection {
	case "servers":
		c.routeServers(a, rest)
	case "load_balancers":
		c.routeBalancers(a, rest)
	case "networks":
		c.routeNetworks(a, rest)
	case "actions":
		c.routeActions(a, rest)
	case "certificates":
		c.routeCertificates(a, rest)
	default:
		a.missing()
	}
}
