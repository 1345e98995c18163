package main

import (
	"context"
	"strings"

	"ccm"
)

// A route bears no mark, so its network does: a label for each route, hcloud-ccm-route/10.244.1.0_24, with the name of the
// cluster. It is there before the route is, and goes after it.
const routeLabel = "hcloud-ccm-route/"

func markOf(destination string) string { return routeLabel + strings.ReplaceAll(destination, "/", "_") }

func (n network) owned(cluster, destination string) bool {
	return n.Labels[markOf(destination)] == cluster
}

// mark gives and takes marks, in one request; none when all is right. The API replaces all labels, so those of others are sent
// along.
func (p *provider) mark(ctx context.Context, of *network, cluster string, give, take []string) error {
	labels, changed := map[string]string{}, false
	for key, value := range of.Labels {
		labels[key] = value
	}
	for _, destination := range give {
		if labels[markOf(destination)] != cluster {
			labels[markOf(destination)], changed = cluster, true
		}
	}
	for _, destination := range take {
		if labels[markOf(destination)] == cluster {
			delete(labels, markOf(destination))
			changed = true
		}
	}
	if !changed {
		return nil
	}
	of.sweep(labels, cluster, give)
	if err := p.api.call(ctx, "UpdateNetwork", "PUT", path([]any{"networks", of.ID}), object{"labels": labels}, nil); err != nil {
		return err
	}
	of.Labels = labels
	return nil
}

// sweep takes marks of routes that are neither there nor to be made: such as those of a route that somebody else removed.
func (n network) sweep(labels map[string]string, cluster string, kept []string) {
	known := map[string]bool{}
	for _, destination := range kept {
		known[markOf(destination)] = true
	}
	for _, route := range *n.Routes {
		known[markOf(route.Destination)] = true
	}
	for key, value := range labels {
		if strings.HasPrefix(key, routeLabel) && value == cluster && !known[key] {
			delete(labels, key)
		}
	}
}

// clusterLabel refuses a name that cannot be the value of a label.
func clusterLabel(cluster string) error {
	ok := cluster != "" && len(cluster) <= 63
	for i, c := range cluster {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		inside := i > 0 && i < len(cluster)-1 && strings.ContainsRune("-_.", c)
		ok = ok && (letter || inside)
	}
	if !ok {
		return ccm.InvalidSpec("--cluster-name is %q: routes need one that can be the value of a label, at most 63 letters, digits, and -_. inside", cluster)
	}
	return nil
}
