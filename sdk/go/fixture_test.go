package ccm_test

import (
	"context"
	"testing"

	"ccm"
	"ccm/ccmtest"
)

// script is a provider whose methods each test gives.
type script struct {
	host       *ccm.Host
	initialize func(ctx context.Context) error
	list       func(ctx context.Context) (ccm.InstanceList, error)
	describe   func(ctx context.Context, nodes []ccm.NodeIdentity) ([]ccm.Instance, error)
	ensure     func(ctx context.Context, service *ccm.Service, backends []ccm.Backend) (*ccm.LoadBalancer, error)
	remove     func(ctx context.Context) error
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
func (s *script) DeleteLoadBalancer(ctx context.Context, _ *ccm.Service) error { return s.remove(ctx) }
func (s *script) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// begin gives a component.
func begin(t *testing.T) *script {
	t.Helper()
	made := &script{}
	ccm.Register("script", func(host *ccm.Host) (*script, error) {
		made.host = host
		return made, nil
	})
	ccmtest.Begin(t, "script")
	return made
}

// expect compares the code and class of an operation that ended once.
func expect(t *testing.T, outcome ccmtest.Outcome, code ccm.Code, class ccm.Class) {
	t.Helper()
	if outcome.Code != code || outcome.Class != class || outcome.Completions != 1 {
		t.Errorf("want code %d, class %d, one completion; got %+v", code, class, outcome)
	}
}
