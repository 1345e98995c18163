package ccm_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"ccm"
	"ccm/ccmtest"
)

// keeper is a provider that uses the services of this file, and has made something.
type keeper struct {
	host      *ccm.Host
	calls     *ccm.Metric
	machines  *ccm.Metric
	taken     *ccm.Metric
	stop      func()
	changes   int
	leads     []bool
	removed   []string
	removable error
	uid       string
}

var kept *keeper

func init() {
	ccm.Register("keeper", func(host *ccm.Host) (*keeper, error) {
		kept = &keeper{host: host}
		kept.calls = host.Counter("keeper_calls", "Calls of the cloud.", "operation", "code")
		kept.machines = host.Gauge("keeper_machines", "Machines.")
		kept.taken = host.Histogram("keeper_calls", "A name that is taken.", []float64{1, 2})
		host.OnLeadingChange(func() { kept.leads = append(kept.leads, host.Leading()) })
		kept.stop, _ = host.WatchFile("/etc/keeper/ca.pem", func() { kept.changes++ })
		return kept, nil
	})
}

func (k *keeper) Initialize(ctx context.Context) (err error) {
	k.uid, err = k.host.ClusterUID(ctx)
	return err
}

func (k *keeper) ListInstances(ctx context.Context) (list ccm.InstanceList, err error) {
	for i := 1; i <= 2; i++ {
		k.calls.Record(1, "list", "200")
		k.machines.Record(float64(i))
	}
	k.taken.Record(7)
	content, err := k.host.ReadFile(ctx, "/etc/keeper/ca.pem")
	if err != nil {
		return list, err
	}
	list.Instances = []ccm.Instance{{Name: string(content), State: ccm.Running}}
	return list, nil
}

func (k *keeper) GetInstance(_ context.Context, node ccm.NodeIdentity) (ccm.Instance, error) {
	k.host.Hint(ccm.Hint{Name: node.Name, ProviderID: "keeper://7"})
	k.host.Hint(ccm.Hint{LoadBalancer: true, Namespace: "default", UID: "uid", ID: "lb-1"})
	k.host.Event(node.Node, true, "DiskFull", "its disk is full")
	k.host.Event(nil, false, "Lost", "about nothing")
	return ccm.Instance{Name: node.Name, State: ccm.Running}, nil
}

func (k *keeper) ListOwned(_ context.Context, cluster ccm.ClusterNames) ([]ccm.OwnedObject, error) {
	if !reflect.DeepEqual(cluster, ccm.ClusterNames{Names: []string{"prod", "cluster-uid"}, Given: true}) {
		return nil, fmt.Errorf("asked for %+v", cluster)
	}
	return owned, nil
}

var owned = []ccm.OwnedObject{
	{Kind: ccm.OwnedLoadBalancer, ID: "lb-1", Name: "web", Cluster: "prod", Address: "192.0.2.1",
		Services: []ccm.OwnedService{{Name: "default/web", UID: "uid"}, {UID: "uid-2"}}},
	{Kind: ccm.OwnedRoute, ID: "r-1", NoCluster: true, Shared: true, Node: "worker-1", DestinationCIDR: "10.0.0.0/24"},
}

func (k *keeper) RemoveOwned(_ context.Context, cluster ccm.ClusterNames, object ccm.OwnedObject) error {
	k.removed = append(k.removed, fmt.Sprintf("%v %v %s %s %v", cluster.Confirmed, cluster.Given, object.Kind, object.ID, object.Services))
	return k.removable
}

func TestMetrics(t *testing.T) {
	ccmtest.SetFile("/etc/keeper/ca.pem", "worker-7")
	ccmtest.Begin(t, "keeper")
	if listed := ccmtest.Run("instances.list"); listed.Code != ccm.CodeOK || listed.Instances[0].Name != "worker-7" {
		t.Errorf("got %+v", listed)
	}
	wanted := map[string]float64{`keeper_calls{"list","200"}`: 2, "keeper_machines": 2}
	if got := ccmtest.Metrics(); !reflect.DeepEqual(got, wanted) {
		t.Errorf("got %v", got)
	}
}

func TestFilesAreReadAndWatched(t *testing.T) {
	ccmtest.Begin(t, "keeper")
	if listed := ccmtest.Run("instances.list"); listed.Code != ccm.CodeNotFound {
		t.Errorf("got %+v", listed)
	}
	ccmtest.SetFile("/etc/keeper/ca.pem", "a")
	ccmtest.SetFile("/etc/keeper/other", "b")
	if kept.changes != 1 {
		t.Errorf("told %d times", kept.changes)
	}
	kept.stop()
	ccmtest.SetFile("/etc/keeper/ca.pem", "c")
	if kept.changes != 1 {
		t.Error("told after the end of the watch")
	}
}

func TestNotices(t *testing.T) {
	ccmtest.Begin(t, "keeper")
	if got := ccmtest.Run("instances.get"); got.Code != ccm.CodeOK {
		t.Fatalf("got %+v", got)
	}
	hints := []ccm.Hint{{Name: "worker-1", ProviderID: "keeper://7"}, {LoadBalancer: true, Namespace: "default", UID: "uid", ID: "lb-1"}}
	if got := ccmtest.Hints(); !reflect.DeepEqual(got, hints) {
		t.Errorf("got %+v", got)
	}
	if got := ccmtest.Events(); !reflect.DeepEqual(got, []string{"Warning DiskFull: its disk is full"}) {
		t.Errorf("got %v", got)
	}
}

func TestTheLease(t *testing.T) {
	ccmtest.Begin(t, "keeper")
	ccmtest.SetLeading(false)
	ccmtest.SetLeading(true)
	if !reflect.DeepEqual(kept.leads, []bool{false, true}) || kept.host.LeaseTransitions() != 2 {
		t.Errorf("got %v and %d", kept.leads, kept.host.LeaseTransitions())
	}
}

func TestTheClustersUID(t *testing.T) {
	for _, uid := range []string{"", "5eed"} {
		if uid != "" {
			ccmtest.SetClusterUID(uid)
		}
		ccmtest.Create("keeper")
		for i := 0; i < 2; i++ {
			if got := ccmtest.Run("initialize"); got.Code != ccm.CodeOK || kept.uid != uid {
				t.Errorf("got %+v and %q, wanted %q", got, kept.uid, uid)
			}
		}
		ccmtest.Destroy()
		ccmtest.Reset()
	}
}

func TestOwnedObjects(t *testing.T) {
	ccmtest.Begin(t, "keeper")
	if !ccmtest.Offers(ccm.OfferOwnedObjects) {
		t.Fatal("they are not offered")
	}
	if listed := ccmtest.Run("owned.list"); listed.Code != ccm.CodeOK || !reflect.DeepEqual(listed.Owned, owned) {
		t.Errorf("got %+v", listed)
	}
	kept.removable = ccm.NotOwned("another cluster's")
	gone := ccmtest.Run("owned.remove")
	if gone.Reason != ccm.ReasonNotOwned || !reflect.DeepEqual(kept.removed, []string{"true false load-balancer lb-1 [{default/web uid}]"}) {
		t.Errorf("got %+v and %v", gone, kept.removed)
	}
	for _, operation := range []string{"owned.list", "owned.remove"} {
		if got := ccmtest.Wait(ccmtest.Start(operation, 1e9, 1<<30)); got.Code != ccm.CodeUnimplemented || got.Completions != 1 {
			t.Errorf("%s of a newer host: %+v", operation, got)
		}
	}
}
