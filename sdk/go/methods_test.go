package ccm_test

import (
	"context"
	"strings"
	"testing"

	"ccm"
	"ccm/ccmtest"
)

type lister struct{}

func (lister) ListInstances(context.Context) (list ccm.InstanceList, err error) { return }

type byValue struct{ lister }

func (byValue) EnsureLoadBalancer(context.Context, ccm.Service, []ccm.Backend) (lb *ccm.LoadBalancer, err error) {
	return
}
func (byValue) DeleteLoadBalancer(context.Context, *ccm.Service) (err error) { return }

type withoutDelete struct{ lister }

func (withoutDelete) EnsureLoadBalancer(context.Context, *ccm.Service, []ccm.Backend) (lb *ccm.LoadBalancer, err error) {
	return
}

type closesSilently struct{ lister }

func (closesSilently) Close() {}

type onlyByPointer struct{ lister }

func (*onlyByPointer) Shutdown(context.Context) (err error) { return }

func TestAMethodThatMissesItsInterfaceIsToldOf(t *testing.T) {
	t.Cleanup(ccmtest.Reset)
	for _, c := range []struct {
		provider any
		message  string
	}{
		{byValue{}, "method EnsureLoadBalancer has another signature than in ccm.LoadBalancers: it is func(context.Context, ccm.Service, "},
		{withoutDelete{}, "method EnsureLoadBalancer is there, but DeleteLoadBalancer is missing, which ccm.LoadBalancers has too"},
		{closesSilently{}, "method Close has another signature than in io.Closer: it is func(), wanted is func() error"},
		{onlyByPointer{}, "ccm.Shutdowner is ccm_test.onlyByPointer's only by pointer"},
		{nil, "neither a provider nor an error"},
	} {
		ccm.Register("slip", func(*ccm.Host) (any, error) { return c.provider, nil })
		outcome := ccmtest.Create("slip")
		expect(t, outcome, ccm.CodeInternal, ccm.ClassNone)
		if !strings.Contains(outcome.Message, c.message) {
			t.Errorf("want %q in %q", c.message, outcome.Message)
		}
	}
	for _, whole := range []any{lister{}, &onlyByPointer{}} {
		ccm.Register("whole", func(*ccm.Host) (any, error) { return whole, nil })
		expect(t, ccmtest.Create("whole"), ccm.CodeOK, ccm.ClassNone)
		ccmtest.Destroy()
	}
}
