package main

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ccm"
)

var ctx = context.Background()

func TestALoadBalancer(t *testing.T) {
	w := begin(t)
	found := w.ensure(webService(), backends(2, 3))
	lb := w.only()
	if found.State != ccm.LoadBalancerActive || found.Ingress[0].IP != lb.IPv4 || found.ID != id(lb.ID) || found.Name != "auid1" {
		t.Errorf("got %+v", found)
	}
	if !reflect.DeepEqual(lb.Targets, []int64{2, 3}) || !reflect.DeepEqual(lb.Ports, []int{80}) || lb.Type != "lb11" || lb.Private {
		t.Errorf("got %+v", lb)
	}
	if writes := w.cloud.Writes(); len(writes) != 1 {
		t.Errorf("writes: %v", writes)
	}
}

func TestASecondEnsureWritesNothing(t *testing.T) {
	w := begin(t)
	w.ensure(webService("protocol=http", "health-check-protocol=http", "use-private-ip=true"), backends(2, 3))
	before := len(w.cloud.Writes())
	again, err := w.EnsureLoadBalancer(ctx, webService("protocol=http", "health-check-protocol=http", "use-private-ip=true"), backends(2, 3))
	if err != nil || again.State != ccm.LoadBalancerActive || again.Difference != "" || len(w.cloud.Writes()) != before {
		t.Errorf("got %+v, %v, writes %v", again, err, w.cloud.Writes()[before:])
	}
}

func TestItIsPendingWhileAnActionRuns(t *testing.T) {
	w := begin(t)
	first, err := w.EnsureLoadBalancer(ctx, webService(), backends(2))
	if err != nil || first.State != ccm.LoadBalancerPending || first.ID == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := w.EnsureLoadBalancer(ctx, webService("algorithm-type=least_connections"), backends(2))
	if err != nil || again.State != ccm.LoadBalancerPending || len(w.cloud.Writes()) != 1 {
		t.Errorf("got %+v, %v", again, err)
	}
	w.actions = actions{} // as after a restart: the lock says it
	again, err = w.EnsureLoadBalancer(ctx, webService("algorithm-type=least_connections"), backends(2))
	if err != nil || again.State != ccm.LoadBalancerPending || len(w.cloud.Writes()) != 1 {
		t.Errorf("got %+v, %v", again, err)
	}
}

func TestItFollowsTheService(t *testing.T) {
	w := begin(t)
	certificate := w.cloud.AddCertificate("web")
	w.ensure(webService(), backends(2))
	for _, change := range []struct {
		annotations []string
		servers     []int
		holds       func() bool
	}{
		{[]string{"algorithm-type=least_connections"}, []int{2}, func() bool { return w.only().Algorithm == "least_connections" }},
		{[]string{"type=lb21", "name=other"}, []int{2}, func() bool { return w.only().Type == "lb21" && w.only().Name == "other" }},
		{[]string{"ipv4-rdns=web.example.com"}, []int{2}, func() bool { return w.only().RDNS == "web.example.com" && w.only().Algorithm == "round_robin" }},
		{[]string{"use-private-ip=true"}, []int{2, 3}, func() bool { return w.only().Private && len(w.only().Targets) == 2 }},
		{[]string{"use-private-ip=true", "disable-public-network=true"}, []int{3}, func() bool { return !w.only().Public && reflect.DeepEqual(w.only().Targets, []int64{3}) }},
		{nil, []int{2, 3}, func() bool { return w.only().Public && !w.only().Private }},
		{[]string{"node-selector=number in (3)"}, []int{2, 3}, func() bool { return reflect.DeepEqual(w.only().Targets, []int64{3}) }},
		{[]string{"protocol=https", "http-certificates=web"}, []int{2}, func() bool { return reflect.DeepEqual(w.only().Certificates, []int64{certificate}) }},
		{[]string{"private-ipv4=10.0.0.77"}, []int{2}, func() bool { return w.only().Protocol == "tcp" }},
	} {
		found := w.ensure(webService(change.annotations...), backends(change.servers...))
		if !change.holds() {
			t.Errorf("%v: %+v", change.annotations, w.only())
		}
		seen, err := w.ObserveLoadBalancer(ctx, webService(change.annotations...), backends(change.servers...))
		if err != nil || seen.Difference != "" || !reflect.DeepEqual(seen.Ingress, found.Ingress) {
			t.Errorf("%v: observed %+v, %v", change.annotations, seen, err)
		}
	}
}

// A selector that fits no Node empties nothing, and its labels are told, so that a change of them counts at once (hcloud#1035).
func TestASelectorThatFitsNoNode(t *testing.T) {
	w := begin(t)
	w.ensure(webService(), backends(2, 3))
	for _, of := range []*ccm.Service{webService("node-selector=number=7,!drained")} {
		found := w.ensure(of, backends(2, 3))
		if !reflect.DeepEqual(found.NodeLabels, []string{"number", "drained"}) || !strings.Contains(found.NoMembers, "number=7") {
			t.Errorf("got %+v", found)
		}
		if targets := w.only().Targets; !reflect.DeepEqual(targets, []int64{2, 3}) {
			t.Errorf("targets %v", targets)
		}
	}
	if found := w.ensure(webService("node-selector=number=3"), backends(2, 3)); found.NoMembers != "" || len(w.only().Targets) != 1 {
		t.Errorf("got %+v, targets %v", found, w.only().Targets)
	}
	w.ensure(webService(), nil)
	if targets := w.only().Targets; len(targets) != 0 {
		t.Errorf("without Nodes: %v", targets)
	}
}

func TestPortsFollow(t *testing.T) {
	w := begin(t)
	w.ensure(webService(), backends(2))
	of := webService()
	of.Ports = []ccm.ServicePort{{Protocol: "TCP", Port: 443, NodePort: 30443}, {Protocol: "TCP", Port: 8080, NodePort: 30081}}
	seen, err := w.ObserveLoadBalancer(ctx, of, backends(2))
	if err != nil || seen.Difference != "services" {
		t.Errorf("got %+v, %v", seen, err)
	}
	w.ensure(of, backends(2))
	if ports := w.only().Ports; !reflect.DeepEqual(ports, []int{443, 8080}) {
		t.Errorf("got %v", ports)
	}
}

func TestIngress(t *testing.T) {
	for wanted, annotations := range map[string][]string{
		"web.example.com":                    {"hostname=web.example.com"},
		"203.0.113.5/VIP 10.0.200.5/VIP":     {"ipv6-disabled=true"},
		"203.0.113.5/VIP 2001:db8:ff::4/VIP": {"disable-private-ingress=true"},
		"203.0.113.5/Proxy":                  {"disable-private-ingress=true", "ipv6-disabled=true", "uses-proxyprotocol=true"},
	} {
		t.Run(wanted, func(t *testing.T) {
			w := begin(t)
			var ways []string
			for _, way := range w.ensure(webService(annotations...), backends(2)).Ingress {
				ways = append(ways, strings.TrimSuffix(way.Hostname+way.IP+"/"+way.IPMode, "/"))
			}
			if got := strings.Join(ways, " "); got != wanted {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestWhatCannotBeIsInvalid(t *testing.T) {
	w := begin(t)
	for _, annotation := range []string{"protocol=udp", "algorithm-type=best", "use-private-ip=perhaps", "health-check-port=0", "health-check-interval=1h",
		"private-ipv4=fe80::1", "private-subnet-ip-range=10", "node-selector=a b", "certificate-type=managed", "http-redirect-http=true,protocol=http",
		"http-certificates=none,protocol=https", "location=fsn1,network-zone=eu-central", "hostname=Web_1.example.com", "hostname=192.0.2.1"} {
		_, err := w.EnsureLoadBalancer(ctx, webService(strings.Split(annotation, ",")...), nil)
		if got := w.fails(err); got.Class != ccm.ClassInvalidSpec || !strings.Contains(got.Message, annotationPrefix) {
			t.Errorf("%s: %+v", annotation, got)
		}
	}
	of := webService()
	of.Ports[0].Protocol = "UDP"
	if _, err := w.EnsureLoadBalancer(ctx, of, nil); w.fails(err).Class != ccm.ClassInvalidSpec {
		t.Errorf("got %v", err)
	}
	of = webService()
	of.Ports[0].NodePort = 0
	if _, err := w.EnsureLoadBalancer(ctx, of, nil); !strings.Contains(w.fails(err).Message, "spec.allocateLoadBalancerNodePorts") {
		t.Errorf("got %v", err)
	}
	of = webService()
	of.SourceRanges = []string{"192.0.2.0/24"}
	if _, err := w.EnsureLoadBalancer(ctx, of, nil); w.fails(err).Class != ccm.ClassInvalidSpec {
		t.Errorf("got %v", err)
	}
	if len(w.cloud.Balancers()) != 0 {
		t.Error("a load balancer was made")
	}
}

func TestAnActionThatFailsIsToldOfAndTriedAgain(t *testing.T) {
	w := begin(t)
	w.ensure(webService(), backends(2))
	w.cloud.FailNext("add_target", "server_error")
	if _, err := w.EnsureLoadBalancer(ctx, webService(), backends(2, 3)); err != nil {
		t.Fatal(err)
	}
	w.later += lockedFor
	found, err := w.EnsureLoadBalancer(ctx, webService(), backends(2, 3))
	if got := w.fails(err); got.Class != ccm.ClassUnavailable || !strings.Contains(got.Message, "add_target failed") || found.ID == "" {
		t.Errorf("got %+v, %+v", got, found)
	}
	w.ensure(webService(), backends(2, 3))
	if len(w.only().Targets) != 2 {
		t.Errorf("got %+v", w.only())
	}
}

func TestForeignOnesStay(t *testing.T) {
	w := begin(t)
	theirs, _ := w.cloud.PlantLoadBalancer()
	of := webService()
	of.ID = theirs
	if found, err := w.EnsureLoadBalancer(ctx, of, nil); err != nil || found.State != ccm.LoadBalancerForeign || found.ID != "" {
		t.Errorf("got %+v, %v", found, err)
	}
	if got := w.fails(w.DeleteLoadBalancer(ctx, of)); got.Reason != ccm.ReasonNotOwned {
		t.Errorf("got %+v", got)
	}
	if len(w.cloud.Writes()) != 0 {
		t.Errorf("writes: %v", w.cloud.Writes())
	}
	of.AdoptID = theirs
	if found := w.ensure(of, backends(2)); found.ID != theirs {
		t.Errorf("got %+v", found)
	}
}

func TestDeletion(t *testing.T) {
	w := begin(t)
	if err := w.DeleteLoadBalancer(ctx, webService()); err != nil || len(w.cloud.Writes()) != 0 {
		t.Errorf("got %v", err)
	}
	w.ensure(webService(), backends(2))
	w.cloud.Protect()
	if got := w.fails(w.DeleteLoadBalancer(ctx, webService())); got.Code != ccm.CodeImplementedElsewhere {
		t.Errorf("got %+v", got)
	}
	_ = w.cloud.RemoveLoadBalancer(id(w.only().ID))
	w.ensure(webService(), backends(2))
	if err := w.DeleteLoadBalancer(ctx, webService("protocol=nonsense")); err != nil || len(w.cloud.Balancers()) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestALostAnswerMakesNoSecondOne(t *testing.T) {
	w := begin(t)
	if _, err := w.EnsureLoadBalancer(ctx, webService(), backends(2)); err != nil { // its answer is forgotten
		t.Fatal(err)
	}
	w.actions = actions{}
	w.later += lockedFor
	w.ensure(webService(), backends(2))
	w.only()
}

func TestAListThatIsOlderThanTheRecord(t *testing.T) {
	w := begin(t)
	of := webService()
	of.ID = w.ensure(webService(), backends(2)).ID
	w.stale = true
	if seen, err := w.ObserveLoadBalancer(ctx, of, backends(2)); err != nil || seen.State != ccm.LoadBalancerActive || seen.ID != of.ID {
		t.Errorf("got %+v, %v", seen, err)
	}
	if found := w.ensure(of, backends(2)); found.ID != of.ID {
		t.Errorf("got %+v", found)
	}
	if err := w.DeleteLoadBalancer(ctx, of); err != nil || len(w.cloud.Balancers()) != 0 {
		t.Errorf("got %v, %+v", err, w.cloud.Balancers())
	}
}

func TestMoreNodesThanTargets(t *testing.T) {
	w := begin(t)
	_, _ = w.cloud.AddMachines(40, false)
	var all []int
	for number := 2; number < 44; number++ {
		all = append(all, number)
	}
	w.ensure(webService(), backends(all...))
	if got := len(w.only().Targets); got != 25 {
		t.Errorf("%d targets", got)
	}
	w.cloud.Break(func(r *http.Request) (int, string) {
		if r.Method != "GET" {
			return 500, "server_error"
		}
		return 0, ""
	})
	w.ensure(webService(), backends(all...)) // writes nothing
}
