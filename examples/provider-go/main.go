// A whole cloud provider: the machines of a rack, one in each line of the file that --cloud-config names.
package main

import (
	"context"
	"strings"

	"ccm"
)

type rack struct{ host *ccm.Host }

func init() {
	ccm.Register("rack", func(host *ccm.Host) (*rack, error) { return &rack{host}, nil })
}

func main() {} // never called: the host loads this as a plugin

// Initialize refuses a configuration that nobody can read, before anything depends on it.
func (r *rack) Initialize(ctx context.Context) error {
	_, err := r.ListInstances(ctx)
	return err
}

// ListInstances gives all machines or an error: never a part, which would look like vanished machines. The host answers
// every controller from this one listing.
func (r *rack) ListInstances(context.Context) (list ccm.InstanceList, err error) {
	text, ok := r.host.CloudConfig()
	if !ok {
		return list, ccm.InvalidConfig("--cloud-config must name a file with a machine in each line: SERIAL HOST ADDRESS MODEL ROW on|off")
	}
	for number, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 6 || (words[5] != "on" && words[5] != "off") {
			return list, ccm.Unavailable("line %d is not SERIAL HOST ADDRESS MODEL ROW on|off", number+1)
		}
		list.Instances = append(list.Instances, machine(words))
	}
	return list, nil
}

func machine(words []string) ccm.Instance {
	state := ccm.Running
	if words[5] == "off" {
		state = ccm.Shutdown // it still exists; only Terminated would lose its Node
	}
	return ccm.Instance{
		State:      state,
		ProviderID: "rack://" + words[0],
		Name:       words[1],
		Type:       words[3],
		Zone:       "row-" + words[4],
		Region:     "cellar",
		Addresses:  []ccm.NodeAddress{{Type: "InternalIP", Address: words[2]}, {Type: "Hostname", Address: words[1]}},
		Labels:     map[string]string{"rack.example.com/serial": words[0]},
	}
}
