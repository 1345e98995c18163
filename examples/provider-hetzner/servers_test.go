package main

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ccm"
	"ccm/ccmtest"
)

func asError(err error) *ccm.Error {
	var found *ccm.Error
	errors.As(err, &found)
	if found == nil {
		return &ccm.Error{Code: ccm.CodeUnknown, Message: err.Error()}
	}
	return found
}

func TestAServer(t *testing.T) {
	w := begin(t, "hcloud-instances-address-family=dualstack")
	list, err := w.ListInstances(context.Background())
	if err != nil || len(list.Instances) != 2 {
		t.Fatalf("got %+v, %v", list, err)
	}
	wanted := ccm.Instance{
		State: ccm.Running, ProviderID: "hcloud://2", Name: "worker-1", Type: "cx22", Zone: "fsn1-dc14", Region: "fsn1",
		Addresses: []ccm.NodeAddress{{Type: "Hostname", Address: "worker-1"}, {Type: "ExternalIP", Address: "192.0.0.3"},
			{Type: "ExternalIP", Address: "2001:db8:2::1"}, {Type: "InternalIP", Address: "10.0.0.3"}},
		Labels: map[string]string{"instance.hetzner.cloud/provided-by": "cloud"},
	}
	if !reflect.DeepEqual(list.Instances[0], wanted) {
		t.Errorf("got %+v", list.Instances[0])
	}
}

func TestDedicatedServersAreNotAbsent(t *testing.T) {
	w := begin(t)
	list, err := w.ListInstances(context.Background())
	if err != nil || !reflect.DeepEqual(list.UnknownPrefixes, []string{"hcloud://bm-"}) {
		t.Errorf("got %v, %v", list.UnknownPrefixes, err)
	}
	found, err := w.GetInstance(context.Background(), ccm.NodeIdentity{ProviderID: "hcloud://bm-7"})
	if err != nil || found.State != ccm.Unknown {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestAllPagesAreRead(t *testing.T) {
	w := begin(t)
	_, _ = w.cloud.AddMachines(118, false)
	list, err := w.ListInstances(context.Background())
	if err != nil || len(list.Instances) != 120 {
		t.Errorf("%d servers, %v", len(list.Instances), err)
	}
}

func TestStates(t *testing.T) {
	for status, wanted := range map[string]ccm.InstanceState{
		"running": ccm.Running, "off": ccm.Shutdown, "initializing": ccm.Starting, "deleting": ccm.Running, "unknown": ccm.Unknown, "new": ccm.Unknown,
	} {
		if got := stateOf(status); got != wanted {
			t.Errorf("%s is %v", status, got)
		}
	}
}

func TestOnlyTheAPIsWordMakesAServerAbsent(t *testing.T) {
	w := begin(t)
	node := ccm.NodeIdentity{ProviderID: "hcloud://99"}
	if _, err := w.GetInstance(context.Background(), node); w.fails(err).Class != ccm.ClassNotFound {
		t.Errorf("got %v", err)
	}
	ccmtest.Serve(http.NotFoundHandler()) // a proxy, or a wrong URL
	if _, err := w.GetInstance(context.Background(), node); w.fails(err).Class == ccm.ClassNotFound {
		t.Errorf("got %v", err)
	}
}

func TestAServerByItsName(t *testing.T) {
	w := begin(t)
	if found, err := w.GetInstance(context.Background(), ccm.NodeIdentity{Name: "worker-2"}); err != nil || found.ProviderID != "hcloud://3" {
		t.Errorf("got %+v, %v", found, err)
	}
	if _, err := w.GetInstance(context.Background(), ccm.NodeIdentity{Name: "none"}); w.fails(err).Class != ccm.ClassNotFound {
		t.Errorf("got %v", err)
	}
}

func TestCodesOfTheAPI(t *testing.T) {
	w := begin(t)
	for _, test := range []struct {
		status int
		code   string
		class  ccm.Class
	}{
		{423, "locked", ccm.ClassWaiting}, {409, "conflict", ccm.ClassConflict}, {401, "token_readonly", ccm.ClassAuth},
		{403, "forbidden", ccm.ClassAuth}, {403, "resource_limit_exceeded", ccm.ClassQuota}, {403, "maintenance", ccm.ClassUnavailable},
		{412, "resource_unavailable", ccm.ClassUnavailable}, {422, "service_error", ccm.ClassUnavailable}, {422, "invalid_input", ccm.ClassInvalidSpec},
		{409, "uniqueness_error", ccm.ClassInvalidSpec}, {423, "protected", ccm.ClassNone}, {504, "timeout", ccm.ClassUnavailable}, {500, "", ccm.ClassUnavailable},
	} {
		w.cloud.Break(func(*http.Request) (int, string) { return test.status, test.code })
		_, err := w.ListInstances(context.Background())
		if got := w.fails(err); got.Class != test.class {
			t.Errorf("%d %s is of class %d: %v", test.status, test.code, got.Class, err)
		}
	}
}

func TestASpentLimitSaysWhenToComeBack(t *testing.T) {
	w := begin(t)
	w.cloud.RateLimit = 0
	_, err := w.ListInstances(context.Background())
	if got := w.fails(err); got.Class != ccm.ClassThrottled || got.RetryAfter != throttledFor {
		t.Errorf("got %+v", got)
	}
}

func TestAnErrorBeyondTheLimitsOfJSONIsNotRead(t *testing.T) {
	response := &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{}}
	body := func(message, details string) []byte {
		return []byte(`{"error": {"code": "locked", "message": "` + message + `", "details": ` + details + `}}`)
	}
	for _, c := range []struct {
		body []byte
		code string
		text string
	}{
		{body("busy", "[]"), "locked", "GetServer: busy (locked)"},
		{body("busy", strings.Repeat("[", 65)+strings.Repeat("]", 65)), "", "GetServer: HTTP 503 Service Unavailable"},
		{body(strings.Repeat("x", 600), "[]"), "locked", "GetServer: " + strings.Repeat("x", 500) + " (locked)"},
	} {
		err := refusal("GetServer", response, c.body).(*apiError)
		if err.code != c.code || err.Error() != c.text {
			t.Errorf("%.80s: got %q, %q", c.body, err.code, err)
		}
	}
}
