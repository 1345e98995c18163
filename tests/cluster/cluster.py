"""A Kubernetes cluster on loopback, of the real programs: kube-apiserver with etcd, kube-controller-manager, kube-scheduler, and
kubelets whose runtime only says that it runs containers."""
import json
import os
import pathlib
import socket
import subprocess
import time

PATIENCE = 180  # seconds; an orphaned Pod is deleted a minute after its Node, and the machine may do other work
POD_RANGES = "10.244.0.0/16"


def eventually(condition, patience=PATIENCE):
    """The first true value of condition(); the last one when time is over."""
    until = time.monotonic() + patience
    while True:
        value = condition()
        if value or time.monotonic() > until:
            return value
        time.sleep(0.2)


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


class Programs:
    """Child processes with a log each, in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.running = {}

    def start(self, name, *command, environment=None):
        with open(self.folder / (name + ".log"), "w") as log:
            self.running[name] = subprocess.Popen([str(part) for part in command], stdout=log, stderr=subprocess.STDOUT,
                                                  env={**os.environ, "TMPDIR": str(self.folder), **(environment or {})})

    def start_ready(self, name, program):
        """One that writes a file `ready`: its content, and its folder."""
        folder = self.folder / name
        self.start(name, program, "--directory", folder)
        assert eventually(lambda: (folder / "ready").exists() or self.running[name].poll() is not None), self.log(name)
        assert self.running[name].poll() is None, self.log(name)
        return json.loads((folder / "ready").read_text()), folder

    def kill(self, name):
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def log(self, name):
        return (self.folder / (name + ".log")).read_text()[-6000:]

    def stop(self):
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running.clear()


class Cluster:
    def __init__(self, programs, kubernetes, components=("kube-controller-manager", "kube-scheduler")):
        """kubernetes: the folder with its programs. components: what runs beside kube-apiserver."""
        self.programs = programs
        self.kubernetes = pathlib.Path(kubernetes)
        self.ready, self.folder = programs.start_ready("kube-apiserver", self.kubernetes / "kube-apiserver")
        self.kubeconfig = self.folder / "kubeconfig"
        for name, flags in {
                "kube-controller-manager": [
                    "--root-ca-file=%s" % (self.folder / "ca.crt"),
                    "--service-account-private-key-file=%s" % (self.folder / "service-account.key"),
                    "--allocate-node-cidrs", "--cluster-cidr=" + POD_RANGES,
                    # A dead kubelet is noticed early; the default is for networks that fail.
                    "--node-monitor-period=1s", "--node-monitor-grace-period=10s"],
                "kube-scheduler": []}.items():
            if name not in components:
                continue
            programs.start(name, self.kubernetes / name, "--kubeconfig=%s" % self.kubeconfig, "--leader-elect=false",
                           "--bind-address=127.0.0.1", "--secure-port=%d" % free_port(), *flags)

    def kubectl(self, *arguments, input=None, kubeconfig=None):
        ended = subprocess.run(["kubectl", "--kubeconfig=%s" % (kubeconfig or self.kubeconfig), *arguments],
                               input=input, capture_output=True, text=True)
        assert ended.returncode == 0, "kubectl %s\n%s" % (" ".join(arguments), ended.stderr)
        return ended.stdout

    def get(self, *arguments):
        answer = json.loads(self.kubectl("get", *arguments, "-o", "json"))
        return answer["items"] if answer["kind"] == "List" else answer

    def apply(self, *objects):
        self.kubectl("apply", "--server-side", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def join(self, name):
        """A kubelet with the identity that the API server's authorizer knows as this Node's."""
        key, request, certificate = (self.folder / (name + ending) for ending in (".key", ".csr", ".crt"))
        for command in [
                ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", request,
                 "-subj", "/O=system:nodes/CN=system:node:" + name],
                ["x509", "-req", "-in", request, "-CA", self.folder / "ca.crt", "-CAkey", self.folder / "ca.key", "-days", "1",
                 "-CAcreateserial", "-out", certificate]]:
            subprocess.run(["openssl", *map(str, command)], check=True, capture_output=True)
        kubeconfig = self.folder / (name + ".kubeconfig")
        kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {
                "server": self.ready["server"], "certificate-authority": str(self.folder / "ca.crt")}}],
            "users": [{"name": "u", "user": {"client-certificate": str(certificate), "client-key": str(key)}}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        self.programs.start(name, self.kubernetes / "kubelet", "--kubeconfig", kubeconfig, "--hostname-override", name)

    def die(self, name):
        """The machine is gone, and its kubelet with it."""
        self.programs.kill(name)

    def report(self):
        for name in self.programs.running:
            print("===== %s\n%s" % (name, self.programs.log(name)))
        print(self.kubectl("get", "nodes,pods,services,events", "-o", "wide"))
