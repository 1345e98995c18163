package main

import (
	"context"
	"strconv"

	"ccm"
)

type network struct {
	ID     int64             `json:"id"`
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
	Routes *[]networkRoute   `json:"routes"`
}

type networkRoute struct {
	Destination string `json:"destination"`
	Gateway     string `json:"gateway"`
}

// findNetwork gives the id of the network of that name or id.
func (c *client) findNetwork(ctx context.Context, nameOrID string) (int64, error) {
	if number, err := strconv.ParseInt(nameOrID, 10, 64); err == nil {
		found, err := c.network(ctx, number)
		if isCode(err, "not_found") {
			err = noNetwork(nameOrID)
		}
		return found.ID, err
	}
	var answer struct {
		Networks *[]network `json:"networks"`
	}
	if err := c.call(ctx, "GetNetworkByName", "GET", path([]any{"networks"}, "name", nameOrID), nil, &answer); err != nil {
		return 0, err
	}
	if answer.Networks == nil {
		return 0, ccm.Unavailable("GetNetworkByName: the answer has no list of networks")
	}
	for _, found := range *answer.Networks {
		if found.Name == nameOrID {
			return found.ID, nil
		}
	}
	return 0, noNetwork(nameOrID)
}

func noNetwork(nameOrID string) error {
	return ccm.InvalidConfig("--hcloud-network: there is no network %q in the project of the token", nameOrID)
}

func (c *client) network(ctx context.Context, number int64) (network, error) {
	var answer struct {
		Network *network `json:"network"`
	}
	err := c.call(ctx, "GetNetwork", "GET", path([]any{"networks", number}), nil, &answer)
	if err == nil && (answer.Network == nil || answer.Network.ID != number || answer.Network.Routes == nil) {
		err = ccm.Unavailable("GetNetwork: the answer has no network %d with routes", number)
	}
	if err != nil {
		return network{}, err
	}
	return *answer.Network, nil
}
