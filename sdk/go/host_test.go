package ccm_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccm"
	"ccm/ccmtest"
)

func TestAContextEndsWithItsCtx(t *testing.T) {
	s := begin(t)
	s.initialize = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	id := ccmtest.Start("initialize", time.Minute, 0)
	ccmtest.End(id)
	expect(t, ccmtest.Wait(id), ccm.CodeCancelled, ccm.ClassNone)
	expect(t, ccmtest.Wait(ccmtest.Start("initialize", 20*time.Millisecond, 0)), ccm.CodeDeadlineExceeded, ccm.ClassNone)
}

func TestAnEndedContextIsRefused(t *testing.T) {
	s := begin(t)
	var kept context.Context
	s.initialize = func(ctx context.Context) error { kept = ctx; return nil }
	ccmtest.Run("initialize")
	if kept.Err() == nil {
		t.Error("the context goes on")
	}
	_, err := get(s, kept)
	var refused *ccm.Error
	if !errors.As(err, &refused) || refused.Reason != "ContextEnded" {
		t.Errorf("got %v", err)
	}
	s.host.Log(kept, ccm.LevelInfo, "A late line") // has no fields of the operation, and is no crash
}

func get(s *script, ctx context.Context) (*http.Response, error) {
	request, _ := http.NewRequestWithContext(ctx, "POST", "https://cloud.example/v1/machines", strings.NewReader("{}"))
	request.Header.Set("Authorization", "Bearer x")
	return (&http.Client{Transport: s.host.Transport()}).Do(request)
}

func TestTheRoundTripperGoesThroughTheHost(t *testing.T) {
	s := begin(t)
	var body string
	s.initialize = func(ctx context.Context) error {
		response, err := get(s, ccm.WithHTTPOptions(ctx, ccm.HTTPOptions{Operation: "ListMachines", ReadOnly: true, Replaces: "2 members"}))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		bytes, err := io.ReadAll(response.Body)
		body = response.Status + " " + response.Header.Get("Content-Type") + " " + string(bytes)
		return err
	}
	id := ccmtest.Start("initialize", time.Minute, 0)
	request := ccmtest.NextRequest()
	if request.Method != "POST" || request.URL != "https://cloud.example/v1/machines" || request.Body != "{}" ||
		request.Operation != "ListMachines" || !request.ReadOnly || request.Replaces != "2 members" || request.Header.Get("Authorization") != "Bearer x" {
		t.Errorf("got %+v", request)
	}
	request.Answer(404, http.Header{"Content-Type": {"text/plain"}}, "nothing")
	expect(t, ccmtest.Wait(id), ccm.CodeOK, ccm.ClassNone)
	if body != "404 Not Found text/plain nothing" {
		t.Errorf("got %q", body)
	}
	// The host's classification goes through net/http, and on as the operation's.
	id = ccmtest.Start("initialize", time.Minute, 0)
	ccmtest.NextRequest().Fail(&ccm.Error{Code: ccm.CodeResourceExhausted, Class: ccm.ClassThrottled, Reason: "CallBudgetSpent"})
	outcome := ccmtest.Wait(id)
	expect(t, outcome, ccm.CodeResourceExhausted, ccm.ClassThrottled)
	if outcome.Reason != "CallBudgetSpent" {
		t.Errorf("got %q", outcome.Reason)
	}
}

func TestCancellingEndsTheExchange(t *testing.T) {
	s := begin(t)
	s.initialize = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, err := get(s, ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		return err
	}
	id := ccmtest.Start("initialize", time.Minute, 0)
	request := ccmtest.NextRequest()
	expect(t, ccmtest.Wait(id), ccm.CodeDeadlineExceeded, ccm.ClassNone)
	if !request.Ended() {
		t.Error("the host's exchange goes on")
	}
	request.Answer(200, nil, "too late") // dropped
}

func TestConfiguration(t *testing.T) {
	s := begin(t)
	ccmtest.SetFlag("cluster-name", "kubernetes")
	ccmtest.SetSecret("TOKEN", strings.Repeat("0123456789abcdef", 100))
	if _, ok := s.host.CloudConfig(); ok {
		t.Error("there is one")
	}
	calls := 0
	s.host.OnConfigChange(func() { calls++ })
	ccmtest.SetConfig("first")
	ccmtest.SetConfig("second")
	if text, _ := s.host.CloudConfig(); text != "second" || calls != 2 {
		t.Errorf("got %q, called %d times", text, calls)
	}
	if value, ok := s.host.Flag("cluster-name"); !ok || value != "kubernetes" {
		t.Errorf("got %q", value)
	}
	if _, ok := s.host.Flag("no-such-flag"); ok {
		t.Error("there is one")
	}
	if secret, ok := s.host.Secret("TOKEN"); !ok || secret != strings.Repeat("0123456789abcdef", 100) {
		t.Errorf("got %d bytes", len(secret))
	}
	if _, ok := s.host.Secret("OTHER"); ok {
		t.Error("there is one")
	}
}

func TestTimersAreDroppedOnce(t *testing.T) {
	s := begin(t)
	fired := ""
	s.host.After(time.Second, func() { fired += "a" })
	stop := s.host.After(time.Second, func() { fired += "b" })
	s.host.After(time.Second, func() { fired += "c"; panic("in a callback") })
	stop()
	ccmtest.FireTimers()
	if fired != "ac" {
		t.Errorf("got %q", fired)
	}
	s.host.After(time.Hour, func() { t.Error("it was dropped") })
}

func TestATimerMayBeStoppedWhenItIsOver(t *testing.T) {
	s := begin(t)
	fired := ""
	stopFirst := s.host.After(time.Second, func() { fired += "a" })
	ccmtest.FireTimers()
	stopFirst()
	stopFirst()
	var stopNext func()
	s.host.After(time.Second, func() { fired += "b"; stopNext() })
	stopNext = s.host.After(time.Second, func() { fired += "c" })
	stopFirst() // and not another one
	ccmtest.FireTimers()
	if fired != "ab" {
		t.Errorf("got %q", fired)
	}
}

func TestGoroutinesEndWithTheComponent(t *testing.T) {
	t.Cleanup(ccmtest.Reset)
	ended := make(chan struct{})
	var kept *ccm.Host
	ccm.Register("script", func(host *ccm.Host) (*script, error) {
		kept = host
		host.Go(func(ctx context.Context) { <-ctx.Done(); close(ended) })
		host.Go(func(context.Context) { panic("in the background") })
		return &script{host: host}, nil
	})
	ccmtest.Create("script")
	ccmtest.Destroy()
	select {
	case <-ended:
	default:
		t.Error("it goes on")
	}
	if logs := ccmtest.Logs(); len(logs) != 1 || !strings.Contains(logs[0], "in the background") {
		t.Errorf("got %v", logs)
	}
	kept.Log(context.Background(), ccm.LevelError, "After the end")
	kept.After(0, func() {})
	if _, ok := kept.Flag("cluster-name"); ok || len(ccmtest.Logs()) != 1 || ccmtest.Callbacks() != 0 {
		t.Error("the host was called after the end")
	}
	if _, err := get(&script{host: kept}, context.Background()); err == nil {
		t.Error("a request was sent after the end")
	}
}
