package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

const providerName = "sandbox"

func init() {
	cloudprovider.RegisterCloudProvider(providerName, func(file io.Reader) (cloudprovider.Interface, error) {
		if file == nil {
			return nil, fmt.Errorf("--cloud-config is missing")
		}
		text, err := io.ReadAll(file)
		if err != nil {
			return nil, err
		}
		var named struct {
			Machines string `json:"instances"`
		}
		if err := json.Unmarshal(text, &named); err != nil {
			return nil, fmt.Errorf("--cloud-config: %w", err)
		}
		return &cloud{instances: named.Machines, balancers: map[types.UID]*v1.LoadBalancerStatus{}, routes: map[string]*cloudprovider.Route{}}, nil
	})
}

// instance is an entry of the file that --cloud-config names; the file is read for each question, so a test edits it.
type instance struct {
	Name      string            `json:"name"`
	ID        string            `json:"id"`
	Type      string            `json:"type"`
	Zone      string            `json:"zone"`
	Region    string            `json:"region"`
	State     string            `json:"state"` // running, shutdown
	Addresses map[string]string `json:"addresses"`
	// Only of the entry named "cloud": the cloud's answer to every change of load balancers and routes; empty: it works.
	Failure string `json:"failure"`
}

type cloud struct {
	instances string
	mutex     sync.Mutex
	balancers map[types.UID]*v1.LoadBalancerStatus
	routes    map[string]*cloudprovider.Route
	made      int
}

func (c *cloud) Initialize(cloudprovider.ControllerClientBuilder, <-chan struct{}) {}
func (c *cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool)                  { return c, true }
func (c *cloud) Instances() (cloudprovider.Instances, bool)                        { return nil, false }
func (c *cloud) InstancesV2() (cloudprovider.InstancesV2, bool)                    { return c, true }
func (c *cloud) Zones() (cloudprovider.Zones, bool)                                { return nil, false }
func (c *cloud) Clusters() (cloudprovider.Clusters, bool)                          { return nil, false }
func (c *cloud) Routes() (cloudprovider.Routes, bool)                              { return c, true }
func (c *cloud) ProviderName() string                                              { return providerName }
func (c *cloud) HasClusterID() bool                                                { return true }

func (c *cloud) read() ([]instance, error) {
	text, err := os.ReadFile(c.instances)
	if err != nil {
		return nil, err
	}
	var found []instance
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, err
	}
	return found, nil
}

func (c *cloud) find(node *v1.Node) (*instance, error) {
	all, err := c.read()
	if err != nil {
		return nil, err
	}
	id := strings.TrimPrefix(node.Spec.ProviderID, providerName+"://")
	for i := range all {
		if (id != "" && all[i].ID == id) || (id == "" && all[i].Name == node.Name) {
			return &all[i], nil
		}
	}
	return nil, cloudprovider.InstanceNotFound
}

// failure is the error that the cloud is to give; the entry named "cloud" in the file has it.
func (c *cloud) failure() error {
	all, err := c.read()
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.Name == "cloud" && one.Failure != "" {
			return fmt.Errorf("%s", one.Failure)
		}
	}
	return nil
}

func (c *cloud) InstanceExists(_ context.Context, node *v1.Node) (bool, error) {
	_, err := c.find(node)
	if err == cloudprovider.InstanceNotFound {
		return false, nil
	}
	return err == nil, err
}

func (c *cloud) InstanceShutdown(_ context.Context, node *v1.Node) (bool, error) {
	found, err := c.find(node)
	if err != nil {
		return false, err
	}
	return found.State == "shutdown", nil
}

func (c *cloud) InstanceMetadata(_ context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	found, err := c.find(node)
	if err != nil {
		return nil, err
	}
	metadata := &cloudprovider.InstanceMetadata{ProviderID: providerName + "://" + found.ID, InstanceType: found.Type, Zone: found.Zone,
		Region: found.Region}
	for _, kind := range []v1.NodeAddressType{v1.NodeInternalIP, v1.NodeExternalIP, v1.NodeHostName} {
		if address := found.Addresses[string(kind)]; address != "" {
			metadata.NodeAddresses = append(metadata.NodeAddresses, v1.NodeAddress{Type: kind, Address: address})
		}
	}
	return metadata, nil
}

func (c *cloud) GetLoadBalancer(_ context.Context, _ string, service *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	status, exists := c.balancers[service.UID]
	return status, exists, nil
}

func (c *cloud) GetLoadBalancerName(_ context.Context, _ string, service *v1.Service) string {
	return cloudprovider.DefaultLoadBalancerName(service)
}

func (c *cloud) EnsureLoadBalancer(_ context.Context, _ string, service *v1.Service, _ []*v1.Node) (*v1.LoadBalancerStatus, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.failure(); err != nil {
		return nil, err
	}
	if c.balancers[service.UID] == nil {
		c.made++
		c.balancers[service.UID] = &v1.LoadBalancerStatus{Ingress: []v1.LoadBalancerIngress{{IP: fmt.Sprintf("198.18.0.%d", c.made)}}}
	}
	return c.balancers[service.UID], nil
}

func (c *cloud) UpdateLoadBalancer(context.Context, string, *v1.Service, []*v1.Node) error {
	return c.failure()
}

func (c *cloud) EnsureLoadBalancerDeleted(_ context.Context, _ string, service *v1.Service) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.failure(); err != nil {
		return err
	}
	delete(c.balancers, service.UID)
	return nil
}

func (c *cloud) ListRoutes(context.Context, string) ([]*cloudprovider.Route, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var found []*cloudprovider.Route
	for _, route := range c.routes {
		found = append(found, route)
	}
	return found, nil
}

func (c *cloud) CreateRoute(_ context.Context, _ string, name string, route *cloudprovider.Route) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.failure(); err != nil {
		return err
	}
	kept := *route
	kept.Name = name
	c.routes[route.DestinationCIDR] = &kept
	return nil
}

func (c *cloud) DeleteRoute(_ context.Context, _ string, route *cloudprovider.Route) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.failure(); err != nil {
		return err
	}
	delete(c.routes, route.DestinationCIDR)
	return nil
}
