#!/usr/bin/env python3
"""taints_test.py KUBERNETES BUILD: the manager's Pod of each manifest comes onto a node with any of the taints that new nodes have, as the
real scheduler decides. KUBERNETES: the folder that build.sh filled. Needs kubectl and PyYAML; BUILD is not used."""
import pathlib
import sys
import tempfile
import unittest

import yaml
from cluster import Cluster, Programs, eventually
from taints import TAINTS, UNINITIALIZED

KUBERNETES = pathlib.Path(sys.argv[1]).resolve()
MANIFESTS = pathlib.Path(__file__).resolve().parents[2] / "deploy/manifests"
HOSTNAME = "kubernetes.io/hostname"


def templates():
    """File and Pod specification of each, but for those that run beside a hosted control plane."""
    for file in sorted(MANIFESTS.glob("*/*.yaml")):
        for item in yaml.safe_load_all(file.read_text()):
            if item and item["kind"] in ("Deployment", "DaemonSet", "Pod") and "hosted" not in file.name:
                yield file.parent.name + "-" + file.stem, item["spec"] if item["kind"] == "Pod" else item["spec"]["template"]["spec"]


class TaintsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ccm-cluster.")
        cls.addClassCleanup(folder.cleanup)
        programs = Programs(folder.name)
        cls.addClassCleanup(programs.stop)
        cls.cluster = Cluster(programs, KUBERNETES, components=["kube-scheduler"])

    def node(self, name, taint):
        """A Node without a kubelet, which is Ready; the scheduler needs no more."""
        taints = [dict(zip(("key", "value", "effect"), one)) for one in {taint, UNINITIALIZED}]
        self.cluster.apply({"apiVersion": "v1", "kind": "Node",
                            "metadata": {"name": name, "labels": {HOSTNAME: name, "kubernetes.io/os": "linux",
                                                                  "node-role.kubernetes.io/control-plane": ""}},
                            "spec": {"taints": taints}})
        room = {"cpu": "4", "memory": "8Gi", "pods": "110"}
        self.cluster.kubectl("patch", "node", name, "--subresource=status", "--type=merge", "-p", yaml.safe_dump(
            {"status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True"}]}}))

    def pod(self, name, spec, node):
        spec = {**spec, "nodeSelector": {HOSTNAME: node}}
        for unknown in ("serviceAccountName", "affinity", "priorityClassName"):
            spec.pop(unknown, None)
        self.cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "kube-system"}, "spec": spec})

    def places(self):
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in self.cluster.get("-n", "kube-system", "pods")}

    def test_the_pod_comes_onto_a_node_with_any_of_the_taints(self):
        wanted = {}
        for number, taint in enumerate(TAINTS):
            for file, spec in templates():
                node = "%s-%d" % (file, number)
                self.node(node, taint)
                self.pod(node, spec, node)
                wanted[node] = node
        self.assertGreaterEqual(len(wanted), 6 * len(TAINTS))
        # As another Pod sees it, which shows that the taints count.
        self.pod("other", {"containers": [{"name": "c", "image": "i"}]}, next(iter(wanted)))
        wanted["other"] = None
        self.assertTrue(eventually(lambda: self.places() == wanted),
                        {name: place for name, place in self.places().items() if place != wanted[name]})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
