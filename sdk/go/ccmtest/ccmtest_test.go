package ccmtest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"ccm"
	"ccm/ccmtest"
)

// acme is a provider as an author writes it, and its tests.
type acme struct {
	host *ccm.Host
	http *http.Client
}

func init() {
	ccm.Register("acme", func(host *ccm.Host) (*acme, error) {
		a := &acme{host, &http.Client{Transport: host.Transport()}}
		host.OnConfigChange(func() { host.ConfigRejected("line 1") })
		return a, nil
	})
}

func (a *acme) ask(ctx context.Context, method, path string) (string, error) {
	endpoint, _ := a.host.Flag("acme-endpoint")
	token, _ := a.host.Secret("ACME_TOKEN")
	ctx = ccm.WithHTTPOptions(ctx, ccm.HTTPOptions{Operation: "Ask", ReadOnly: true})
	request, err := http.NewRequestWithContext(ctx, method, endpoint+path, nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := a.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if err := ccm.HTTPFailure("Ask", response); err != nil {
		return "", err
	}
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

func (a *acme) ListInstances(ctx context.Context) (list ccm.InstanceList, err error) {
	name, err := a.ask(ctx, "GET", "/v1/machines")
	if err == nil {
		list.Instances = []ccm.Instance{{State: ccm.Running, ProviderID: "acme://7", Name: name,
			Addresses: []ccm.NodeAddress{{Type: "InternalIP", Address: "192.0.2.7"}}, OtherIDs: []string{"acme:///7"}}}
	}
	return list, err
}

func (a *acme) EnsureLoadBalancer(ctx context.Context, service *ccm.Service, _ []ccm.Backend) (*ccm.LoadBalancer, error) {
	id, err := a.ask(ctx, "POST", "/v1/lbs/"+service.UID)
	return &ccm.LoadBalancer{State: ccm.LoadBalancerActive, ID: id, Ingress: []ccm.Ingress{{IP: "192.0.2.100"}},
		NodeLabels: []string{"pool"}, NoMembers: "no Node has the label pool"}, err
}

func (a *acme) DeleteLoadBalancer(context.Context, *ccm.Service) error {
	return ccm.NotOwned("not ours")
}

func TestAnAuthorsTest(t *testing.T) {
	ccmtest.SetFlag("acme-endpoint", "https://acme.example")
	ccmtest.SetSecret("ACME_TOKEN", "hush")
	ccmtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer hush" || r.Host != "acme.example":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v1/machines":
			fmt.Fprint(w, "worker-1")
		case r.Method == "POST" && r.URL.Path == "/v1/lbs/uid":
			fmt.Fprint(w, "lb-1")
		default:
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	ccmtest.Begin(t, "acme")

	listed := ccmtest.Run("instances.list")
	if listed.Code != ccm.CodeOK || len(listed.Instances) != 1 || listed.Instances[0].Name != "worker-1" ||
		listed.Instances[0].Addresses[0].Address != "192.0.2.7" || listed.Instances[0].OtherIDs[0] != "acme:///7" {
		t.Errorf("got %+v", listed)
	}
	ensured := ccmtest.Run("loadbalancers.ensure")
	if ensured.LoadBalancer != nil && (len(ensured.LoadBalancer.NodeLabels) != 1 || ensured.LoadBalancer.NoMembers == "") {
		t.Errorf("members: %+v", ensured.LoadBalancer)
	}
	if ensured.LoadBalancer == nil || ensured.LoadBalancer.ID != "lb-1" || ensured.LoadBalancer.Ingress[0].IP != "192.0.2.100" {
		t.Errorf("got %+v", ensured)
	}
	if deleted := ccmtest.Run("loadbalancers.delete"); deleted.Reason != ccm.ReasonNotOwned || deleted.Class != ccm.ClassNone {
		t.Errorf("got %+v", deleted)
	}
	ccmtest.SetConfig("{}")
	if rejected := ccmtest.Rejected(); len(rejected) != 1 || rejected[0] != "line 1" {
		t.Errorf("got %v", rejected)
	}
}

// For requests of one's own: the provider's methods, with a context that belongs to no operation.
func TestMethodsCanBeCalled(t *testing.T) {
	var made *acme
	ccm.Register("here", func(host *ccm.Host) (*acme, error) {
		made = &acme{host, &http.Client{Transport: host.Transport()}}
		return made, nil
	})
	ccmtest.Serve(http.NotFoundHandler())
	ccmtest.Begin(t, "here")
	_, err := made.EnsureLoadBalancer(context.Background(), &ccm.Service{UID: "another"}, nil)
	if err == nil || err.Error() != "Ask: HTTP 404 Not Found" {
		t.Errorf("got %v", err)
	}
}
