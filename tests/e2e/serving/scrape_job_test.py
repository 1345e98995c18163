#!/usr/bin/env python3
"""scrape_job_test.py PROMETHEUS PAGE: a real Prometheus with the job that PAGE shows takes the managers' Pods, with the labels of our
manifests and with those of Kubernetes' own examples, and no others. Debian's Prometheus is built without the look at a cluster, so the
job gets the labels that it would find there."""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

PROMETHEUS, PAGE = sys.argv[1:3]
# The labels app and k8s-app, and the address.
PODS = [
    ("digitalocean-cloud-controller-manager", None, "10.0.0.1"),
    (None, "openstack-cloud-controller-manager", "10.0.0.2"),
    (None, "cloud-controller-manager", "10.0.0.3"),
    ("cloud-controller-manager", "cloud-controller-manager", "10.0.0.4"),
    (None, "kube-dns", "10.0.0.5"),
    (None, None, "10.0.0.6"),
]
FOUND = {f"https://10.0.0.{last}:10258/metrics" for last in (1, 2, 3, 4)}


def discovered(app, k8s_app, address):
    labels = {"__meta_kubernetes_pod_label_app": app, "__meta_kubernetes_pod_label_k8s_app": k8s_app, "__meta_kubernetes_pod_ip": address}
    return {"targets": [address], "labels": {name: value for name, value in labels.items() if value}}


def job(token):
    block = re.search(r"```yaml\n(- job_name: cloud-controller-manager\n.*?)```", pathlib.Path(PAGE).read_text(), re.S).group(1)
    block, looks = re.subn(r"kubernetes_sd_configs: \[\{role: pod, namespaces: \{names: \[kube-system\]\}\}\]",
                           "static_configs: " + json.dumps([discovered(*pod) for pod in PODS]), block)
    block, tokens = re.subn(r"credentials_file: [^}]*", f"credentials_file: {token}", block)
    assert (looks, tokens) == (1, 1), "the job looks for Pods of kube-system, with a token"
    return block


class ScrapeJobTest(unittest.TestCase):
    def targets(self, port):
        until = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/targets", timeout=10) as answer:
                    active = json.load(answer)["data"]["activeTargets"]
                if active:
                    return {target["scrapeUrl"] for target in active}
            except OSError:
                pass
            time.sleep(0.2)
        return set()

    def test_it_takes_the_managers_by_both_labels_and_nothing_else(self):
        folder = tempfile.TemporaryDirectory(prefix="ccm-scrape.")
        self.addCleanup(folder.cleanup)
        token, config, log = (pathlib.Path(folder.name) / name for name in ("token", "prometheus.yaml", "log"))
        token.write_text("token")
        config.write_text("scrape_configs:\n" + job(token))
        with socket.socket() as chosen:
            chosen.bind(("127.0.0.1", 0))
            port = chosen.getsockname()[1]
        with open(log, "w") as output:
            self.process = subprocess.Popen([PROMETHEUS, f"--config.file={config}", f"--storage.tsdb.path={folder.name}/data",
                                             f"--web.listen-address=127.0.0.1:{port}"], stdout=output, stderr=output)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.terminate)
        self.assertEqual(self.targets(port), FOUND, log.read_text()[-2000:])


unittest.main(argv=sys.argv[:1], verbosity=2)
