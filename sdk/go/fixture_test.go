package ccm_test

import (
	"context"
	"testing"

	"ccm"
	"ccm/internal/testhost"
)

// script is a provider whose methods each test gives.
type script struct {
	host       *ccm.Host
	initialize func(ctx context.Context) error
	list       func(ctx context.Context) (ccm.InstanceList, error)
	describe   func(ctx context.Context, nodes []ccm.NodeIdentity) ([]ccm.Instance, error)
	ensure     func(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error)
	close      func() error
}

func (s *script) Initialize(ctx context.Context) error                        { return s.initialize(ctx) }
func (s *script) ListInstances(ctx context.Context) (ccm.InstanceList, error) { return s.list(ctx) }
func (s *script) DescribeInstances(ctx context.Context, nodes []ccm.NodeIdentity) ([]ccm.Instance, error) {
	return s.describe(ctx, nodes)
}
func (s *script) EnsureLoadBalancer(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error) {
	return s.ensure(ctx, service, backends)
}
func (s *script) DeleteLoadBalancer(context.Context, *ccm.Service) error { return nil }
func (s *script) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// begin gives a component; at the end of the test nothing may be left of it.
func begin(t *testing.T) *script {
	t.Helper()
	testhost.Reset()
	made := &script{}
	ccm.Register("script", func(host *ccm.Host) (*script, error) {
		made.host = host
		return made, nil
	})
	if outcome := testhost.Create("script"); outcome.Code != 0 || outcome.Completions != 1 {
		t.Fatalf("create: %+v", outcome)
	}
	t.Cleanup(func() {
		testhost.Destroy()
		if n := testhost.Callbacks(); n != 0 {
			t.Errorf("%d callbacks were not dropped", n)
		}
		if n := testhost.Objects(); n != 0 {
			t.Errorf("%d references were not given back", n)
		}
	})
	return made
}

// expect compares the code and class of an operation that ended once.
func expect(t *testing.T, outcome testhost.Outcome, code ccm.Code, class ccm.Class) {
	t.Helper()
	if outcome.Code != int(code) || outcome.Class != int(class) || outcome.Completions != 1 {
		t.Errorf("want code %d, class %d, one completion; got %+v", code, class, outcome)
	}
}
