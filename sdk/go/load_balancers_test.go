package ccm

import (
	"errors"
	"strings"
	"testing"
)

func TestPortsWithoutNodePortsAreNamed(t *testing.T) {
	of := Service{Ports: []ServicePort{{Protocol: "TCP", Port: 80}, {Protocol: "TCP", Port: 81, NodePort: 30081},
		{Protocol: "UDP", Port: 443}}}
	var said *Error
	if err := of.NeedNodePorts(); !errors.As(err, &said) || said.Class != ClassInvalidSpec ||
		!strings.Contains(said.Message, "for 80/TCP, 443/UDP: set spec.allocateLoadBalancerNodePorts") {
		t.Errorf("got %v", err)
	}
	of.Ports = of.Ports[1:2]
	if err := of.NeedNodePorts(); err != nil {
		t.Errorf("got %v", err)
	}
}
