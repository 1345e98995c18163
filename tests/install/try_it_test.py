#!/usr/bin/env python3
"""Runs the commands of docs/provider-authors.md as they stand there, with the installed files alone.

    try_it_test.py BUILD
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = sys.argv.pop(1)
GUIDE = (ROOT / "docs/provider-authors.md").read_text()


def block(title, mark):
    """The indented block of that section that holds the mark, without its indentation."""
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", GUIDE, re.M | re.S).group(1)
    for found in re.findall(r"(?:^ {4,}.*\n|^\n)+", section, re.M):
        if mark in found:
            lines = [line for line in found.splitlines() if line.strip()]
            indent = min(len(line) - len(line.lstrip()) for line in lines)
            return "\n".join(line[indent:] for line in lines) + "\n"
    raise AssertionError(f"no block with {mark} in {title}")


class TryItTest(unittest.TestCase):
    def setUp(self):
        # The host loads no file below a folder to which others may write; a sticky one such as /tmp is fine.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.prefix = self.folder / "prefix"

    def install(self, *components):
        for component in components:
            subprocess.run(["cmake", "--install", BUILD, "--component", component, "--prefix", self.prefix],
                           check=True, capture_output=True)

    def run_script(self, script, **variables):
        """Runs it in a session of its own, and ends what it left running."""
        log = self.folder / "script.log"
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(["bash", "-eux", "-c", script], cwd=self.folder, stdout=out, stderr=out,
                                       start_new_session=True,
                                       env={**os.environ, "HOME": str(self.folder), **variables})
            try:
                code = process.wait(timeout=240)
            except subprocess.TimeoutExpired:
                code = "it did not end"
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        text = log.read_text()
        for more in ("manager.log", "sandbox.log"):
            if (self.folder / more).exists():
                text += f"\n{more}:\n" + (self.folder / more).read_text()
        self.assertEqual(code, 0, text)
        return text

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_from_an_example_to_a_service_with_an_address(self):
        self.install("host", "ccm-sandbox", "sdk", "node", "service")
        script = block("Try it", "kubectl wait")
        self.assertIn("prefix=/usr/local\n", script)
        text = self.run_script(script.replace("prefix=/usr/local\n", f"prefix={self.prefix}\n"))
        self.assertRegex(text, r"node/worker-1 .*192\.0\.2\.11")
        self.assertRegex(text, r"service/web +LoadBalancer +\S+ +192\.0\.2\.100")

    def test_in_c_without_cmake(self):
        self.install("sdk")
        shutil.copytree(self.prefix / "share/ccm/examples/provider-c", self.folder, dirs_exist_ok=True)
        manifest = re.search(r'CCM_PLUGIN_MANIFEST_FILE\("plugin.json"\);', GUIDE).group()
        (self.folder / "ccm_plugin_manifest.h").write_text(f"#include <ccm/abi/plugin.h>\n{manifest}\n")
        # The example includes the header that CMake would generate, from its own folder.
        script = block("In C", "gcc").replace("gcc ", "gcc -I. -Wall -Wextra -Werror ")
        self.run_script(script, PKG_CONFIG_PATH=str(self.prefix / "share/pkgconfig"))
        plugin = self.folder / "mycloud.so"
        symbols = subprocess.run(["nm", "-D", "--defined-only", plugin], check=True, capture_output=True, text=True)
        self.assertEqual(symbols.stdout.split()[2::3], ["ccm_plugin_v1"])
        self.assertIn((self.folder / "plugin.json").read_bytes() + b"\0", plugin.read_bytes())
        ccmctl = pathlib.Path(BUILD) / "bin/ccmctl"
        if ccmctl.exists():
            subprocess.run([ccmctl, "plugin", "check", plugin], check=True, capture_output=True)

    def test_the_cmake_lines_are_whole(self):
        self.install("sdk")
        shutil.copytree(self.prefix / "share/ccm/examples/provider-cpp", self.folder, dirs_exist_ok=True)
        (self.folder / "CMakeLists.txt").write_text(block("In C\\+\\+20, in five minutes", "ccm_add_plugin"))
        manifest = re.sub(r'\s*"interfaces": \[[^\]]*\],', "", (self.folder / "plugin.json").read_text())
        self.assertNotIn("interfaces", manifest)
        (self.folder / "plugin.json").write_text(manifest)
        self.run_script(f"cmake -S . -B build -DCMAKE_PREFIX_PATH={self.prefix}")
        filled_in = (self.folder / "build/mycloud.plugin/ccm_plugin_manifest.h").read_text()
        self.assertIn("ccm.cloud.loadbalancers/1", filled_in)


if __name__ == "__main__":
    unittest.main()
