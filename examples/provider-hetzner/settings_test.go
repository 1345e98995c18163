package main

import (
	"strings"
	"testing"

	"ccm"
	"ccm/ccmtest"
)

func TestWrongSettingsEndTheHost(t *testing.T) {
	for flags, wanted := range map[string]string{
		"hcloud-load-balancers-network-zone=eu-central":             "exclude each other",
		"hcloud-network= hcloud-load-balancers-use-private-ip=true": "needs --hcloud-network",
		"hcloud-load-balancers-private-subnet-ip-range=10":          "is no CIDR",
		"hcloud-load-balancers-health-check-retries=many":           "--hcloud-load-balancers-health-check-retries",
	} {
		configure(t, strings.Split(flags, " ")...)
		got := ccmtest.Create("hcloud-in-test")
		if got.Code != ccm.CodeInvalidArgument || !strings.Contains(got.Message, wanted) {
			t.Errorf("%s: %+v", flags, got)
		}
		ccmtest.Reset()
	}
}

func TestOffers(t *testing.T) {
	w := begin(t, "hcloud-network=", "hcloud-load-balancers-enabled=false")
	if w.Offers(ccm.OfferRoutes) || w.Offers(ccm.OfferLoadBalancers) || !w.Offers(ccm.OfferInstances) {
		t.Error("it offers what was switched off")
	}
}

func TestTheNetworkHasToBeThere(t *testing.T) {
	w := begin(t)
	for _, name := range []string{"none", "99"} {
		w.settings.network = name
		if got := w.fails(w.Initialize(ctx)); got.Code != ccm.CodeInvalidArgument || !strings.Contains(got.Message, "--hcloud-network") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	w.settings.network = "1"
	if err := w.Initialize(ctx); err != nil || w.network != 1 {
		t.Errorf("network %d, %v", w.network, err)
	}
}
