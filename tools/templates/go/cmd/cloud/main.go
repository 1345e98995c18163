// The cloud in memory as a program. Without arguments it is that of `ccmctl plugin check --cloud`; with a PORT it has one machine,
// worker-1, and serves http://127.0.0.1:PORT/v1.
package main

import (
	"log"
	"net/http"
	"os"

	"ccm/cloudcommand"

	"@NAME@/cloud"
)

func main() {
	made := cloud.New()
	if len(os.Args) > 1 {
		_, _ = made.AddMachines(1, false)
		log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], made))
	}
	cloudcommand.Run(cloudcommand.Cloud{
		Start: func(string, uint64) (cloudcommand.Configuration, error) {
			return cloudcommand.Configuration{
				Flags:   map[string]string{"@NAME@-endpoint": cloud.URL},
				Secrets: map[string]string{"@VARIABLE@_TOKEN": cloud.Token},
			}, nil
		},
		API:                made,
		AddMachines:        made.AddMachines,
		RemoveMachine:      made.RemoveMachine,
		SwitchOffMachine:   made.SwitchOffMachine,
		PlantLoadBalancer:  made.PlantLoadBalancer,
		RemoveLoadBalancer: made.RemoveLoadBalancer,
		ExhaustQuota:       made.ExhaustQuota,
		Snapshot:           made.Snapshot,
		LoadBalancers:      made.LoadBalancers,
		Secrets:            func() []string { return []string{cloud.Token} },
	})
}
