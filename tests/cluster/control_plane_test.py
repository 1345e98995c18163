#!/usr/bin/env python3
"""control_plane_test.py KUBERNETES BUILD: what becomes of Kubernetes' old example of a cloud-controller-manager on a control-plane node
of today, as docs/older-guides.md says, and the commands of docs/cluster.md. KUBERNETES: the folder that build.sh filled. Needs
kubectl, openssl and PyYAML."""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml
from cluster import Cluster, Programs, eventually

KUBERNETES, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests/e2e/kubernetes_example/example.yaml"
TODAY = ROOT / "deploy/manifests/generic"
PAGE = ROOT / "docs/cluster.md"
NAME = "cloud-controller-manager"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"


def refusal(program, *flags):
    """The last words of a program that ends by itself."""
    ended = subprocess.run([KUBERNETES / program, *flags], capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0, ended.stdout
    return ended.stderr


class ControlPlaneTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ccm-cluster.")
        cls.addClassCleanup(folder.cleanup)
        programs = Programs(folder.name)
        cls.addClassCleanup(programs.stop)
        cls.cluster = Cluster(programs, KUBERNETES)
        cls.cluster.join("control-plane-1")
        # As kubeadm does it.
        assert eventually(lambda: cls.cluster.get("nodes"))
        cls.cluster.kubectl("label", "node", "control-plane-1", CONTROL_PLANE + "=")
        cls.cluster.kubectl("taint", "node", "control-plane-1", CONTROL_PLANE + ":NoSchedule")
        rights = subprocess.run([BUILD / "bin/ccmctl", "rbac", "--cloud-provider=sandbox"], check=True, capture_output=True, text=True)
        cls.cluster.kubectl("apply", "--server-side", "-f", "-", input=rights.stdout)

    def tearDown(self):
        self.cluster.kubectl("-n", "kube-system", "delete", "daemonset", NAME, "--ignore-not-found")

    def wanted(self, daemon_set):
        """On how many Nodes kube-controller-manager wants its Pods."""
        self.cluster.apply(daemon_set)

        def observed():
            found = self.cluster.get("-n", "kube-system", "daemonset", NAME)
            seen = found["status"].get("observedGeneration") == found["metadata"]["generation"]
            return found["status"] if seen else None
        status = eventually(observed)
        self.assertTrue(status, "kube-controller-manager looks at it")
        return status["desiredNumberScheduled"]

    @staticmethod
    def example():
        return [one for one in yaml.safe_load_all(EXAMPLE.read_text()) if one["kind"] == "DaemonSet"][0]

    def test_the_nodes_wait_for_the_manager(self):
        taints = [taint["key"] for taint in self.cluster.get("node", "control-plane-1")["spec"]["taints"]]
        self.assertIn(UNINITIALIZED, taints)

    def test_no_node_has_the_label_of_the_example(self):
        self.assertEqual(self.wanted(self.example()), 0)

    def test_its_tolerations_lack_the_taint_of_today(self):
        old = self.example()
        pod = old["spec"]["template"]["spec"]
        pod["nodeSelector"] = {CONTROL_PLANE: ""}
        self.assertEqual(self.wanted(old), 0)
        pod["tolerations"].append({"key": CONTROL_PLANE, "effect": "NoSchedule"})
        self.assertEqual(self.wanted(old), 1)

    def test_the_manifest_of_today_comes_onto_a_node_that_waits_for_it(self):
        self.assertEqual(self.wanted(yaml.safe_load((TODAY / "daemonset.yaml").read_text())), 1)

        def placed():
            return [pod["spec"].get("nodeName") for pod in self.cluster.get("-n", "kube-system", "pods", "-l",
                                                                            "k8s-app=" + NAME)]
        self.assertTrue(eventually(lambda: placed() == ["control-plane-1"]), placed())
        self.test_the_nodes_wait_for_the_manager()

    def run_block(self, begin):
        """The block of the page's section on upgrades whose first line begins so, as a reader would."""
        section = PAGE.read_text().split("## Upgrade and rollback")[1]
        block, = [text for text in re.findall(r"```sh\n(.*?)```", section, re.S) if text.startswith(begin)]
        ended = subprocess.run(["/bin/bash", "-ec", block], capture_output=True, text=True, timeout=300,
                               env={**os.environ, "KUBECONFIG": str(self.cluster.kubeconfig)})
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def image(self):
        """The image of the Deployment, which each Pod that is not going has as well."""
        image = self.cluster.get("-n", "kube-system", "deployment", NAME)["spec"]["template"]["spec"]["containers"][0]["image"]
        pods = [pod["spec"]["containers"][0]["image"] for pod in self.cluster.get("-n", "kube-system", "pods", "-l", "k8s-app=" + NAME)
                if "deletionTimestamp" not in pod["metadata"]]
        self.assertEqual(pods, [image, image])
        return image

    def test_an_upgrade_goes_and_comes_back(self):
        self.cluster.join("worker-1")
        deployment = yaml.safe_load((TODAY / "deployment.yaml").read_text())
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        # The kubelets' runtime starts nothing that would answer.
        del container["livenessProbe"], container["readinessProbe"]
        before = container["image"]
        self.cluster.kubectl("-n", "kube-system", "create", "secret", "generic", "cloud-config", "--from-literal=cloud.conf=")
        self.cluster.apply(deployment)
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "deployment", NAME)
        self.run_block("kubectl -n kube-system set image")
        self.assertTrue(self.image().endswith(":0.2.0"))
        self.run_block("kubectl -n kube-system rollout undo")
        self.assertEqual(self.image(), before)

    def test_requests_for_serving_certificates_are_found_and_approved(self):
        page = PAGE.read_text()
        listing, approval = re.findall(r"^    (kubectl (?:get csr|certificate).*)$", page, re.M)
        key, request = self.cluster.folder / "serving.key", self.cluster.folder / "serving.csr"
        subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                        "-out", request, "-subj", "/O=system:nodes/CN=system:node:control-plane-1",
                        "-addext", "subjectAltName=IP:10.0.0.1"], check=True, capture_output=True)
        asked = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "serving"},
                 "spec": {"signerName": "kubernetes.io/kubelet-serving", "usages": ["digital signature", "server auth"],
                          "request": base64.b64encode(request.read_bytes()).decode()}}
        self.cluster.kubectl("create", "-f", "-", input=json.dumps(asked), kubeconfig=self.cluster.folder / "control-plane-1.kubeconfig")
        self.assertIn("serving", self.cluster.kubectl(*listing.split()[1:]))
        # Nobody approves it.
        self.assertFalse(self.cluster.get("csr", "serving")["status"].get("conditions"))
        self.cluster.kubectl(*approval.replace("NAME", "serving").split()[1:])
        self.assertEqual(self.cluster.get("csr", "serving")["status"]["conditions"][0]["type"], "Approved")

    def test_kube_controller_manager_takes_no_provider_but_external(self):
        nowhere = "--kubeconfig=/nonexistent"
        self.assertIn("built-in cloud providers are disabled", refusal("kube-controller-manager", "--cloud-provider=aws", nowhere))
        external = refusal("kube-controller-manager", "--cloud-provider=external", nowhere)
        self.assertNotIn("cloud provider", external)
        self.assertIn("/nonexistent", external)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
