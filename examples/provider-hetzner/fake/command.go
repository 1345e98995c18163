package fake

import "ccm/cloudcommand"

// URL is where the provider asks when there is no network: in unit tests and in `ccmctl plugin check`.
const URL = "https://api.hetzner.cloud/v1"

// Configuration is what a provider needs for this cloud at that URL.
func Configuration(url string) cloudcommand.Configuration {
	return cloudcommand.Configuration{
		Flags: map[string]string{
			"hcloud-endpoint": url, "hcloud-network": "cluster", "hcloud-load-balancers-location": "fsn1",
		},
		Secrets: map[string]string{"HCLOUD_TOKEN": Token},
	}
}

// Command plays the cloud for `ccmctl plugin check`.
func (c *Cloud) Command() cloudcommand.Cloud {
	return cloudcommand.Cloud{
		Start:              func(string, uint64) (cloudcommand.Configuration, error) { return Configuration(URL), nil },
		API:                c,
		AddMachines:        c.AddMachines,
		RemoveMachine:      c.RemoveMachine,
		SwitchOffMachine:   c.switchOffMachine,
		PlantLoadBalancer:  c.PlantLoadBalancer,
		RemoveLoadBalancer: c.RemoveLoadBalancer,
		PlantRoute:         c.PlantRoute,
		ExhaustQuota:       c.exhaustQuota,
		Snapshot:           c.snapshot,
		LoadBalancers:      func() int { return len(c.balancers) },
		Secrets:            func() []string { return []string{Token} },
	}
}

func (c *Cloud) switchOffMachine(off cloudcommand.Machine) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, each := range c.servers {
		if each.Name == off.Name {
			each.Status = "off"
		}
	}
	return nil
}

func (c *Cloud) exhaustQuota() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.full = true
	return nil
}

func (c *Cloud) snapshot() any {
	return object{"load_balancers": c.balancers, "networks": c.networks}
}
