package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"ccm"
	"ccm/ccmtest"
	"ccm/cloudcommand"

	"hcloud/fake"
)

// world is the provider with a cloud in memory, whose time stands still.
type world struct {
	*provider
	t     *testing.T
	cloud *fake.Cloud
	later time.Duration
	stale bool // lists of load balancers are of a time before there was one
}

var made *provider

func init() {
	ccm.Register("hcloud-in-test", func(host *ccm.Host) (*provider, error) {
		var err error
		made, err = newProvider(host)
		return made, err
	})
}

// begin has the servers 2 and 3, named worker-1 and worker-2, and the flags as plugin.json has them, unless `flags` has others.
func begin(t *testing.T, flags ...string) *world {
	w := &world{t: t, cloud: fake.New()}
	w.cloud.AddServer("worker-1")
	w.cloud.AddServer("worker-2")
	configure(t, flags...)
	ccmtest.Serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if w.stale && r.Method == "GET" && strings.HasSuffix(r.URL.Path, "/load_balancers") {
			fmt.Fprint(rw, `{"load_balancers": []}`)
			return
		}
		now := time.Unix(1_800_000_000, 0).Add(w.later)
		w.cloud.ServeHTTP(rw, r.WithContext(cloudcommand.At(r.Context(), now)))
	}))
	ccmtest.Begin(t, "hcloud-in-test")
	w.provider = made
	if err := w.Initialize(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if strings.Contains(fmt.Sprint(ccmtest.Logs()), fake.Token) {
			t.Error("the log has the token")
		}
	})
	return w
}

func configure(t *testing.T, flags ...string) {
	var manifest struct {
		Options map[string]struct{ Default any }
	}
	text, err := os.ReadFile("plugin.json")
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, option := range manifest.Options {
		value := ""
		if option.Default != nil {
			value = fmt.Sprint(option.Default)
		}
		ccmtest.SetFlag(name, value)
	}
	given := fake.Configuration(fake.URL)
	for name, value := range given.Flags {
		ccmtest.SetFlag(name, value)
	}
	for name, value := range given.Secrets {
		ccmtest.SetSecret(name, value)
	}
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		ccmtest.SetFlag(name, value)
	}
}

// webService has port 80 and those annotations, without their prefix: "name=web".
func webService(annotations ...string) *ccm.Service {
	values := map[string]string{}
	for _, annotation := range annotations {
		name, value, _ := strings.Cut(annotation, "=")
		values[annotationPrefix+name] = value
	}
	object, _ := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": values}})
	return &ccm.Service{Name: "web", UID: "uid-1", DefaultName: "auid1", Object: ccm.NewObject(string(object)),
		Ports: []ccm.ServicePort{{Protocol: "TCP", Port: 80, NodePort: 30080}}}
}

func backends(ids ...int) (list []ccm.Backend) {
	for _, id := range ids {
		node := fmt.Sprintf(`{"metadata": {"labels": {"number": "%d"}}}`, id)
		list = append(list, ccm.Backend{ProviderID: fmt.Sprintf("hcloud://%d", id), Node: ccm.NewObject(node)})
	}
	return list
}

// ensure comes back as the host does, and gives the load balancer when it is there.
func (w *world) ensure(of *ccm.Service, backends []ccm.Backend) *ccm.LoadBalancer {
	w.t.Helper()
	for round := 0; round < 30; round++ {
		found, err := w.EnsureLoadBalancer(context.Background(), of, backends)
		if err != nil {
			w.t.Fatal(err)
		}
		if found.State != ccm.LoadBalancerPending {
			return found
		}
		w.later += found.RetryAfter
	}
	w.t.Fatal("the load balancer stays pending")
	return nil
}

// fails gives the classification of an error.
func (w *world) fails(err error) *ccm.Error {
	w.t.Helper()
	if err == nil {
		w.t.Fatal("no failure")
	}
	return asError(err)
}

func (w *world) only() fake.Balancer {
	w.t.Helper()
	all := w.cloud.Balancers()
	if len(all) != 1 {
		w.t.Fatalf("there are %+v", all)
	}
	return all[0]
}
