package main

import (
	"context"

	"ccm"
)

type machine struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Zone    string `json:"zone"`
	Address string `json:"address"`
	Running bool   `json:"running"`
}

// ListInstances gives every machine on all pages, or an error: never a part, which would look like vanished machines. A cloud
// whose pages have numbers moves machines from one to another meanwhile: see ccm.ListSteadily.
func (p *provider) ListInstances(ctx context.Context) (list ccm.InstanceList, err error) {
	for path := "/machines"; path != ""; {
		var page struct {
			Machines *[]machine `json:"machines"`
			Next     string     `json:"next"`
		}
		if err := p.api.call(ctx, "ListMachines", "GET", path, nil, &page); err != nil {
			return list, err
		}
		if page.Machines == nil {
			return list, ccm.Unavailable("ListMachines: the answer has no list")
		}
		for _, found := range *page.Machines {
			list.Instances = append(list.Instances, instance(found))
		}
		path = nextPage("/machines", page.Next)
	}
	return list, nil
}

func instance(found machine) ccm.Instance {
	state := ccm.Running
	if !found.Running {
		state = ccm.Shutdown // it still exists; only Terminated would lose its Node
	}
	return ccm.Instance{
		State:      state,
		ProviderID: "@NAME@://" + found.ID,
		Name:       found.Name,
		Type:       found.Type,
		Zone:       found.Zone,
		Addresses:  []ccm.NodeAddress{{Type: "InternalIP", Address: found.Address}},
	}
}
