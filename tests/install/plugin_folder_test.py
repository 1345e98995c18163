#!/usr/bin/env python3
"""CCM_PLUGIN_DIR, as distributions set it: where the host looks, where plugins are built and installed, and what the SDK says of it.

    plugin_folder_test.py GENERATOR
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATOR = sys.argv.pop(1)
PROGRAM = """
#include "base/plugin_folder.hpp"
#include <iostream>
int main() { std::cout << ccm::plugin_folder(); }
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class PluginFolderTest(unittest.TestCase):
    def test_host_plugins_and_sdk_follow_it(self):
        for place in ("lib64/ccm", "lib/x86_64-linux-gnu/ccm"):
            with self.subTest(place), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                tree, prefix = folder / "tree", folder / "prefix"
                run("cmake", "-G", GENERATOR, "-S", ROOT, "-B", tree, "-DCCM_BUILD_TESTS=OFF", f"-DCCM_PLUGIN_DIR={place}",
                    f"-DCMAKE_INSTALL_LIBDIR={pathlib.Path(place).parent}")
                (folder / "main.cpp").write_text(PROGRAM)
                run(os.environ.get("CXX", "c++"), "-std=c++20", f"-I{ROOT}/core", f"-I{tree}/core/base/generated", folder / "main.cpp",
                    ROOT / "core/base/plugin_folder.cpp", "-o", folder / "main")
                self.assertEqual(run(folder / "main"), place)
                # A plugin with the SDK of that tree, which goes there as well. The archive is not looked at.
                (tree / "sdk/testing").mkdir(parents=True, exist_ok=True)
                (tree / "sdk/testing/libccm_sdk_testing.a").write_bytes(b"!<arch>\n")
                run("cmake", "--install", tree, "--component", "sdk", "--prefix", prefix)
                plugin = folder / "plugin"
                run("cmake", "-G", GENERATOR, "-S", ROOT / "examples/provider-c", "-B", plugin, f"-DCMAKE_PREFIX_PATH={prefix}",
                    f"-Dccm_DIR={prefix}/{pathlib.Path(place).parent}/cmake/ccm")
                run("cmake", "--build", plugin)
                run("cmake", "--install", plugin, "--prefix", prefix)
                self.assertTrue((prefix / place / "providers/rack.so").is_file())
                said = run("pkg-config", f"--with-path={prefix}/share/pkgconfig", "--variable=plugindir", "ccm").strip()
                self.assertEqual(pathlib.Path(said).resolve(), (prefix / place).resolve())
                script = run("pkg-config", f"--with-path={prefix}/share/pkgconfig", "--variable=versionscript", "ccm").strip()
                self.assertTrue(pathlib.Path(script).is_file())


if __name__ == "__main__":
    unittest.main()
