#!/usr/bin/env python3
"""dh_ccm, as `dh --with ccm` calls it, on plugins that a C compiler makes of manifests. Skipped without debhelper."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTROL = """Source: rack
Maintainer: A <a@b.invalid>
Build-Depends: debhelper-compat (= 13)

Package: rack
Architecture: any
Description: rack
 A rack.
"""
CHANGELOG = "rack (1.0) unstable; urgency=medium\n\n  * New.\n\n -- A <a@b.invalid>  Thu, 26 Nov 2026 00:00:00 +0000\n"


@unittest.skipUnless(shutil.which("dh_prep"), "debhelper is not installed")
class DhCcmTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "debian").mkdir()
        (self.folder / "debian/control").write_text(CONTROL)
        (self.folder / "debian/changelog").write_text(CHANGELOG)

    def add(self, path, source):
        file = self.folder / "debian/rack" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-", "-shared", "-fPIC", f"-I{ROOT}/sdk/include", "-o", file], input=source, text=True, check=True)

    def plugin(self, path, abi):
        self.add(path, "#include <ccm/abi/plugin.h>\nCCM_PLUGIN_MANIFEST(\"{\\\"abi\\\": \\\"%s\\\"}\");\n"
                       "const void *keep(void);\nconst void *keep(void) { return &ccm_plugin_note; }\n" % abi)

    def run_it(self):
        return subprocess.run([ROOT / "sdk/debhelper/dh_ccm"], cwd=self.folder, capture_output=True, text=True)

    def depends(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "debian/rack.substvars")
        return [line for line in text.read_text().splitlines() if line.startswith("ccm:Depends")] if text.exists() else []

    def test_the_dependency_is_the_newest_abi_of_the_plugins(self):
        self.plugin("usr/lib/ccm/providers/one.so", "1.0")
        self.assertEqual(self.depends(), ["ccm:Depends=ccm-abi-1 (>= 1.0)"])
        self.plugin("usr/lib/x86_64-linux-gnu/ccm/controllers/two.so", "1.3")
        (self.folder / "debian/rack.substvars").unlink()
        self.assertEqual(self.depends(), ["ccm:Depends=ccm-abi-1 (>= 1.3)"])

    def test_two_majors_are_two_dependencies(self):
        self.plugin("usr/lib/ccm/providers/one.so", "1.2")
        self.plugin("usr/lib/ccm/providers/two.so", "2.0")
        self.assertEqual(self.depends(), ["ccm:Depends=ccm-abi-1 (>= 1.2), ccm-abi-2 (>= 2.0)"])

    def test_what_is_no_plugin_is_a_fault_where_plugins_are(self):
        self.add("usr/lib/ccm/providers/none.so", "int none;\n")
        done = self.run_it()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.so is where plugins are, and has no manifest", done.stderr)
        (self.folder / "debian/rack/usr/lib/ccm/providers/none.so").write_text("no ELF file at all")
        self.assertIn("no 64-bit ELF file", self.run_it().stderr)

    def test_other_libraries_are_not_looked_at(self):
        self.add("usr/lib/rack/none.so", "int none;\n")
        self.assertEqual(self.depends(), [])


if __name__ == "__main__":
    unittest.main()
