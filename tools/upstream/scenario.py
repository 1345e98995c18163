"""A cluster and a cloud in which every controller of a manager has something to do, with success and without."""
import json
import re
import urllib.error

from cluster import Programs, eventually, free_port
from managers import CLUSTER_CIDR, PROVIDER, Api

USER = "system:serviceaccount:kube-system:cloud-controller-manager"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PATIENCE = 60  # seconds for one step
QUIET = 4  # seconds without a write mean that a manager has nothing to do
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown"
EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers"
KEPT = "worker-5"  # its deletion is refused
LABEL = re.compile(r'([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"')


class Scenario:
    def __init__(self, manager, kube_apiserver, folder):
        self.manager = manager
        self.folder = folder
        self.missed = []  # steps that did not happen
        folder.mkdir(parents=True)
        self.programs = Programs(folder)
        self.kube_apiserver = kube_apiserver
        self.given = {}

    def run(self, flags):
        """The metrics, requests and Events of a manager. Its flags get what only a running one tells."""
        try:
            self.start_cluster()
            self.cloud = self.manager.start_cloud(self.programs)
            self.create_nodes()
            self.start_manager()
            self.steps()
            self.manager.complete(flags, self)
            return {"metric": self.metrics(), "event": self.events(), "rbac": self.requests()}
        finally:
            self.programs.stop()

    def start_cluster(self):
        at = self.folder / "kube-apiserver"
        self.programs.start("kube-apiserver", self.kube_apiserver, "--directory", at, "--audit")
        process = self.programs.running["kube-apiserver"]
        eventually(lambda: (at / "ready").exists() or process.poll() is not None)
        if not (at / "ready").exists():
            raise RuntimeError("kube-apiserver does not start: %s" % self.programs.log("kube-apiserver"))
        server = json.loads((at / "ready").read_text())["server"]
        self.at = at
        self.api = Api(server, at / "ca.crt", certificate=(at / "admin.crt", at / "admin.key"))
        accounts = "/api/v1/namespaces/kube-system/serviceaccounts"
        self.api.call("POST", accounts, {"metadata": {"name": "scraper"}})
        # Both have all rights: the comparison is about those that they use.
        self.api.call("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
            "metadata": {"name": "comparison"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
            "subjects": [{"kind": "ServiceAccount", "namespace": "kube-system", "name": name}
                         for name in ("cloud-controller-manager", "scraper")]})
        self.token = self.api.call("POST", accounts + "/scraper/token", {"spec": {}})["status"]["token"]

    def start_manager(self):
        port = free_port()
        kubeconfig = self.at / "manager.kubeconfig"
        self.given = {
            "cloud-provider": PROVIDER, "cloud-config": self.cloud.config, "kubeconfig": kubeconfig, "secure-port": port,
            "authentication-kubeconfig": kubeconfig, "authorization-kubeconfig": kubeconfig, "bind-address": "127.0.0.1",
            "allocate-node-cidrs": "true", "cluster-cidr": CLUSTER_CIDR, "node-status-update-frequency": "5s",
            # The Lease is kept on a machine that is busy with other work.
            "leader-elect-lease-duration": "2m0s", "leader-elect-renew-deadline": "1m30s"}
        self.programs.start("manager", self.manager.program, *("--%s=%s" % flag for flag in self.given.items()))
        self.endpoint = Api("https://127.0.0.1:%d" % port, token=self.token)

    # The steps, each with what is to be seen.

    def steps(self):
        self.step("Nodes are initialised and routed to", lambda: all(self.routed("worker-%d" % number) for number in range(1, 6)))
        self.create_service("web")
        self.step("a Service has an address", lambda: self.address("web"))
        self.change_service("web", {"ports": [{"port": 443, "protocol": "TCP", "name": "https"}, {"port": 80, "protocol": "TCP", "name": "http"}]})
        self.change_service("web", {"loadBalancerSourceRanges": ["192.0.2.0/24"], "externalTrafficPolicy": "Local"})
        self.settle()
        self.lose_instances()
        self.shut_down()
        self.fail()
        self.exclude_nodes()
        self.change_service("web", {"type": "ClusterIP", "loadBalancerSourceRanges": None, "externalTrafficPolicy": None})
        self.step("a Service that is no load balancer any more has none", lambda: not self.address("web"))
        self.api.call("DELETE", "/api/v1/namespaces/default/services/broken")
        self.step("a Service is deleted", lambda: self.service("broken") is None)
        self.api.call("DELETE", "/api/v1/nodes/worker-1")
        self.settle()

    def create_nodes(self):
        self.api.call("POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", {
            "metadata": {"name": "kept"},
            "spec": {"failurePolicy": "Fail", "validations": [{"expression": "oldObject.metadata.name != '%s'" % KEPT}],
                     "matchConstraints": {"resourceRules": [
                         {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["nodes"], "operations": ["DELETE"]}]}}})
        self.api.call("POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", {
            "metadata": {"name": "kept"}, "spec": {"policyName": "kept", "validationActions": ["Deny"]}})
        for number in range(1, 6):
            self.join(number)

    def lose_instances(self):
        """The instances of two Nodes vanish: one Node can be deleted, the other cannot."""
        for name, number in (("worker-3", 3), (KEPT, 5)):
            self.cloud.remove(name, number)
            self.set_ready(name, False)
        self.step("a Node without an instance is deleted", lambda: self.node("worker-3") is None)
        self.step("an Event tells of a Node that cannot be deleted", lambda: "Node/DeletingNodeFailed" in self.events())
        self.api.call("DELETE", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/kept")
        self.step("it is deleted when that is allowed", lambda: self.node(KEPT) is None)

    def shut_down(self):
        self.cloud.put("worker-4", 4, running=False)
        self.set_ready("worker-4", False)
        self.step("a Node whose instance is shut down is tainted", lambda: self.tainted("worker-4", SHUTDOWN))
        self.cloud.put("worker-4", 4)
        self.set_ready("worker-4", True)
        self.step("the taint goes when the instance runs", lambda: not self.tainted("worker-4", SHUTDOWN))

    def fail(self):
        """The cloud refuses all changes, and does them later."""
        self.cloud.fail(True)
        self.create_service("broken")
        self.join(6)
        for event in ("Service/SyncLoadBalancerFailed", "Node/FailedToCreateRoute"):
            self.step("the Event %s tells of a failure" % event, lambda name=event: name in self.events())
        self.settle()
        self.cloud.fail(False)
        self.step("a Service has an address after a failure", lambda: self.address("broken"))
        self.step("a Node has a route after a failure", lambda: self.routed("worker-6"))
        self.settle()

    def exclude_nodes(self):
        """No Node is a backend for a while."""
        names = [node["metadata"]["name"] for node in self.api.get("/api/v1/nodes")["items"]]
        for value in ("true", None):
            for name in names:
                self.api.call("PATCH", "/api/v1/nodes/" + name, {"metadata": {"labels": {EXCLUDED: value}}}, MERGE)
            self.settle()

    # The cluster.

    def join(self, number):
        name = "worker-%d" % number
        self.cloud.put(name, number)
        self.api.call("POST", "/api/v1/nodes", {
            "metadata": {"name": name},
            "spec": {"podCIDR": "10.244.%d.0/24" % number, "podCIDRs": ["10.244.%d.0/24" % number],
                     "taints": [{"key": UNINITIALIZED, "value": "true", "effect": "NoSchedule"}]}})
        self.set_ready(name, True)

    def set_ready(self, name, ready):
        condition = {"type": "Ready", "status": "True" if ready else "Unknown", "reason": "Scenario"}
        self.api.call("PATCH", "/api/v1/nodes/%s/status" % name, {"status": {"conditions": [condition]}}, STRATEGIC)

    def node(self, name):
        return self.api.get("/api/v1/nodes/" + name)

    def tainted(self, name, key):
        return any(taint["key"] == key for taint in self.node(name)["spec"].get("taints", []))

    def routed(self, name):
        node = self.node(name)
        return node["spec"].get("providerID") and not self.tainted(name, UNINITIALIZED) and any(
            condition["type"] == "NetworkUnavailable" and condition["status"] == "False" for condition in node["status"]["conditions"])

    def create_service(self, name):
        self.api.call("POST", "/api/v1/namespaces/default/services", {
            "metadata": {"name": name}, "spec": {"type": "LoadBalancer", "ports": [{"port": 80, "protocol": "TCP"}]}})

    def change_service(self, name, spec):
        self.api.call("PATCH", "/api/v1/namespaces/default/services/" + name, {"spec": spec}, MERGE)

    def service(self, name):
        return self.api.get("/api/v1/namespaces/default/services/" + name)

    def address(self, name):
        return self.service(name)["status"].get("loadBalancer", {}).get("ingress")

    # Watching.

    def step(self, text, happened):
        if not eventually(happened, PATIENCE):
            self.missed.append(text)
        if self.programs.running["manager"].poll() is not None:
            raise RuntimeError("%s ended: %s" % (self.manager.name, self.programs.log("manager")))
        self.settle()

    def settle(self):
        """Until the manager writes nothing but its Lease and Events any more."""
        seen = []

        def quiet():
            seen.append(sum(1 for entry in self.audited() if entry["verb"] not in ("get", "list", "watch")
                            and entry["objectRef"]["resource"] not in ("leases", "events")))
            return len(seen) > QUIET / 0.2 and seen[-1] == seen[-1 - int(QUIET / 0.2)]
        eventually(quiet, PATIENCE)

    def audited(self):
        """The manager's requests for objects."""
        for line in (self.at / "audit.log").read_text().split("\n"):
            try:
                entry = json.loads(line)
            except ValueError:  # the last one, while it is written
                continue
            if entry["user"]["username"] == USER and "objectRef" in entry:
                yield entry

    # Facts.

    def requests(self):
        found = {}
        for entry in self.audited():
            object_of = entry["objectRef"]
            resource = "/".join(part for part in (object_of.get("apiGroup"), object_of["resource"], object_of.get("subresource")) if part)
            found["%s %s" % (entry["verb"], resource)] = {}
        return found

    def events(self):
        return {"%s/%s" % (event["involvedObject"]["kind"], event["reason"]): {
            "type": event["type"], "component": event.get("reportingComponent") or event["source"].get("component", "")}
            for event in self.api.get("/api/v1/events")["items"]
            if (event.get("reportingComponent") or event["source"].get("component", "")) != "kube-apiserver"}

    def page(self, path):
        return self.endpoint.text("GET", path)

    def metrics(self):
        families = {}
        for path in ("/metrics", "/metrics/slis"):
            labels = None
            for line in self.page(path).split("\n"):
                if line.startswith("# TYPE "):
                    _, _, name, kind = line.split(" ")
                    labels = families.setdefault(name, {"type": kind, "labels": set()})["labels"]
                elif "{" in line and not line.startswith("#"):
                    labels.update(set(LABEL.findall(line[line.index("{"):line.rindex("}")])) - {"le", "quantile"})
        for family in families.values():
            family["labels"] = ",".join(sorted(family["labels"]))
        return families
