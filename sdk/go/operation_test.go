package ccm_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ccm"
	"ccm/ccmtest"
)

func TestAListingCrosses(t *testing.T) {
	s := begin(t)
	const count = 5000 // more than one chunk of the arena
	s.list = func(context.Context) (list ccm.InstanceList, err error) {
		for i := 0; i < count; i++ {
			list.Instances = append(list.Instances, ccm.Instance{Name: fmt.Sprintf("worker-%d", i), State: ccm.Running,
				Addresses: []ccm.NodeAddress{{Type: "InternalIP", Address: "192.0.2.1"}}, Labels: map[string]string{"a": "b"}})
		}
		list.Instances = append(list.Instances, ccm.Instance{Name: strings.Repeat("x", 100_000)})
		return list, nil
	}
	outcome := ccmtest.Run("instances.list")
	expect(t, outcome, ccm.CodeOK, ccm.ClassNone)
	if len(outcome.Instances) != count+1 || outcome.Instances[4999].Name != "worker-4999" || len(outcome.Instances[count].Name) != 100_000 {
		t.Errorf("got %d instances", len(outcome.Instances))
	}
}

func TestErrorsKeepTheirClass(t *testing.T) {
	s := begin(t)
	var fault error
	s.initialize = func(context.Context) error { return fault }
	for _, c := range []struct {
		err   error
		code  ccm.Code
		class ccm.Class
	}{
		{nil, ccm.CodeOK, ccm.ClassNone},
		{errors.New("x"), ccm.CodeUnknown, ccm.ClassNone},
		{fmt.Errorf("reading: %w", ccm.NotFound("gone")), ccm.CodeNotFound, ccm.ClassNotFound},
		{ccm.Waiting(3*time.Second, "soon"), ccm.CodeUnavailable, ccm.ClassWaiting},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), ccm.CodeDeadlineExceeded, ccm.ClassNone},
		{context.Canceled, ccm.CodeCancelled, ccm.ClassNone},
		{&ccm.Error{Message: "an error without a code is none of success"}, ccm.CodeUnknown, ccm.ClassNone},
	} {
		fault = c.err
		outcome := ccmtest.Run("initialize")
		expect(t, outcome, c.code, c.class)
		if c.err != nil && outcome.Message != c.err.Error() {
			t.Errorf("the message is %q", outcome.Message)
		}
	}
}

func TestAPanicIsAFailureOfItsOperation(t *testing.T) {
	s := begin(t)
	s.initialize = func(context.Context) error { panic("no such thing") }
	outcome := ccmtest.Run("initialize")
	expect(t, outcome, ccm.CodeInternal, ccm.ClassNone)
	if !strings.Contains(outcome.Message, "no such thing") {
		t.Errorf("the message is %q", outcome.Message)
	}
	if logs := ccmtest.Logs(); len(logs) != 1 || !strings.Contains(logs[0], "operation_test.go") {
		t.Errorf("the stack is not in the log: %v", logs)
	}
	s.initialize = func(context.Context) error { var none map[string]int; none["a"] = 1; return nil }
	expect(t, ccmtest.Run("initialize"), ccm.CodeInternal, ccm.ClassNone)
	s.initialize = func(context.Context) error { runtime.Goexit(); return nil }
	expect(t, ccmtest.Run("initialize"), ccm.CodeInternal, ccm.ClassNone)
}

type panics struct{}

func (*panics) Error() string { panic("no text") }

func TestAnErrorThatCannotBeReadIsInternal(t *testing.T) {
	s := begin(t)
	var none *ccm.Error
	var other *panics
	for _, c := range []struct {
		err     error
		message string
	}{
		{none, "a nil *ccm.Error"},
		{fmt.Errorf("reading: %w", none), "a nil *ccm.Error"},
		{other, "*ccm_test.panics panicked: no text"},
		{&panics{}, "*ccm_test.panics panicked: no text"},
	} {
		s.initialize = func(context.Context) error { return c.err }
		outcome := ccmtest.Run("initialize")
		expect(t, outcome, ccm.CodeInternal, ccm.ClassNone)
		if !strings.Contains(outcome.Message, c.message) {
			t.Errorf("the message is %q", outcome.Message)
		}
	}
	ccm.Register("none", func(*ccm.Host) (any, error) { return nil, none })
	expect(t, ccmtest.Create("none"), ccm.CodeInternal, ccm.ClassNone)
}

func TestAPanicInCreateIsItsFailure(t *testing.T) {
	t.Cleanup(ccmtest.Reset)
	ccm.Register("broken", func(*ccm.Host) (any, error) { panic("no") })
	expect(t, ccmtest.Create("broken"), ccm.CodeInternal, ccm.ClassNone)
	ccm.Register("refuses", func(*ccm.Host) (any, error) { return nil, ccm.InvalidConfig("line 3") })
	expect(t, ccmtest.Create("refuses"), ccm.CodeInvalidArgument, ccm.ClassNone)
	expect(t, ccmtest.Create("another"), ccm.CodeNotFound, ccm.ClassNone)
}

func TestWhatIsNotImplementedIsNotOffered(t *testing.T) {
	begin(t)
	if !ccmtest.Offers(ccm.OfferInstances) || !ccmtest.Offers(ccm.OfferLoadBalancers) || ccmtest.Offers(ccm.OfferRoutes) {
		t.Error("wrong interfaces")
	}
	for _, missing := range []string{"instances.get", "loadbalancers.name", "shutdown"} {
		if ccmtest.Start(missing, time.Minute, 0) != 0 {
			t.Errorf("%s is there", missing)
		}
	}
}

func TestAnOperationThatIsNotThereDoesNotHang(t *testing.T) {
	begin(t)
	for _, missing := range []string{"instances.get", "instances.lst", "x"} {
		if outcome := ccmtest.Run(missing); outcome.Code != ccm.CodeUnimplemented || outcome.Completions != 0 {
			t.Errorf("%s: got %+v", missing, outcome)
		}
	}
}

func TestACompletionAfterResetIsIgnored(t *testing.T) {
	made := &script{initialize: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	ccm.Register("late", func(*ccm.Host) (*script, error) { return made, nil })
	ccmtest.Create("late")
	id := ccmtest.Start("initialize", 20*time.Millisecond, 0)
	ccmtest.Reset()
	time.Sleep(100 * time.Millisecond)
	if outcome := ccmtest.Wait(id); outcome.Code != ccm.CodeUnimplemented {
		t.Errorf("got %+v", outcome)
	}
}

func TestAnUnknownRequestIsRefused(t *testing.T) {
	s := begin(t)
	s.list = func(context.Context) (ccm.InstanceList, error) { panic("it was called") }
	s.describe = func(context.Context, []ccm.NodeIdentity) ([]ccm.Instance, error) { panic("it was called") }
	for _, operation := range []string{"initialize", "instances.list", "instances.describe", "loadbalancers.ensure"} {
		outcome := ccmtest.Wait(ccmtest.Start(operation, time.Minute, 1<<20))
		expect(t, outcome, ccm.CodeUnimplemented, ccm.ClassUnsupported)
		if outcome.Reason != "UnknownRequest" {
			t.Errorf("the reason is %q", outcome.Reason)
		}
	}
}

func TestObjectsEndWithTheirOperation(t *testing.T) {
	s := begin(t)
	var kept *ccm.Object
	s.describe = func(_ context.Context, nodes []ccm.NodeIdentity) ([]ccm.Instance, error) {
		kept = nodes[1].Node
		if text, ok := kept.Text("/metadata/name"); !ok || text != "of a field" {
			t.Errorf("got %q", text)
		}
		if ccmtest.Objects() != 2 {
			t.Errorf("%d objects are held", ccmtest.Objects())
		}
		return []ccm.Instance{{Name: nodes[0].Name}, {Name: nodes[1].Name}}, nil
	}
	outcome := ccmtest.Run("instances.describe")
	if len(outcome.Instances) != 2 || outcome.Instances[1].Name != "worker-1" {
		t.Errorf("got %v", outcome.Instances)
	}
	if _, ok := kept.Text("/metadata/name"); ok || kept.JSON() != nil {
		t.Error("it can still be read")
	}
	if _, ok := (*ccm.Object)(nil).Text("/a"); ok {
		t.Error("a nil object has a text")
	}
}

func TestAFailedEnsureMayCarryAResult(t *testing.T) {
	s := begin(t)
	s.ensure = func(_ context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
		if service.UID != "uid" || !service.LocalTraffic || service.NoNodePorts || service.Ports[0].NodePort != 30080 || backends[0].Name != "worker-1" {
			t.Errorf("got %+v %+v", service, backends)
		}
		return &ccm.LoadBalancer{ID: "lb-1"}, ccm.Unavailable("later")
	}
	outcome := ccmtest.Run("loadbalancers.ensure")
	expect(t, outcome, ccm.CodeUnavailable, ccm.ClassUnavailable)
	if outcome.LoadBalancer == nil || outcome.LoadBalancer.ID != "lb-1" {
		t.Error("what was made is lost")
	}
	s.ensure = func(context.Context, *ccm.Service, []ccm.Backend) (*ccm.LoadBalancer, error) { return nil, nil }
	expect(t, ccmtest.Run("loadbalancers.ensure"), ccm.CodeInternal, ccm.ClassNone)
}
