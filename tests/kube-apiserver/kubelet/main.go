// Command kubelet is the real kubelet with a runtime that only says that it runs containers (kubemark's hollow kubelet). It
// registers as --cloud-provider=external has it: with the taint, without addresses and provider ID. kubemark's own program
// cannot do that.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	runtime "k8s.io/cri-client/pkg"
	fakeruntime "k8s.io/cri-client/pkg/fake"
	cadvisor "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubemark"
)

const (
	statusPeriod = 2 * time.Second // a dead one is noticed early
	maxPods      = 110
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "who it is to the API server")
	name := flag.String("hostname-override", "", "name of its Node")
	flag.Parse()
	if err := run(context.Background(), *kubeconfig, *name); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, kubeconfig, name string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	endpoint, err := fakeruntime.GenerateEndpoint()
	if err != nil {
		return err
	}
	containers := fakeruntime.NewFakeRemoteRuntime()
	if err := containers.Start(endpoint); err != nil {
		return err
	}
	defer containers.Stop()
	service, err := runtime.NewRemoteRuntimeService(ctx, endpoint, 15*time.Second, noop.NewTracerProvider(), false)
	if err != nil {
		return err
	}

	flags, settings := kubemark.GetHollowKubeletConfig(&kubemark.HollowKubeletOptions{NodeName: name, MaxPods: maxPods})
	flags.CloudProvider = "external"
	settings.ProviderID = ""
	settings.EnableServer = false
	settings.NodeStatusUpdateFrequency.Duration = statusPeriod
	settings.NodeLeaseDurationSeconds = int32(4 * statusPeriod / time.Second)
	kubemark.NewHollowKubelet(flags, settings, client, client, &cadvisor.Fake{NodeName: name}, containers.ImageService, service,
		cm.NewStubContainerManager()).Run(ctx)
	return nil
}
