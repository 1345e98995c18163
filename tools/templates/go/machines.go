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

// ListInstances gives every machine, or an error: never a part, which would look like vanished machines.
func (p *provider) ListInstances(ctx context.Context) (list ccm.InstanceList, err error) {
	var answer struct {
		Machines *[]machine `json:"machines"`
	}
	if err := p.api.call(ctx, "ListMachines", "GET", "/machines", nil, &answer); err != nil {
		return list, err
	}
	if answer.Machines == nil {
		return list, ccm.Unavailable("ListMachines: the answer has no list of machines")
	}
	for _, found := range *answer.Machines {
		list.Instances = append(list.Instances, instance(found))
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
