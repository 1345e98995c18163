#!/usr/bin/env python3
"""`cmake --install BUILD --component NAME` copies one part of the project, whole, and nothing of another.

    components_test.py BUILD CC
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, CC = sys.argv.pop(1), sys.argv.pop(1)

PLUGIN = """
#include <ccm/abi/plugin.h>
CCM_PLUGIN_MANIFEST("{}");
CCM_PLUGIN_EXPORT const ccm_plugin *ccm_plugin_v1(void);
CCM_PLUGIN_EXPORT const ccm_plugin *ccm_plugin_v1(void) {
  static ccm_plugin plugin = {.size = sizeof(plugin)};
  plugin.manifest = ccm_plugin_manifest;
  return &plugin;
}
CCM_PLUGIN_EXPORT void ccm_another(void);
void ccm_another(void) {}
"""


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


# The templates of `ccmctl plugin new`.
TEMPLATES = {f"share/ccm/templates/{path.relative_to(ROOT / 'tools/templates')}"
             for path in ROOT.glob("tools/templates/*/**/*") if path.is_file()}


class ComponentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = pathlib.Path(folder.name)

    def install(self, component):
        """Installs it and returns the paths below the prefix."""
        output("cmake", "--install", BUILD, "--component", component, "--prefix", self.prefix)
        return {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}

    def test_programs(self):
        for component, programs in (("host", {"bin/cloud-controller-manager"}), ("tools", {"bin/ccmctl", "bin/kubectl-ccm", *TEMPLATES}),
                                    ("ccm-sandbox", {"bin/ccm-sandbox", "bin/ccm-demo"})):
            with self.subTest(component):
                self.setUp()
                self.assertEqual(self.install(component), programs)

    def test_make_install_builds_no_test(self):
        for component, target in ((None, "programs"), ("digitalocean", "programs"), ("sdk", "ccm_sdk_testing")):
            with self.subTest(component):
                said = output("make", "-n", "-C", ROOT, "install", *([f"COMPONENT={component}"] if component else []))
                built = [line.split("--target ")[1] for line in said.splitlines() if "cmake --build" in line and "--target" in line]
                self.assertEqual(built, [target])
                self.assertEqual(said.count("cmake --build"), 1)

    def test_each_plugin_is_a_component_of_its_name(self):
        manifests = sorted(ROOT.glob("plugins/*/*/plugin.json"))
        self.assertGreaterEqual(len(manifests), 8)
        for manifest in manifests:
            kind = manifest.parts[-3]
            name = manifest.parts[-2].replace("_", "-")
            with self.subTest(name):
                self.setUp()
                self.assertEqual(self.install(name), {f"lib/ccm/{kind}/{name}.so"})

    def test_sdk_holds_each_header(self):
        files = self.install("sdk")
        headers = {str(path.relative_to(folder)) for folder in (ROOT / "sdk", ROOT / "sdk/testing")
                   for path in folder.glob("include/ccm/**/*.h*")}
        self.assertEqual({path for path in files if path.startswith("include/")}, headers)
        rest = {path for path in files if not path.startswith("include/")}
        package = {f"lib/cmake/ccm/{name}" for name in (
            "ccm-config.cmake", "ccm-config-version.cmake", "ccm-targets.cmake", "CcmAddPlugin.cmake",
            "CcmHardening.cmake", "plugin.map")}
        self.assertLessEqual(package | {"lib/libccm_sdk_testing.a", "share/pkgconfig/ccm.pc"}, rest)
        others = rest - package - {"lib/libccm_sdk_testing.a", "share/pkgconfig/ccm.pc"}
        # The module for Go, the crates for Rust, and what to copy, whole.
        share = {f"share/ccm/{target}/{path.relative_to(ROOT / source)}"
                 for source, target in (("sdk/go", "go"), ("sdk/rust", "rust"), ("examples", "examples"))
                 for path in (ROOT / source).rglob("*")
                 if path.is_file() and not {"target", "Cargo.lock", ".gitignore"} & set(path.parts)}
        share |= {"share/ccm/go/headers.h", "share/ccm/go/ccmtest/headers.h", "share/ccm/plugin.map"}
        self.assertEqual({path for path in others if path.startswith("share/")}, share)
        others -= share
        # CMake adds one file of the testing library's place for each build type.
        self.assertTrue(all(path.startswith("lib/cmake/ccm/ccm-targets-") for path in others), others)

    def test_pkg_config_serves_a_build_without_cmake(self):
        self.install("sdk")
        # The folder is where it was not installed to: the file finds its prefix by itself.
        moved = self.prefix.rename(f"{self.prefix}-moved")
        self.addCleanup(lambda: moved.rename(self.prefix))
        pkg_config = ("pkg-config", f"--with-path={moved}/share/pkgconfig")
        source = moved / "plugin.c"
        source.write_text(PLUGIN)
        flags = output(*pkg_config, "--cflags", "ccm").split()
        script = output(*pkg_config, "--variable=versionscript", "ccm").strip()
        output(CC, "-shared", "-fPIC", *flags, f"-Wl,--version-script={script}", source, "-o", moved / "plugin.so")
        symbols = output("nm", "-D", "--defined-only", moved / "plugin.so").split()[2::3]
        self.assertEqual(symbols, ["ccm_plugin_v1"])


if __name__ == "__main__":
    unittest.main()
