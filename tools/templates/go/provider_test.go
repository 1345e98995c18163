package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ccm"
	"ccm/ccmtest"

	"@NAME@/cloud"
)

// begin makes the provider, with a cloud of that many machines.
func begin(t *testing.T, machines int) *cloud.Cloud {
	made := cloud.New()
	made.AddMachines(machines, false)
	ccmtest.SetFlag("@NAME@-endpoint", cloud.URL)
	ccmtest.SetSecret("@VARIABLE@_TOKEN", cloud.Token)
	ccmtest.Serve(made)
	ccmtest.Begin(t, "@NAME@")
	t.Cleanup(func() {
		if strings.Contains(fmt.Sprint(ccmtest.Logs()), cloud.Token) {
			t.Error("the log has the token")
		}
	})
	return made
}

func answer(status int, header, body string) {
	ccmtest.Serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
}

func TestTheEndpointIsNeeded(t *testing.T) {
	ccmtest.Begin(t, "@NAME@")
	if ended := ccmtest.Run("initialize"); ended.Code != ccm.CodeInvalidArgument {
		t.Errorf("got %+v", ended)
	}
}

func TestListsMachines(t *testing.T) {
	begin(t, 2)
	listed := ccmtest.Run("instances.list")
	if listed.Code != ccm.CodeOK || len(listed.Instances) != 2 {
		t.Fatalf("got %+v", listed)
	}
	if first := listed.Instances[0]; first.ProviderID != "@NAME@://1" || first.State != ccm.Running || first.Addresses[0].Address != "10.0.0.1" {
		t.Errorf("got %+v", first)
	}
}

func TestListsAllPages(t *testing.T) {
	begin(t, 250)
	if listed := ccmtest.Run("instances.list"); listed.Code != ccm.CodeOK || len(listed.Instances) != 250 {
		t.Errorf("%d of 250, %+v", len(listed.Instances), listed.Code)
	}
}

func TestHalfAListIsAFailure(t *testing.T) {
	begin(t, 0)
	deep := strings.Repeat("[", 65) + strings.Repeat("]", 65)
	for _, body := range []string{"{}", `{"machines": [{"id":`, `{"machines": [], "more": ` + deep + "}"} {
		answer(200, "", body)
		if listed := ccmtest.Run("instances.list"); listed.Class != ccm.ClassUnavailable {
			t.Errorf("%s: got %+v", body, listed)
		}
	}
}

func TestAnErrorSaysWhenToComeBack(t *testing.T) {
	begin(t, 0)
	answer(429, "Retry-After: 7", "")
	if listed := ccmtest.Run("instances.list"); listed.Class != ccm.ClassThrottled || listed.RetryAfter != 7*time.Second {
		t.Errorf("got %+v", listed)
	}
}

func TestASecondEnsureWritesNothing(t *testing.T) {
	made := begin(t, 1)
	first, second := ccmtest.Run("loadbalancers.ensure"), ccmtest.Run("loadbalancers.ensure")
	if first.Code != ccm.CodeOK || first.LoadBalancer.Ingress[0].IP == "" || first.LoadBalancer.Difference != "created" {
		t.Fatalf("got %+v", first)
	}
	if second.LoadBalancer.Difference != "" || made.Writes() != 1 {
		t.Errorf("%d writes, %+v", made.Writes(), second.LoadBalancer)
	}
	if gone := ccmtest.Run("loadbalancers.delete"); gone.Code != ccm.CodeOK {
		t.Errorf("got %+v", gone)
	}
	if again := ccmtest.Run("loadbalancers.delete"); again.Code != ccm.CodeOK || made.Writes() != 2 {
		t.Errorf("%d writes, %+v", made.Writes(), again)
	}
}
