#!/usr/bin/env python3
"""Runs the commands of examples/provider-hetzner/README.md as they stand there, with the installed files alone.

    hetzner_test.py BUILD GO
"""
import os
import pathlib
import shutil
import sys
import unittest

from installed import InstalledTest, block

PAGE = "examples/provider-hetzner/README.md"
InstalledTest.build, GO = sys.argv.pop(1), sys.argv.pop(1)


class HetznerTest(InstalledTest):
    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_from_the_source_to_nodes_with_routes_and_a_service_with_an_address(self):
        self.install("host", "ccm-sandbox", "sdk", "node", "route", "ipam", "service")
        # Nothing is fetched, and the author's settings do not count.
        text = self.run_script(self.here(block(PAGE, "Try it", "kubectl")), GOPROXY="off", GOTOOLCHAIN="local", GOFLAGS="",
                               PATH=f"{pathlib.Path(GO).parent}:{os.environ['PATH']}")
        for name, address in (("worker-1", "10.0.0.3"), ("worker-2", "10.0.0.4")):
            self.assertRegex(text, rf"node/{name} .* {address} ")
        self.assertRegex(text, r"service/web +LoadBalancer +\S+ +203\.0\.113\.\d+,2001:db8:ff::\w+,10\.0\.200\.\d+ ")
        for server in (3, 4):
            self.assertRegex(text, rf'"destination":"10\.244\.\d\.0/24","gateway":"10\.0\.0\.{server}"')
        self.assertRegex(text, r'"hcloud-ccm-route/10\.244\.\d\.0_24":"kubernetes"')
        self.assertNotIn("hcloud-token-that-is-secret", (self.folder / "manager.log").read_text())


if __name__ == "__main__":
    unittest.main()
