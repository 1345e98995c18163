#!/usr/bin/env python3
"""Runs the commands of docs/provider-authors.md as they stand there, with the installed files alone.

    try_it_test.py BUILD
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from installed import ROOT, InstalledTest, block

GUIDE = "docs/provider-authors.md"
InstalledTest.build = sys.argv.pop(1)


class TryItTest(InstalledTest):
    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_from_an_example_to_a_service_with_an_address(self):
        self.install("host", "ccm-sandbox", "sdk", "node", "service")
        script = block(GUIDE, "Try it", "kubectl get")
        text = self.run_script(self.here(script))
        self.assertRegex(text, r"node/worker-1 .*192\.0\.2\.11")
        self.assertRegex(text, r"service/web +LoadBalancer +\S+ +192\.0\.2\.100")

    def test_in_c_without_cmake(self):
        self.install("sdk")
        shutil.copytree(self.prefix / "share/ccm/examples/provider-c", self.folder, dirs_exist_ok=True)
        manifest = re.search(r'CCM_PLUGIN_MANIFEST_FILE\("plugin.json"\);', (ROOT / GUIDE).read_text()).group()
        (self.folder / "ccm_plugin_manifest.h").write_text(f"#include <ccm/abi/plugin.h>\n{manifest}\n")
        # The example includes the header that CMake would generate, from its own folder.
        script = block(GUIDE, "In C", "gcc").replace("gcc ", "gcc -I. -Wall -Wextra -Werror ")
        self.run_script(script, PKG_CONFIG_PATH=str(self.prefix / "share/pkgconfig"))
        plugin = self.folder / "mycloud.so"
        symbols = subprocess.run(["nm", "-D", "--defined-only", plugin], check=True, capture_output=True, text=True)
        self.assertEqual(symbols.stdout.split()[2::3], ["ccm_plugin_v1"])
        self.assertIn((self.folder / "plugin.json").read_bytes() + b"\0", plugin.read_bytes())
        ccmctl = pathlib.Path(self.build) / "bin/ccmctl"
        if ccmctl.exists():
            subprocess.run([ccmctl, "plugin", "check", plugin], check=True, capture_output=True)

    # The time limits of its conformance cases are of shipped builds.
    @unittest.skipIf(os.environ.get("CCM_SANITIZE"), "ccmctl is built with a sanitizer")
    @unittest.skipUnless(shutil.which("cargo"), "cargo is not installed")
    def test_in_rust(self):
        self.install("sdk", "tools")
        rustup = os.environ.get("RUSTUP_HOME", str(pathlib.Path.home() / ".rustup"))
        script = self.here(block(GUIDE, "In Rust", "cargo build"))
        self.run_script(script, PATH=f"{self.prefix}/bin:{os.environ['PATH']}", RUSTUP_HOME=rustup)

    def test_the_cmake_lines_are_whole(self):
        self.install("sdk")
        shutil.copytree(self.prefix / "share/ccm/examples/provider-cpp", self.folder, dirs_exist_ok=True)
        (self.folder / "CMakeLists.txt").write_text(block(GUIDE, "In C\\+\\+20, in five minutes", "ccm_add_plugin"))
        manifest = re.sub(r'\s*"interfaces": \[[^\]]*\],', "", (self.folder / "plugin.json").read_text())
        self.assertNotIn("interfaces", manifest)
        (self.folder / "plugin.json").write_text(manifest)
        self.run_script(f"cmake -S . -B build -DCMAKE_PREFIX_PATH={self.prefix}")
        filled_in = (self.folder / "build/mycloud.plugin/ccm_plugin_manifest.h").read_text()
        self.assertIn("ccm.cloud.loadbalancers/1", filled_in)


if __name__ == "__main__":
    unittest.main()
