package main

import (
	"testing"

	"ccm"
	"ccm/ccmtest"
)

func TestAListing(t *testing.T) {
	ccmtest.SetConfig("# serial host address model row power\nA7 worker-1 192.0.2.11 r640 2 on\nB3 worker-2 192.0.2.12 r640 2 off\n")
	ccmtest.Begin(t, "rack")
	listed := ccmtest.Run("instances.list")
	if listed.Code != ccm.CodeOK || len(listed.Instances) != 2 {
		t.Fatalf("got %+v", listed)
	}
	if first := listed.Instances[0]; first.ProviderID != "rack://A7" || first.Zone != "row-2" || first.Addresses[0].Address != "192.0.2.11" {
		t.Errorf("got %+v", first)
	}
	if second := listed.Instances[1]; second.State != ccm.Shutdown {
		t.Errorf("got %+v", second)
	}
	ccmtest.SetConfig("A7 worker-1\n")
	if half := ccmtest.Run("instances.list"); half.Class != ccm.ClassUnavailable || len(half.Instances) != 0 {
		t.Errorf("half a list is none: %+v", half)
	}
}

func TestWithoutAFile(t *testing.T) {
	ccmtest.Begin(t, "rack")
	if outcome := ccmtest.Run("initialize"); outcome.Code != ccm.CodeInvalidArgument {
		t.Errorf("got %+v", outcome)
	}
}
