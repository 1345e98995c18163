#!/usr/bin/env python3
"""`ccmctl plugin try`:   try_test.py CCMCTL STATIC SANDBOX SANDBOX_CLOUD CRASHES HANGS

STATIC and SANDBOX are plugins, SANDBOX_CLOUD is the command that plays the sandbox's cloud; the last two are misbehaving plugins.
"""
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

CCMCTL, STATIC, SANDBOX, SANDBOX_CLOUD, CRASHES, HANGS = sys.argv[1:]
MACHINES = {"machines": [{"id": "m-1", "name": "node-1", "status": "running", "zone": "eu-1a"}], "meta": {"total": 1, "next_page": None}}


class Api(http.server.BaseHTTPRequestHandler):
    """The sandbox's cloud with one machine."""
    def do_GET(self):
        known = self.headers.get("Authorization") == "Bearer t0ken"
        body = json.dumps(MACHINES if known else {"error": {"code": "unauthorized", "message": "bad token"}}).encode()
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.config = pathlib.Path(folder.name, "config")

    def run_try(self, plugin, *arguments, config=None):
        if config is not None:
            self.config.write_text(config)
            arguments += (f"--cloud-config={self.config}",)
        return subprocess.run([CCMCTL, "plugin", "try", plugin, *arguments], capture_output=True, text=True)

    def test_the_machines_are_printed(self):
        config = "nodes: [{name: a, zone: z, addresses: [{type: InternalIP, address: 192.0.2.1}, {type: Hostname, address: h}]}]"
        told = self.run_try(STATIC, config=config)
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        header, machine, count = told.stdout.splitlines()
        self.assertEqual(header.split()[:4], ["NAME", "PROVIDER", "ID", "STATE"])
        self.assertEqual(machine.split(), ["a", "static://a", "running", "-", "z", "-", "192.0.2.1,", "h"])
        self.assertEqual(count, "1 instances")
        outcome = json.loads(self.run_try(STATIC, "-o", "json", config=config).stdout)
        self.assertEqual(outcome["failure"], "")
        self.assertEqual(outcome["machines"][0]["addresses"][1], {"type": "Hostname", "address": "h"})

    def test_a_failure_is_one_sentence(self):
        told = self.run_try(STATIC, config="nodes: [{}]")
        self.assertEqual(told.returncode, 1)
        self.assertIn("initialize ended with", told.stderr)
        self.assertIn("nodes[0].name: missing", told.stderr)
        self.assertEqual(told.stdout, "")

    def test_requests_go_over_the_network(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        config = {"endpoint": f"http://127.0.0.1:{server.server_port}", "token": "t0ken"}
        told = self.run_try(SANDBOX, config=json.dumps(config))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("node-1  sandbox://m-1  running", told.stdout)
        refused = self.run_try(SANDBOX, config=json.dumps({**config, "token": "other"}))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("class auth", refused.stderr)
        self.assertNotIn("other", refused.stderr + refused.stdout)

    def test_or_to_a_command(self):
        told = self.run_try(SANDBOX, f"--cloud={SANDBOX_CLOUD}")
        self.assertEqual((told.returncode, told.stderr), (0, ""))
        self.assertIn("0 instances", told.stdout)

    def test_a_crash_and_a_hang_are_reported_and_not_suffered(self):
        crashed = self.run_try(CRASHES)
        self.assertEqual(crashed.returncode, 1)
        self.assertIn("crashed with SIG", crashed.stderr)
        hung = self.run_try(HANGS, "--timeout=2")
        self.assertEqual(hung.returncode, 1)
        self.assertIn("within 2 s", hung.stderr)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
