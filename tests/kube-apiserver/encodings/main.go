// Facts about Kubernetes' two encodings, from its own Go types: `encodings table` prints
// core/kube/protobuf_table.txt, `encodings objects` the objects of tests/unit/kube/encodings.txt.
package main

import (
	"fmt"
	"os"
	"reflect"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type root struct {
	apiVersion, kind string
	of               reflect.Type
}

func rootOf[T any](apiVersion string) root {
	of := reflect.TypeFor[T]()
	return root{apiVersion, of.Name(), of}
}

// The kinds that informers read in protobuf.
func objects() []root {
	return []root{
		rootOf[core.ConfigMap]("v1"),
		rootOf[core.Endpoints]("v1"),
		rootOf[core.Namespace]("v1"),
		rootOf[core.Node]("v1"),
		rootOf[core.Secret]("v1"),
		rootOf[core.Service]("v1"),
		rootOf[core.ServiceAccount]("v1"),
		rootOf[coordination.Lease]("coordination.k8s.io/v1"),
		rootOf[discovery.EndpointSlice]("discovery.k8s.io/v1"),
	}
}

// Besides objects there come: failures, and the head of every list.
func others() []root {
	return []root{rootOf[meta.Status]("v1"), rootOf[meta.ListMeta]("")}
}

func main() {
	print := map[string]func() error{"table": printTable, "objects": printObjects}
	if len(os.Args) != 2 || print[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: encodings table|objects")
		os.Exit(2)
	}
	if err := print[os.Args[1]](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
