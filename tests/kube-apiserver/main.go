// Command kube-apiserver runs etcd and the real kube-apiserver in one process on loopback, for
// the suites that must hold on both the sandbox and the real thing. See README.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// How long a stop may take before the process ends anyway: nothing in it is worth keeping.
const stopGrace = 3 * time.Second

type paths struct{ directory string }

func (p paths) file(name string) string { return filepath.Join(p.directory, name) }

func main() {
	directory := flag.String("directory", ".", "folder for certificates, etcd data, kubeconfig files and the ready file")
	port := flag.Int("port", 0, "HTTPS port of the API server on 127.0.0.1; 0 takes a free one")
	coordinated := flag.Bool("coordinated-leader-election", false, "serve LeaseCandidates and choose the holders of their Leases")
	audit := flag.Bool("audit", false, "write each request to audit.log: user, verb and object, without contents")
	verbosity := flag.Int("v", 0, "log verbosity of the API server")
	flag.Parse()
	if flag.NArg() != 0 {
		fail(fmt.Errorf("unexpected argument %q", flag.Arg(0)))
	}
	absolute, err := filepath.Abs(*directory)
	if err != nil {
		fail(err)
	}
	var more []string
	if *coordinated {
		more = []string{"--feature-gates=CoordinatedLeaderElection=true", "--runtime-config=coordination.k8s.io/v1beta1=true"}
	}
	if *audit {
		audited, err := auditFlags(paths{absolute})
		if err != nil {
			fail(err)
		}
		more = append(more, audited...)
	}
	if err := run(paths{absolute}, *port, *verbosity, more); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "kube-apiserver:", err)
	os.Exit(1)
}

// run serves until a signal; more are further flags of kube-apiserver.
func run(at paths, port, verbosity int, more []string) error {
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT)
	if err := os.MkdirAll(at.directory, 0o700); err != nil {
		return err
	}
	if err := os.RemoveAll(at.file("ready")); err != nil {
		return err
	}
	if _, err := os.Stat(at.file("ca.crt")); err != nil { // of an earlier start on this folder
		if err := writeCredentials(at); err != nil {
			return err
		}
	}
	servingPort, err := reservePort(port)
	if err != nil {
		return err
	}
	storePort, err := reservePort(0)
	if err != nil {
		return err
	}
	store := &store{directory: at.file("etcd"), port: storePort.number}
	if err := store.start(store.port); err != nil {
		return err
	}
	server := fmt.Sprintf("https://127.0.0.1:%d", servingPort.number)
	if err := writeAdminKubeconfig(at, server); err != nil {
		return err
	}

	ended := make(chan error, 1)
	command := app.NewAPIServerCommand()
	command.SetArgs(append(serverFlags(at, servingPort.number, storePort.number, verbosity), more...))
	go func() { ended <- command.Execute() }()
	go announce(at, server, store, ended)

	select {
	case err = <-ended:
		if err == nil {
			err = fmt.Errorf("the API server ended by itself")
		}
		return err
	case <-stopped:
		select {
		case <-ended:
		case <-time.After(stopGrace):
		}
	}
	store.stop()
	return nil
}

// serverFlags are kube-apiserver's own; what is not named keeps its default, since the defaults
// are what the suites are about.
func serverFlags(at paths, port, storePort, verbosity int) []string {
	return []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--permit-port-sharing=true", // the port is reserved by a socket of ours
		"--endpoint-reconciler-type=none",
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", storePort),
		"--tls-cert-file=" + at.file("serving.crt"),
		"--tls-private-key-file=" + at.file("serving.key"),
		"--client-ca-file=" + at.file("ca.crt"),
		"--service-account-key-file=" + at.file("service-account.key"),
		"--service-account-signing-key-file=" + at.file("service-account.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--authorization-mode=Node,RBAC",
		"--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112",
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--profiling=false",
		fmt.Sprintf("--v=%d", verbosity),
	}
}

// auditFlags writes the policy. A watch is written when it begins.
func auditFlags(at paths) ([]string, error) {
	policy := "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"
	if err := os.MkdirAll(at.directory, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(at.file("audit-policy.yaml"), []byte(policy), 0o600); err != nil {
		return nil, err
	}
	return []string{"--audit-policy-file=" + at.file("audit-policy.yaml"), "--audit-log-path=" + at.file("audit.log")}, nil
}

// announce waits until the server serves, creates the manager's account, and writes the ready
// file last, so that whoever sees it can use everything else.
func announce(at paths, server string, store *store, ended chan<- error) {
	control, err := prepare(at, server, store)
	if err == nil {
		err = writeReady(at, server, control)
	}
	if err != nil {
		ended <- err
		return
	}
	fmt.Printf("server %s\ncontrol %s\nkubeconfig %s\n", server, control, at.file("kubeconfig"))
}

func prepare(at paths, server string, store *store) (string, error) {
	client, err := adminClient(at)
	if err != nil {
		return "", err
	}
	if err := waitUntilReady(client); err != nil {
		return "", err
	}
	if err := createManagerAccount(at, server, client); err != nil {
		return "", err
	}
	return serveControl(store, client)
}

func writeReady(at paths, server, control string) error {
	content, err := json.Marshal(map[string]any{"server": server, "control": control, "pid": os.Getpid()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(at.file("ready.new"), append(content, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(at.file("ready.new"), at.file("ready"))
}
