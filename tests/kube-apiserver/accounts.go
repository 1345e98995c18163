package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	startTimeout = 120 * time.Second
	tokenSeconds = int64(24 * 60 * 60)
	managerName  = "cloud-controller-manager"
)

func adminClient(at paths) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", at.file("kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = -1, -1
	return kubernetes.NewForConfig(config)
}

// waitUntilReady returns when /readyz answers 200 and the namespaces of a new cluster exist.
func waitUntilReady(client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		err := checkReady(ctx, client)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server is not ready after %s: %w", startTimeout, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func checkReady(ctx context.Context, client kubernetes.Interface) error {
	status := 0
	result := client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).StatusCode(&status)
	if err := result.Error(); err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("/readyz answers %d", status)
	}
	for _, namespace := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if _, err := client.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func clusterEntry(at paths, server string) (*clientcmdapi.Config, error) {
	ca, err := os.ReadFile(at.file("ca.crt"))
	if err != nil {
		return nil, err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["kube-apiserver"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	return config, nil
}

func writeKubeconfig(file string, config *clientcmdapi.Config, user string, credentials *clientcmdapi.AuthInfo) error {
	config.AuthInfos[user] = credentials
	config.Contexts[user] = &clientcmdapi.Context{Cluster: "kube-apiserver", AuthInfo: user}
	config.CurrentContext = user
	return clientcmd.WriteToFile(*config, file)
}

func writeAdminKubeconfig(at paths, server string) error {
	config, err := clusterEntry(at, server)
	if err != nil {
		return err
	}
	certificate, err := os.ReadFile(at.file("admin.crt"))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(at.file("admin.key"))
	if err != nil {
		return err
	}
	return writeKubeconfig(at.file("kubeconfig"), config, "admin",
		&clientcmdapi.AuthInfo{ClientCertificateData: certificate, ClientKeyData: key})
}

// createManagerAccount makes the service account under which the suites run the manager and
// writes manager.kubeconfig with a token of it. It has no rights: the suites give it those that
// an operator would, from what ccmctl rbac prints.
func createManagerAccount(at paths, server string, client kubernetes.Interface) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	meta := metav1.ObjectMeta{Name: managerName}
	options := metav1.CreateOptions{}
	accounts := client.CoreV1().ServiceAccounts(metav1.NamespaceSystem)
	_, err := accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, options)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	seconds := tokenSeconds
	token, err := accounts.CreateToken(ctx, managerName,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, options)
	if err != nil {
		return err
	}
	config, err := clusterEntry(at, server)
	if err != nil {
		return err
	}
	return writeKubeconfig(at.file("manager.kubeconfig"), config, managerName, &clientcmdapi.AuthInfo{Token: token.Status.Token})
}
