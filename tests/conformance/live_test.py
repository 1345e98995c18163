#!/usr/bin/env python3
"""`ccmctl plugin check --live` in the fake of DigitalOcean's API:   live_test.py CCMCTL PLUGIN DIGITALOCEAN_API"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

CCMCTL, PLUGIN, API = sys.argv[1:4]
THEIRS = {"name": "theirs", "region": "nyc3", "droplet_ids": [1003], "forwarding_rules": [
    {"entry_protocol": "tcp", "entry_port": 80, "target_protocol": "tcp", "target_port": 30080}]}
FOUR = ["--case=INSTANCES-01,LOADBALANCERS-01,LOADBALANCERS-18,OWNERSHIP-06"]


class LiveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        directory = pathlib.Path(folder.name)
        api = subprocess.Popen([API, "--directory", directory])
        self.addCleanup(api.wait)
        self.addCleanup(api.terminate)
        while not (directory / "ready").exists():
            self.assertIsNone(api.poll())
            time.sleep(0.05)
        self.cloud = json.loads((directory / "ready").read_text())
        for number in (1001, 1002, 1003):
            self.request("PUT", f"{self.cloud['control']}/droplets/{number}", {"name": f"worker-{number}"})
        self.request("POST", f"{self.cloud['url']}/v2/load_balancers", THEIRS)
        self.config = directory / "config"
        self.config.write_text("")
        self.variables = {**os.environ, "DO_ACCESS_TOKEN": self.cloud["token"]}

    def request(self, method, url, body=None):
        request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": "Bearer " + self.cloud["token"], "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"{}")

    def names(self):
        return [each["name"] for each in self.request("GET", f"{self.cloud['url']}/v2/load_balancers?per_page=200")["load_balancers"]]

    def command(self, *arguments):
        return [CCMCTL, "plugin", "check", PLUGIN, "--live", f"--cloud-config={self.config}",
                f"--flag=digitalocean-api-url={self.cloud['url']}", "--flag=digitalocean-region=nyc3", *arguments]

    def check(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, env=self.variables, stdin=subprocess.DEVNULL)

    def test_nothing_is_made_without_consent(self):
        told = self.check(*FOUR)
        self.assertEqual(told.returncode, 1)
        self.assertIn("give --yes", told.stderr)
        self.assertIn("1 case only read", told.stdout)
        self.assertIn("In all 4 load balancers", told.stdout)
        self.assertIn("ccm-check/web-N", told.stdout)
        self.assertEqual(self.names(), ["theirs"])

    def test_the_cases_pass_and_what_they_made_is_gone(self):
        told = self.check("--yes", "-o", "json", *FOUR)
        report = json.loads(told.stdout)
        self.assertEqual({case["id"]: case["result"] for case in report["cases"]},
                         {name: "pass" for name in FOUR[0].split("=")[1].split(",")}, told.stdout)
        self.assertEqual(report["live"], {"loadBalancers": 4, "routes": 0, "left": [], "stopped": False})
        self.assertTrue(report["ok"])
        self.assertEqual(told.returncode, 0)
        self.assertIn("In all 4 load balancers", told.stderr)
        self.assertEqual(self.names(), ["theirs"])

    def test_all_of_them_pass_but_those_that_the_provider_has_nothing_for(self):
        told = self.check("--yes", "-o", "json")
        report = json.loads(told.stdout)
        self.assertEqual([case for case in report["cases"] if case["result"] not in ("pass", "skip")], [])
        self.assertGreaterEqual(sum(case["result"] == "pass" for case in report["cases"]), 35)
        self.assertEqual(report["live"]["left"], [])
        promised = int(told.stderr.partition("In all ")[2].split()[0])
        self.assertLessEqual(report["live"]["loadBalancers"], promised)
        self.assertGreater(report["live"]["loadBalancers"], promised - 4)
        self.assertFalse([case for case in report["cases"] if case["id"].startswith("ROUTES-")], "DigitalOcean has none")
        self.assertEqual(self.names(), ["theirs"])

    def test_a_signal_ends_the_run_after_the_sweep(self):
        run = subprocess.Popen(self.command("--yes", "-o", "json", "--prefix=acme", "--case=LOADBALANCERS-01,LOADBALANCERS-05"),
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.variables)
        while len(self.names()) == 1:
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        self.assertTrue([name for name in self.names() if name.startswith("acme-")], self.names())
        run.send_signal(signal.SIGINT)
        report = json.loads(run.communicate()[0])
        self.assertEqual(run.returncode, 1)
        self.assertEqual((report["live"]["stopped"], report["live"]["left"], len(report["cases"])), (True, [], 1))
        self.assertEqual(self.names(), ["theirs"])

    def test_a_load_balancer_that_cannot_be_removed_is_told(self):
        # Somebody takes the token away in the middle.
        run = subprocess.Popen(self.command("--yes", "-o", "json", "--case=LOADBALANCERS-01", "--case-timeout=2"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**self.variables, "DO_ACCESS_TOKEN": "", "DO_ACCESS_TOKEN_FILE": str(self.token_file())})
        while len(self.names()) == 1:
            self.assertIsNone(run.poll())
            time.sleep(0.02)
        self.token.write_text("wrong")
        said, summary = run.communicate()
        report = json.loads(said)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(report["live"]["left"]), 2, report["live"])
        self.assertIn("after LOADBALANCERS-01: ", report["live"]["left"][0])
        self.assertIn("THIS MAY BE LEFT", summary)

    def token_file(self):
        self.token = self.config.with_name("token")
        self.token.write_text(self.cloud["token"])
        return self.token

    def test_what_is_refused(self):
        for arguments, why in ((["--case=LISTING-02"], "LISTING-02 might do harm"), (["--cloud=cat"], "--cloud plays one"),
                               (["--prefix=A"], "--prefix is"), (["--prefix=" + "a" * 16], "--prefix is"), (["--prefix=a-"], "--prefix is")):
            with self.subTest(arguments):
                told = self.check("--yes", *arguments)
                self.assertNotEqual(told.returncode, 0)
                self.assertIn(why, told.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
