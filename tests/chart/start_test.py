#!/usr/bin/env python3
"""start_test.py HELM MANAGER SANDBOX PLUGINS: the host starts with the arguments and variables that the chart renders, for each
values file, on ccm-sandbox. Mounts of the Pod are folders here; a provider from an image volume is one in a folder of its own."""
import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import yaml
from chart import VALUES, Helm, pods

PLUGINS = pathlib.Path(sys.argv.pop())
SANDBOX = sys.argv.pop()
MANAGER = sys.argv.pop()
helm = Helm(sys.argv.pop())
PATIENCE = 60
OPENSTACK = """[Global]
auth-url = http://127.0.0.1:1/v3
username = manager
password = secret
tenant-id = project
user-domain-id = default
"""
STATIC = "nodes: [{name: worker-1, addresses: [{type: InternalIP, address: 192.0.2.11}]}]"
UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname = False
UNVERIFIED.verify_mode = ssl.CERT_NONE


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


def eventually(condition):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return False


class StartTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.start([SANDBOX, "--directory", self.folder, "--nodes=1"], {}, "sandbox.log")
        self.assertTrue(eventually((self.folder / "ready").exists))
        self.server = json.loads((self.folder / "ready").read_text())
        (self.folder / "config").mkdir()
        (self.folder / "digitalocean").mkdir()
        for key in ["access-token", "value"]:
            (self.folder / "digitalocean" / key).write_text("dop_v1_test")
        (self.folder / "kubeconfigs").mkdir()
        for key in ["kubeconfig", "value"]:
            shutil.copy(self.folder / "kubeconfig", self.folder / "kubeconfigs" / key)
        # The image has all plugins but the sandbox's provider, which has an image of its own.
        shutil.copytree(PLUGINS, self.folder / "image", ignore=shutil.ignore_patterns("sandbox.so"))
        (self.folder / "plugins/example/lib/ccm/providers").mkdir(parents=True)
        shutil.copy(PLUGINS / "providers/sandbox.so", self.folder / "plugins/example/lib/ccm/providers")

    def start(self, command, environment, log):
        with open(self.folder / log, "w") as output:
            process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=subprocess.STDOUT,
                                       env={"PATH": os.environ["PATH"], **environment})
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def here(self, text):
        """With the mounts of the container replaced by folders."""
        for mount, folder in [("/etc/config/", "config/"), ("/etc/digitalocean/", "digitalocean/"), ("/etc/kubeconfig/", "kubeconfigs/"),
                              ("/plugins/", "plugins/"), ("/usr/lib/ccm", "image")]:
            text = text.replace(mount, str(self.folder / folder) + ("/" if folder.endswith("/") else ""))
        return text

    def manager(self, objects):
        """The process, and the port of its endpoint."""
        container, = pods(objects)[0]["containers"]
        args = [self.here(flag) for flag in container["args"]]
        if not any(flag.startswith("--kubeconfig=") for flag in args):
            args.append("--kubeconfig=%s" % (self.folder / "kubeconfig"))  # instead of a Pod's service account
        if not any(flag.startswith("--plugin-path=") for flag in args):
            args.append("--plugin-path=%s" % PLUGINS)
        port = free_port()
        environment = {item["name"]: self.here(item["value"]) for item in container.get("env", []) if "value" in item}
        environment.setdefault("AWS_REGION", "eu-central-1")  # the metadata service tells it elsewhere
        environment.update({"DO_OVERRIDE_URL": "http://127.0.0.1:1", "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "AWS_EC2_METADATA_DISABLED": "true"})
        return self.start([MANAGER, *args, "--secure-port=%d" % port], environment, "manager.log"), port

    def probe(self, port, path):
        try:
            with urllib.request.urlopen("https://127.0.0.1:%d%s" % (port, path), timeout=5, context=UNVERIFIED) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def assert_alive(self, manager, port, path="/livez"):
        alive = eventually(lambda: manager.poll() is not None or self.probe(port, path) == 200)
        log = (self.folder / "manager.log").read_text()
        self.assertIsNone(manager.poll(), log)
        self.assertTrue(alive, log)

    def test_the_arguments_of_each_values_file(self):
        for file in VALUES:
            with self.subTest(file.name):
                values = yaml.safe_load(file.read_text())
                config = self.folder / "config" / values.get("cloudConfig", {}).get("key", "cloud.conf")
                if values["provider"] == "example":  # nobody has it; the sandbox's takes its place
                    values["provider"] = "sandbox"
                    values.pop("controllers", None)
                    shutil.copy(self.folder / "cloud.json", config)
                else:  # a cloud at a port where nobody listens: a start does not wait for it
                    config.write_text(STATIC if values["provider"] == "static" else OPENSTACK)
                manager, port = self.manager(helm.objects_of(values))
                self.assert_alive(manager, port)
                manager.terminate()
                self.assertEqual(manager.wait(PATIENCE), 0)

    def test_a_route_controller_without_a_range_ends_the_manager(self):
        # Which the chart refuses for the providers that it knows; so it is asked for another one here.
        shutil.copy(self.folder / "cloud.json", self.folder / "config/cloud.json")
        objects = helm.objects_of({"provider": "example", "cloudConfig": {"secret": "cloud", "key": "cloud.json"}})
        args = pods(objects)[0]["containers"][0]["args"]
        args[args.index("--cloud-provider=example")] = "--cloud-provider=sandbox"
        manager, _ = self.manager(objects)
        self.assertNotEqual(manager.wait(PATIENCE), 0)
        self.assertIn("--cluster-cidr is empty", (self.folder / "manager.log").read_text())

    def test_a_provider_from_an_image_volume_initialises_a_node(self):
        shutil.copy(self.folder / "cloud.json", self.folder / "config/cloud.json")
        manager, port = self.manager(helm.objects_of({
            "provider": "sandbox", "cloudConfig": {"secret": "cloud", "key": "cloud.json"},
            "pluginImages": [{"name": "example", "reference": "registry.example.com/example:1", "folder": "lib/ccm"}],
            "configureCloudRoutes": False, "controllers": {"node-route-controller": False}}))
        self.assert_alive(manager, port, "/readyz")
        token = yaml.safe_load((self.folder / "kubeconfig").read_text())["users"][0]["user"]["token"]

        def initialised():
            request = urllib.request.Request(self.server["server"] + "/api/v1/nodes", headers={"Authorization": "Bearer " + token})
            with urllib.request.urlopen(request, context=UNVERIFIED) as answer:
                node, = json.load(answer)["items"]
            return node["spec"].get("providerID") and not node["spec"].get("taints")
        self.assertTrue(eventually(initialised), (self.folder / "manager.log").read_text())


unittest.main(verbosity=2)
