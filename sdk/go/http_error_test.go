package ccm_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"ccm"
	"ccm/ccmtest"
)

func TestHTTPErrorsHaveAClass(t *testing.T) {
	for _, c := range []struct {
		status int
		code   ccm.Code
		class  ccm.Class
		reason string
	}{
		{302, ccm.CodeUnknown, ccm.ClassNone, "UnexpectedCloudAnswer"},
		{400, ccm.CodeFailedPrecondition, ccm.ClassInvalidSpec, "CloudRefused"},
		{401, ccm.CodeUnauthenticated, ccm.ClassAuth, "CloudCredentialRefused"},
		{403, ccm.CodePermissionDenied, ccm.ClassAuth, "CloudPermissionDenied"},
		{404, ccm.CodeUnknown, ccm.ClassNone, "UnexpectedCloudAnswer"}, // of a wrong path, perhaps
		{408, ccm.CodeUnavailable, ccm.ClassUnavailable, "CloudUnavailable"},
		{409, ccm.CodeAborted, ccm.ClassConflict, "CloudConflict"},
		{412, ccm.CodeAborted, ccm.ClassConflict, "CloudConflict"},
		{418, ccm.CodeUnknown, ccm.ClassNone, "UnexpectedCloudAnswer"},
		{422, ccm.CodeFailedPrecondition, ccm.ClassInvalidSpec, "CloudRefused"},
		{402, ccm.CodeResourceExhausted, ccm.ClassQuota, "CloudQuotaReached"},
		{429, ccm.CodeResourceExhausted, ccm.ClassThrottled, "CloudThrottled"},
		{500, ccm.CodeUnavailable, ccm.ClassUnavailable, "CloudUnavailable"},
		{501, ccm.CodeUnimplemented, ccm.ClassUnsupported, "CloudUnsupported"},
		{503, ccm.CodeUnavailable, ccm.ClassUnavailable, "CloudUnavailable"},
	} {
		var err *ccm.Error
		response := &http.Response{StatusCode: c.status, Header: http.Header{"Retry-After": {"7"}}}
		if !errors.As(ccm.HTTPFailure("ListMachines", response), &err) || err.Code != c.code || err.Class != c.class || err.Reason != c.reason || err.RetryAfter != 7*time.Second {
			t.Errorf("%d: got %+v", c.status, err)
		}
	}
	if err := ccm.HTTPFailure("ListMachines", &http.Response{StatusCode: 204}); err != nil {
		t.Errorf("got %v", err)
	}
	date := http.Header{"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}
	var err *ccm.Error
	if errors.As(ccm.HTTPFailure("X", &http.Response{StatusCode: 429, Header: date}), &err); err.RetryAfter < 59*time.Minute {
		t.Errorf("got %v", err.RetryAfter)
	}
	if err.Error() != "X: HTTP 429 Too Many Requests" {
		t.Errorf("got %q", err)
	}
}

func TestAnAbsurdRetryAfterIsBounded(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"3601": time.Hour, "4294967296": time.Hour, "99999999999999999999999": time.Hour,
		"Fri, 31 Dec 9999 23:59:59 GMT": time.Hour,
		"-3":                            0, "-99999999999999999999999": 0, "soon": 0, "1.5": 0, "": 0, "Thu, 01 Jan 1970 00:00:00 GMT": 0,
	} {
		var err *ccm.Error
		response := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {text}}}
		if errors.As(ccm.HTTPFailure("X", response), &err); err.RetryAfter != want {
			t.Errorf("%q: got %v", text, err.RetryAfter)
		}
	}
	if err := ccm.HTTPError("X", &http.Response{StatusCode: 404}); err == nil || err.Error() != "X: HTTP 404 Not Found" {
		t.Errorf("the first name: got %v", err)
	}
}

// The host takes ClassNotFound for a load balancer that is gone.
func TestAWrongPathIsNoDeletion(t *testing.T) {
	s := begin(t)
	s.remove = func(ctx context.Context) error {
		response, err := get(s, ctx)
		if err != nil {
			return err
		}
		return ccm.HTTPFailure("DeleteLoadBalancer", response)
	}
	id := ccmtest.Start("loadbalancers.delete", time.Minute, 0)
	ccmtest.NextRequest().Answer(404, nil, "404 page not found")
	outcome := ccmtest.Wait(id)
	expect(t, outcome, ccm.CodeUnknown, ccm.ClassNone)
	if outcome.Message != "DeleteLoadBalancer: HTTP 404 Not Found" {
		t.Errorf("got %q", outcome.Message)
	}
}

func TestTheURLIsNamedOnce(t *testing.T) {
	s := begin(t)
	s.initialize = func(ctx context.Context) error { _, err := get(s, ctx); return err }
	id := ccmtest.Start("initialize", time.Minute, 0)
	ccmtest.NextRequest().Fail(&ccm.Error{Code: ccm.CodeUnavailable, Class: ccm.ClassUnavailable, Message: "POST https://cloud.example/v1/machines: refused"})
	outcome := ccmtest.Wait(id)
	expect(t, outcome, ccm.CodeUnavailable, ccm.ClassUnavailable)
	if outcome.Message != "POST https://cloud.example/v1/machines: refused" {
		t.Errorf("got %q", outcome.Message)
	}
}

func TestNotOwned(t *testing.T) {
	s := begin(t)
	s.initialize = func(context.Context) error { return ccm.NotOwned("lb %d", 7) }
	outcome := ccmtest.Run("initialize")
	expect(t, outcome, ccm.CodeFailedPrecondition, ccm.ClassNone)
	if outcome.Reason != ccm.ReasonNotOwned || outcome.Message != "lb 7" {
		t.Errorf("got %+v", outcome)
	}
}
