package main

import (
	"reflect"
	"testing"

	"ccm"
	"ccm/cloudcommand"
)

func routeTo(destination, server string) ccm.Route {
	return ccm.Route{DestinationCIDR: destination, TargetProviderID: server}
}

// apply comes back as long as the network works.
func (w *world) apply(remove, add []ccm.Route) []error {
	w.t.Helper()
	for round := 0; round < 30; round++ {
		outcomes, err := w.ApplyRoutes(ctx, "kubernetes", remove, add)
		if err != nil {
			w.t.Fatal(err)
		}
		waits := false
		for _, outcome := range outcomes {
			waits = waits || outcome != nil && asError(outcome).Class == ccm.ClassWaiting
		}
		if !waits {
			return outcomes
		}
		w.later += lockedFor
	}
	w.t.Fatal("the network works for ever")
	return nil
}

func (w *world) routes() map[string]ccm.Route {
	w.t.Helper()
	list, err := w.ListRoutes(ctx, "kubernetes")
	if err != nil {
		w.t.Fatal(err)
	}
	found := map[string]ccm.Route{}
	for _, each := range list {
		found[each.DestinationCIDR] = each
	}
	return found
}

func TestRoutes(t *testing.T) {
	w := begin(t)
	_ = w.cloud.PlantRoute("10.99.0.0/24", cloudcommand.Machine{Name: "worker-1"})
	outcomes := w.apply(nil, []ccm.Route{routeTo("10.244.1.0/24", "hcloud://2"), routeTo("10.244.2.0/24", "hcloud://3"), routeTo("10.244.3.0/24", "hcloud://99"), routeTo("fd00::/64", "hcloud://2")})
	if outcomes[0] != nil || outcomes[1] != nil || asError(outcomes[2]).Class != ccm.ClassUnavailable || asError(outcomes[3]).Class != ccm.ClassInvalidSpec {
		t.Errorf("got %v", outcomes)
	}
	all := w.routes()
	if route := all["10.244.1.0/24"]; len(all) != 3 || !route.Owned || route.TargetNode != "worker-1" || route.Blackhole {
		t.Errorf("got %+v", all)
	}
	if all["10.99.0.0/24"].Owned {
		t.Error("a planted route is owned")
	}
	before := len(w.cloud.Writes())
	if again := w.apply(nil, []ccm.Route{routeTo("10.244.1.0/24", "hcloud://2")}); again[0] != nil || len(w.cloud.Writes()) != before {
		t.Errorf("got %v", again)
	}
	gone := w.apply([]ccm.Route{all["10.244.1.0/24"], all["10.99.0.0/24"]}, nil)
	if gone[0] != nil || asError(gone[1]).Reason != ccm.ReasonNotOwned {
		t.Errorf("got %v", gone)
	}
	left := w.cloud.Routes()
	if !reflect.DeepEqual(left, map[string]string{"10.244.2.0/24": "10.0.0.4", "10.99.0.0/24": "10.0.0.3"}) {
		t.Errorf("got %v", left)
	}
}

func TestARouteThatMoves(t *testing.T) {
	w := begin(t)
	w.apply(nil, []ccm.Route{routeTo("10.244.1.0/24", "hcloud://2")})
	outcomes := w.apply([]ccm.Route{w.routes()["10.244.1.0/24"]}, []ccm.Route{routeTo("10.244.1.0/24", "hcloud://3")})
	if outcomes[0] != nil || outcomes[1] != nil || w.routes()["10.244.1.0/24"].TargetNode != "worker-2" || !w.routes()["10.244.1.0/24"].Owned {
		t.Errorf("got %v, %+v", outcomes, w.routes())
	}
}

func TestARouteToNoServerIsABlackhole(t *testing.T) {
	w := begin(t)
	w.apply(nil, []ccm.Route{routeTo("10.244.1.0/24", "hcloud://2")})
	_ = w.cloud.RemoveMachine(cloudcommand.Machine{ProviderID: "hcloud://2"})
	if route := w.routes()["10.244.1.0/24"]; !route.Blackhole || !route.Owned {
		t.Errorf("got %+v", route)
	}
}

func TestAnotherClustersRoutesAreNotOurs(t *testing.T) {
	w := begin(t)
	w.apply(nil, []ccm.Route{routeTo("10.244.1.0/24", "hcloud://2")})
	list, err := w.ListRoutes(ctx, "other")
	if err != nil || len(list) != 1 || list[0].Owned {
		t.Errorf("got %+v, %v", list, err)
	}
	if _, err := w.ListRoutes(ctx, "no label"); w.fails(err).Class != ccm.ClassInvalidSpec {
		t.Errorf("got %v", err)
	}
}

func TestAChangeThatHasEndedIsNotWaitedFor(t *testing.T) {
	w := begin(t)
	w.cloud.ActionTime = 0
	add := []ccm.Route{routeTo("10.244.1.0/24", "hcloud://2"), routeTo("10.244.2.0/24", "hcloud://3")}
	outcomes, err := w.ApplyRoutes(ctx, "kubernetes", nil, add)
	if err != nil || outcomes[0] != nil || outcomes[1] != nil || len(w.routes()) != 2 {
		t.Fatalf("got %v, %v", outcomes, err)
	}
	moved := routeTo("10.244.1.0/24", "hcloud://3")
	outcomes, err = w.ApplyRoutes(ctx, "kubernetes", []ccm.Route{w.routes()["10.244.1.0/24"]}, []ccm.Route{moved})
	if route := w.routes()["10.244.1.0/24"]; err != nil || outcomes[0] != nil || outcomes[1] != nil || route.TargetNode != "worker-2" || !route.Owned {
		t.Errorf("got %v, %v, %+v", outcomes, err, route)
	}
}
