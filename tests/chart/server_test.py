#!/usr/bin/env python3
"""server_test.py HELM KUBE_APISERVER: a real kube-apiserver takes what the chart renders, for each values file, and helm
installs, upgrades and removes it there. Exit code 77 (skipped) without kubectl."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import yaml
from chart import CHART, ROOT, VALUES, Helm, pods, run

KUBE_APISERVER = sys.argv.pop()
HELM = sys.argv.pop()
helm = Helm(HELM)
RESTRICTED = """
apiVersion: v1
kind: Namespace
metadata: {name: restricted, labels: {pod-security.kubernetes.io/enforce: restricted}}
"""


class ServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        with open(cls.folder / "log", "w") as log:
            server = subprocess.Popen([KUBE_APISERVER, "--directory", folder.name], stdout=log, stderr=log)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        until = time.monotonic() + 120
        while not (cls.folder / "ready").exists():
            if server.poll() is not None or time.monotonic() > until:
                raise AssertionError((cls.folder / "log").read_text())
            time.sleep(0.1)
        cls.environment = {**os.environ, "KUBECONFIG": folder.name + "/kubeconfig", "HOME": folder.name}
        cls.kubectl("apply", "--server-side", "-f", HELM + "-crds")
        cls.kubectl("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
        # kube-system's is made by a controller, which is not there.
        cls.kubectl("-n", "kube-system", "create", "serviceaccount", "default", check=False)
        # So is this one; the manager's controllers work under it with useServiceAccountCredentials.
        cls.kubectl("-n", "kube-system", "create", "serviceaccount", "node-controller")

    @classmethod
    def kubectl(cls, *arguments, check=True, **options):
        ended = run("kubectl", *arguments, env=cls.environment, **options)
        if check and ended.returncode != 0:
            raise AssertionError("kubectl %s\n%s" % (" ".join(arguments), ended.stderr))
        return ended

    def helm(self, *arguments):
        ended = helm(*arguments, "--namespace=kube-system", env=self.environment)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout

    def test_every_object_is_accepted_by_strict_validation(self):
        for file in VALUES:
            with self.subTest(file.name):
                objects = helm.template("-f", file)
                ended = self.kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-", input=objects)
                self.assertEqual(ended.stderr, "")
                self.assertEqual(ended.stdout.count("serverside-applied"), len([d for d in yaml.safe_load_all(objects) if d]))

    def test_the_manifests_made_from_it_are_accepted(self):
        self.kubectl("create", "namespace", "hosted-control-plane")
        for file in sorted((ROOT / "deploy/manifests").glob("*/*.yaml")):
            with self.subTest(file.name):
                ended = self.kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", str(file))
                self.assertEqual(ended.stderr, "")

    def test_a_wrong_object_is_refused(self):
        wrong = helm.template("-f", CHART / "ci/digitalocean-values.yaml").replace("tolerations:", "tolerates:")
        ended = self.kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-", input=wrong, check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("tolerates", ended.stderr)

    def test_install_upgrade_and_uninstall(self):
        self.kubectl("-n", "kube-system", "delete", "serviceaccount", "cloud-controller-manager", "--ignore-not-found")
        for file in VALUES:
            with self.subTest(file.name):
                self.assertIn("--cloud-provider=external", self.helm("install", "ccm", CHART, "-f", file))
                values = yaml.safe_load(file.read_text())
                name = values.get("nameOverride") or values["provider"] + "-cloud-controller-manager"
                kind = values.get("kind", "Deployment").lower()
                self.helm("upgrade", "ccm", CHART, "-f", file, "--set", "image.digest=", "--set", "image.tag=0.2.0")
                spec = json.loads(self.kubectl("-n", "kube-system", "get", kind, name, "-o", "json").stdout)
                self.assertTrue(pods([spec])[0]["containers"][0]["image"].endswith(":0.2.0"))
                self.helm("uninstall", "ccm")
                left = self.kubectl("get", "clusterroles,clusterrolebindings,roles,rolebindings,deployments,daemonsets,configmaps",
                                    "-A", "-l", "app.kubernetes.io/managed-by=Helm", "-o", "name").stdout
                self.assertEqual(left, "")
        self.kubectl("-n", "kube-system", "get", "serviceaccount", "node-controller")

    def test_pods_without_the_machines_network_pass_the_restricted_level(self):
        self.kubectl("apply", "-f", "-", input=RESTRICTED)
        pod, = pods(helm.objects("-f", CHART / "ci/hosted-control-plane-values.yaml"))
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "manager", "namespace": "restricted"}, "spec": pod}
        create = ["create", "--dry-run=server", "--validate=strict", "-f", "-"]
        self.kubectl(*create, input=json.dumps(manifest))
        del pod["containers"][0]["securityContext"]["capabilities"]
        refused = self.kubectl(*create, input=json.dumps(manifest), check=False)
        self.assertIn("unrestricted capabilities", refused.stderr)


if not shutil.which("kubectl"):
    print("Skipped: needs kubectl")
    sys.exit(77)
unittest.main(verbosity=2)
