#!/usr/bin/env python3
"""cluster_test.py KUBERNETES BUILD [CLOUD]: a cluster of real programs from its first node to a lost one, with the sandbox cloud
and with the fake of DigitalOcean's API. KUBERNETES: the folder that build.sh filled. Needs kubectl and openssl."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from cluster import POD_RANGES, Cluster, Programs, eventually
from clouds import DigitalOcean, Sandbox

KUBERNETES, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
TAINT = "node.cloudprovider.kubernetes.io/uninitialized"
LABELS = {"app": "web"}
WEB = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
    "spec": {"replicas": 6, "selector": {"matchLabels": LABELS}, "template": {
        "metadata": {"labels": LABELS},
        "spec": {"containers": [{"name": "web", "image": "registry.example.com/web:1"}],
                 "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
                                                "labelSelector": {"matchLabels": LABELS}}]}}}}
SERVICE = {
    "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
    "spec": {"type": "LoadBalancer", "selector": LABELS, "ports": [{"port": 80, "protocol": "TCP"}]}}


def taints(node):
    return [taint["key"] for taint in node["spec"].get("taints", [])]


class WholeCluster:
    """The tests run in the order of their names, on one cluster: each goes on from the one before."""
    cloud_class = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ccm-cluster.")
        cls.addClassCleanup(folder.cleanup)
        cls.programs = Programs(folder.name)
        cls.addClassCleanup(cls.programs.stop)
        cls.cloud = cls.cloud_class(cls.programs, BUILD)
        cls.cluster = Cluster(cls.programs, KUBERNETES)
        cls.failed = False

    def setUp(self):
        if type(self).failed:
            self.skipTest("an earlier step failed")
        self.begun = time.monotonic()

    def tearDown(self):
        print("%.1f s" % (time.monotonic() - self.begun), file=sys.stderr)

    def await_(self, condition, about):
        value = eventually(condition)
        if not value:
            type(self).failed = True
            self.cluster.report()
        self.assertTrue(value, about)
        return value

    def join(self, number):
        name = "worker-%d" % number
        self.cloud.add(name, number)
        self.cluster.join(name)

    def nodes(self):
        return {node["metadata"]["name"]: node for node in self.cluster.get("nodes")}

    @staticmethod
    def ready(node):
        return any(one["type"] == "Ready" and one["status"] == "True" for one in node["status"].get("conditions", []))

    def initialised(self, count):
        """Whether there are that many Nodes, Ready, without a taint and with all that the cloud knows."""
        nodes = self.nodes()
        for name, node in nodes.items():
            if not self.ready(node) or taints(node) or not node["spec"].get("podCIDR"):
                return False
            if node["spec"].get("providerID") != self.cloud.provider_id(int(name.split("-")[1])):
                return False
            if not [address for address in node["status"].get("addresses", []) if address["type"] == "InternalIP"]:
                return False
            if "node.kubernetes.io/instance-type" not in node["metadata"]["labels"]:
                return False
        return len(nodes) == count

    def pods(self, phase="Running"):
        """Name and node of those that are not being deleted."""
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in self.cluster.get("pods", "-l", "app=web")
                if pod["status"]["phase"] == phase and "deletionTimestamp" not in pod["metadata"]}

    def behind_the_load_balancer(self, numbers):
        return self.cloud.backends() == [sorted(self.cloud.provider_id(number) for number in numbers)]

    def routed(self):
        ranges = [node["spec"]["podCIDR"] for node in self.nodes().values()]
        return self.cloud.routes() is None or sorted(self.cloud.routes()) == sorted(ranges)

    def test_1_pods_wait_on_nodes_that_no_manager_has_initialised(self):
        for number in (1, 2, 3):
            self.join(number)
        self.cluster.apply(WEB)

        def registered():
            nodes = self.nodes().values()
            return len(nodes) == 3 and all(self.ready(node) and taints(node) == [TAINT] for node in nodes)
        self.await_(registered, "kubelets with --cloud-provider=external are Ready, and have the taint and no other")

        def waiting():
            said = [condition.get("message", "") for pod in self.cluster.get("pods", "-l", "app=web")
                    for condition in pod["status"].get("conditions", [])
                    if condition["type"] == "PodScheduled" and condition.get("reason") == "Unschedulable"]
            return len(said) == 6 and all("untolerated taint" in text for text in said)
        self.await_(waiting, "the scheduler says that all Pods wait for a taint")
        self.assertEqual(self.pods("Running"), {})
        self.assertFalse([node for node in self.nodes().values() if node["spec"].get("providerID")])

    def test_2_nodes_are_initialised_and_pods_run(self):
        provider, *_ = [flag.split("=")[1] for flag in self.cloud.flags if flag.startswith("--cloud-provider=")]
        rights = subprocess.run([BUILD / "bin/ccmctl", "rbac", "--cloud-provider=" + provider], check=True, capture_output=True, text=True)
        self.cluster.kubectl("apply", "--server-side", "-f", "-", input=rights.stdout)
        for replica in ("manager-1", "manager-2"):
            self.programs.start(replica, BUILD / "bin/cloud-controller-manager", "--secure-port=0",
                                "--kubeconfig=%s" % (self.cluster.folder / "manager.kubeconfig"), *self.cloud.flags,
                                environment=self.cloud.environment)
        self.await_(lambda: self.initialised(3), "all nodes are initialised and Ready")
        self.await_(lambda: sorted(self.pods().values()) == sorted(2 * ["worker-1", "worker-2", "worker-3"]), "all Pods run")
        self.await_(self.routed, "each node's range has its route, where the cloud has routes")

    def test_3_a_service_gets_its_address(self):
        self.cluster.apply(SERVICE)
        self.await_(lambda: self.cluster.get("service", "web")["status"].get("loadBalancer", {}).get("ingress"), "the Service has an address")
        self.await_(lambda: self.behind_the_load_balancer([1, 2, 3]), "all nodes are behind the load balancer")

    def test_4_a_machine_vanishes_and_its_pods_move(self):
        before = self.pods()
        self.cluster.die("worker-2")
        self.cloud.remove("worker-2", 2)
        self.await_(lambda: set(self.nodes()) == {"worker-1", "worker-3"}, "the Node is deleted")
        self.await_(lambda: self.behind_the_load_balancer([1, 3]), "the load balancer follows")

        def moved():
            pods = self.pods()
            return pods if len(pods) == 6 and set(pods.values()) == {"worker-1", "worker-3"} else None
        after = self.await_(moved, "its Pods run elsewhere")
        self.assertEqual({name: node for name, node in before.items() if node != "worker-2"}.items() - after.items(), set(),
                         "Pods of the other nodes stayed")
        self.await_(self.routed, "its route is gone")

    def test_5_a_new_machine_joins(self):
        self.join(4)
        self.await_(lambda: self.initialised(3), "the new node is initialised")
        self.await_(lambda: self.behind_the_load_balancer([1, 3, 4]), "it is behind the load balancer")
        self.cluster.kubectl("scale", "deployment/web", "--replicas=9")
        self.await_(lambda: list(self.pods().values()).count("worker-4") == 3, "Pods run on it")
        self.await_(self.routed, "it has its route")

    def test_6_the_leader_ends_and_the_service_goes(self):
        holder = self.cluster.get("lease", "cloud-controller-manager", "-n", "kube-system")["spec"]["holderIdentity"]
        for replica in ("manager-1", "manager-2"):
            if "Acquired the Lease" in self.programs.log(replica):
                self.programs.kill(replica)
        self.assertEqual(len([name for name in self.programs.running if name.startswith("manager")]), 1)
        self.cluster.kubectl("delete", "service", "web")  # waits for the finalizer
        self.assertEqual(self.cloud.backends(), [])
        self.assertNotEqual(
            holder, self.cluster.get("lease", "cloud-controller-manager", "-n", "kube-system")["spec"]["holderIdentity"])


class SandboxTest(WholeCluster, unittest.TestCase):
    cloud_class = Sandbox


class DigitalOceanTest(WholeCluster, unittest.TestCase):
    cloud_class = DigitalOcean


for needed in ("kubectl", "openssl"):
    if not shutil.which(needed):
        sys.exit("%s: needs %s" % (sys.argv[0], needed))
unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
