#!/usr/bin/env python3
"""Plugins of this repository build by themselves, with the SDK that is installed.

    alone_test.py BUILD GENERATOR
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, GENERATOR = sys.argv.pop(1), sys.argv.pop(1)
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/*/plugin.json"))


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


class AloneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        done = run("cmake", "--install", BUILD, "--component", "sdk", "--prefix", self.folder / "sdk")
        self.assertEqual(done.returncode, 0, done.stderr)

    def configure(self, plugin, *flags):
        return run("cmake", "-G", GENERATOR, "-S", plugin, "-B", self.folder / plugin.name, "-DCMAKE_BUILD_TYPE=Release",
                   "-DCCM_UNITY_BUILD=ON", *flags)

    def test_each_is_configured_with_the_installed_sdk(self):
        self.assertGreaterEqual(len(PLUGINS), 9)
        for plugin in PLUGINS:
            with self.subTest(plugin.name):
                done = self.configure(plugin, f"-DCMAKE_PREFIX_PATH={self.folder}/sdk")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_one_is_built_and_is_the_plugin_of_its_version(self):
        plugin = ROOT / "plugins/controllers/node-lifecycle"
        done = self.configure(plugin, f"-DCMAKE_PREFIX_PATH={self.folder}/sdk")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run("cmake", "--build", self.folder / plugin.name, "-j", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        built = self.folder / plugin.name / "lib/ccm/controllers/node-lifecycle.so"
        ccmctl = pathlib.Path(BUILD, "bin/ccmctl")
        checked = run(ccmctl, "plugin", "check", built)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        shown = json.loads(run(ccmctl, "plugin", "inspect", built, "-o", "json").stdout)["manifest"]
        self.assertEqual(shown["version"], json.loads((plugin / "plugin.json").read_text())["version"])


if __name__ == "__main__":
    unittest.main()
