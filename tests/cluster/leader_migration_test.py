#!/usr/bin/env python3
"""leader_migration_test.py KUBERNETES BUILD: the real kube-controller-manager and the manager, both with --enable-leader-migration (KEP-2436),
take turns with the Lease of the controllers that move. KUBERNETES: the folder that build.sh filled. Needs kubectl and openssl."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cluster import Cluster, Programs, eventually, free_port
from clouds import Sandbox

KUBERNETES, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
MIGRATION = "cloud-provider-extraction-migration"
TURNS = ["--enable-leader-migration", "--leader-elect=true", "--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s",
         "--leader-elect-retry-period=1s"]
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"},
           "spec": {"type": "LoadBalancer", "ports": [{"port": 80, "protocol": "TCP"}]}}


class LeaderMigrationTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ccm-cluster.")
        self.addCleanup(folder.cleanup)
        self.programs = Programs(folder.name)
        self.addCleanup(self.programs.stop)
        self.cloud = Sandbox(self.programs, BUILD)
        self.cluster = Cluster(self.programs, KUBERNETES)
        rights = subprocess.run([BUILD / "bin/ccmctl", "rbac", "--cloud-provider=sandbox", "--enable-leader-migration"], check=True,
                                capture_output=True, text=True)
        self.cluster.kubectl("apply", "--server-side", "-f", "-", input=rights.stdout)
        # The kube-controller-manager that is there has no election.
        self.programs.kill("kube-controller-manager")

    def start_theirs(self):
        self.programs.start("theirs", KUBERNETES / "kube-controller-manager", "--kubeconfig=%s" % self.cluster.kubeconfig,
                            "--bind-address=127.0.0.1", "--secure-port=%d" % free_port(), *TURNS,
                            # Without it the program crashes with leader migration.
                            "--service-account-private-key-file=%s" % (self.cluster.folder / "service-account.key"))

    def start_ours(self):
        self.programs.start("ours", BUILD / "bin/cloud-controller-manager", "--secure-port=0",
                            "--kubeconfig=%s" % (self.cluster.folder / "manager.kubeconfig"), *self.cloud.flags, *TURNS)

    def end(self, name):
        process = self.programs.running.pop(name)
        process.terminate()
        process.wait(30)

    def holder(self, lease):
        found = [one for one in self.cluster.get("-n", "kube-system", "leases") if one["metadata"]["name"] == lease]
        return found[0]["spec"].get("holderIdentity", "") if found else ""

    def log(self, name):
        file = self.programs.folder / (name + ".log")
        return file.read_text() if file.exists() else ""

    def address(self):
        return self.cluster.get("service", "web")["status"].get("loadBalancer", {}).get("ingress")

    def initialised(self):
        return [node for node in self.cluster.get("nodes") if node["spec"].get("providerID")]

    def test_controllers_that_move_run_with_one_of_them(self):
        self.start_theirs()
        self.assertTrue(eventually(lambda: self.holder(MIGRATION)), self.log("theirs")[-4000:])
        theirs = self.holder(MIGRATION)
        self.cluster.apply(SERVICE)
        self.cloud.add("worker-1", 1)
        self.cluster.join("worker-1")
        self.start_ours()
        # The node controller does not move, so it works with the main Lease alone.
        self.assertTrue(eventually(self.initialised), self.log("ours")[-4000:])
        self.assertEqual(self.holder(MIGRATION), theirs)
        self.assertFalse(self.address(), "the Service controller waits for its Lease")

        self.end("theirs")
        self.assertTrue(eventually(self.address), self.log("ours")[-4000:])
        ours = self.holder(MIGRATION)
        self.assertNotEqual(ours, theirs)

        self.start_theirs()
        self.assertTrue(eventually(lambda: self.holder("kube-controller-manager") not in ("", theirs)), self.log("theirs")[-4000:])
        self.assertEqual(self.holder(MIGRATION), ours, "the other one waits")
        self.end("ours")
        self.assertTrue(eventually(lambda: self.holder(MIGRATION) not in ("", ours)), self.log("theirs")[-4000:])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
