#!/usr/bin/env python3
"""Runs the commands of docs/static.md as they stand there, with the installed files alone.

    static_test.py BUILD
"""
import shutil
import sys
import unittest

from installed import InstalledTest, block

PAGE = "docs/static.md"
InstalledTest.build = sys.argv.pop(1)


class StaticTest(InstalledTest):
    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_from_a_file_to_a_service_with_an_address(self):
        self.install("host", "ccm-sandbox", "static", "node", "service")
        script = self.here(block(PAGE, "Try it", "cloud-controller-manager")) + block(PAGE, "Try it", "kubectl annotate")
        text = self.run_script(script)
        self.assertRegex(text, r"node/worker-1 .*192\.0\.2\.11")
        self.assertRegex(text, r"service/web +LoadBalancer +\S+ +198\.51\.100\.16 ")
        self.assertNotIn("cannot be used", text)


if __name__ == "__main__":
    unittest.main()
