#!/usr/bin/env python3
"""docs/aws-migration.md on the server that CCM_AWS names:   migration_test.py BUILD

Clusters of kops and of kubeadm whose load balancers AWS's own manager has made (go_manager.py). A dry run says what the page says, a real
run writes nothing to AWS, and after it a dry run has nothing to say. With the Services all goes. The keys are a credential_process's.
"""
import json
import os
import pathlib
import re
import shlex
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import go_manager

BUILD = pathlib.Path(sys.argv[1]).resolve()
PREFIX = "service.beta.kubernetes.io/aws-load-balancer-"
RECORD = "cloud-controller-manager/load-balancer-id"
RECORDS = ("load-balancer-id", "aws-applied-o")  # as much as a table without a terminal shows of them
PATIENCE = float(os.environ.get("CCM_TEST_PATIENCE", "60"))
TOKEN = "administrator"


def eventually(reached):
    end = time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


class MigrationTest(unittest.TestCase):
    def setUp(self):
        self.cloud = json.loads(pathlib.Path(os.environ["CCM_AWS"]).read_text())
        scratch = tempfile.TemporaryDirectory(prefix="ccm-aws-migration-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        sandbox = subprocess.Popen([BUILD / "bin/ccm-sandbox", "--no-cloud", "--token", TOKEN, "--directory", self.folder],
                                   stdout=subprocess.DEVNULL)
        self.addCleanup(sandbox.wait)
        self.addCleanup(sandbox.terminate)
        self.assertTrue(eventually((self.folder / "ready").exists))
        self.server = json.loads((self.folder / "ready").read_text())["server"]
        keys = self.folder / "keys"
        keys.write_text("#!/bin/sh\n[ \"$1\" = 'of the team' ] || exit 1\n" + "echo " + shlex.quote(json.dumps(
            {"Version": 1, "AccessKeyId": self.cloud["access_key_id"], "SecretAccessKey": self.cloud["secret_access_key"]})) + "\n")
        keys.chmod(0o700)
        profile = self.folder / "config"
        profile.write_text(f"[default]\ncredential_process = {keys} 'of the team'\n")
        profile.chmod(0o600)
        self.environment = {**{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
                            "AWS_CONFIG_FILE": str(profile), "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "none"),
                            "AWS_ENDPOINT_URL": self.cloud["url"], "AWS_EC2_METADATA_DISABLED": "true"}

    def kube(self, method, path, body=None, kind="application/json"):
        asked = urllib.request.Request(self.server + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                       headers={"Content-Type": kind, "Authorization": "Bearer " + TOKEN})
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE  # made for itself, on loopback
        with urllib.request.urlopen(asked, timeout=30, context=trust) as answer:
            return json.load(answer)

    def service(self, name):
        return f"/api/v1/namespaces/default/services/{name}"

    def serve(self, name, annotations, ports):
        return self.kube("POST", "/api/v1/namespaces/default/services", {
            "apiVersion": "v1", "kind": "Service",
            "metadata": {"name": name, "annotations": annotations, "finalizers": ["service.kubernetes.io/load-balancer-cleanup"]},
            "spec": {"type": "LoadBalancer", "selector": {"app": name},
                     "ports": [{"name": f"p{port}", "port": port, "nodePort": node_port, "protocol": "TCP"}
                               for port, node_port in ports.items()]}})

    def publish(self, name, dns_name):
        self.kube("PATCH", self.service(name) + "/status", {"status": {"loadBalancer": {"ingress": [{"hostname": dns_name}]}}},
                  "application/merge-patch+json")

    def manager(self, *flags, **options):
        command = [BUILD / "bin/cloud-controller-manager", "--cloud-provider=aws", f"--cloud-config={self.folder}/cloud.config",
                   "--configure-cloud-routes=false", f"--kubeconfig={self.folder}/kubeconfig", "--secure-port=0", *flags]
        return subprocess.Popen(command, env=self.environment, text=True, **options)

    def dry_run(self):
        """Exit code and table."""
        with open(self.folder / "dry.log", "w") as log, self.manager("--dry-run", stdout=subprocess.PIPE, stderr=log) as run:
            table = run.communicate(timeout=PATIENCE)[0]
        return run.returncode, table

    def writes(self):
        """Calls to AWS since the last question that were no reads."""
        with urllib.request.urlopen(self.cloud["url"] + "/journal") as answer:
            seen = json.load(answer)
        self.assertTrue(seen)
        return [action for action in seen if not action.startswith("Describe")]

    def take_over(self, kind, cluster_id, number):
        urllib.request.urlopen(self.cloud["url"] + "/journal").close()  # what others did
        theirs = go_manager.GoManager(self.cloud, kind, cluster_id, number)
        (self.folder / "cloud.config").write_text(theirs.cloud_config())
        for node in theirs.nodes():
            self.kube("POST", "/api/v1/nodes", node)
        certificate = self.cloud["names"]["cert-1"]
        network = self.serve("web", {PREFIX + "type": "nlb", PREFIX + "ssl-cert": certificate, PREFIX + "ssl-ports": "443"},
                             {80: 30080, 443: 30081})
        classic = self.serve("shop", {}, {80: 30090})
        self.publish("web", theirs.network(network, certificate, 443))
        self.publish("shop", theirs.classic(classic))

        code, table = self.dry_run()
        self.assertEqual(code, 2, table + (self.folder / "dry.log").read_text()[-3000:])
        rows = [line for line in table.splitlines() if re.match(r"\S+-controller", line)]
        records = sorted((row.split()[1], record) for row in rows for record in RECORDS if "cloud-controller-manager~1" + record in row)
        self.assertEqual(records, [("default/shop", "load-balancer-id"), ("default/web", "aws-applied-o"),
                                   ("default/web", "load-balancer-id")], table)
        self.assertEqual(len(rows), len(records), table)
        self.assertIn("\n2 changes\n", table)
        self.assertEqual(self.writes(), [])

        with open(self.folder / "manager.log", "w") as log, self.manager("--leader-elect=false", stderr=log) as manager:
            try:
                self.assertTrue(eventually(lambda: all(RECORD in self.kube("GET", self.service(name))["metadata"].get("annotations", {})
                                                       for name in ("web", "shop"))), (self.folder / "manager.log").read_text()[-3000:])
                time.sleep(1)  # whatever it still wanted to do
                self.assertEqual(self.writes(), [])
                code, table = self.dry_run()
                self.assertEqual((code, "0 changes" in table), (0, True), table)
                self.assertEqual(self.writes(), [])
                for name in ("web", "shop"):
                    self.kube("DELETE", self.service(name))
                self.assertTrue(eventually(lambda: not theirs.left()), theirs.left())
            finally:
                manager.terminate()

    def test_a_cluster_of_kops(self):
        self.take_over("kops", "k.example.com", 21)

    def test_a_cluster_of_kubeadm(self):
        self.take_over("kubeadm", "c2", 22)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
