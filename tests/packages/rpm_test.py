#!/usr/bin/env python3
"""The RPM spec with rpmbuild: which packages it makes of a tree with lib64, what each holds, and their ties. Programs and plugins are
stand-ins, as in parts_test.py, so that nothing is compiled that make deb has not compiled; the commands of %build are not run here."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import parts_test

PLUGINS = {"controller": ("node", "node-lifecycle", "service", "route", "ipam"), "provider": ("aws", "digitalocean", "openstack", "static", "sandbox")}

RACK = """%global debug_package %{nil}
Name: ccm-provider-rack
Version: 1
Release: 1
Summary: A rack
License: none
%description
A rack.
%install
install -D PLUGIN %{buildroot}/usr/lib64/ccm/providers/rack.so
%files
/usr/lib64/ccm/providers/rack.so
"""


@unittest.skipUnless(shutil.which("rpmbuild"), "rpmbuild is not installed")
class RpmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        copy = parts_test.Copy(folder)
        copy.configure("-DCCM_PLUGIN_DIR=lib64/ccm", "-DCMAKE_INSTALL_LIBDIR=lib64")
        copy.stand_ins("first", "lib64/ccm")
        version = parts_test.run(copy.root / "tools/release", "version", "host").strip()
        (folder / "sources").mkdir()
        parts_test.run("git", "archive", f"--prefix=ccm-{version}/", "-o", folder / f"sources/ccm-{version}.tar.gz", "HEAD", cwd=copy.root)
        parts_test.run("rpmbuild", "-ba", "--nodeps", copy.root / "deploy/rpm/ccm.spec", "--define", f"_topdir {folder}/rpm",
                       "--define", f"_sourcedir {folder}/sources", "--define", "_lib lib64", "--define", "_libdir /usr/lib64",
                       "--define", f"ccm_build {copy.tree}")
        cls.plugin = copy.tree / "lib64/ccm/providers/static.so"
        cls.rpms = {path.name.rsplit("-", 2)[0]: path for path in folder.glob("rpm/RPMS/*/*.rpm")}
        cls.version, cls.sources = version, list(folder.glob("rpm/SRPMS/*.src.rpm"))

    def query(self, name, what):
        return parts_test.run("rpm", "-qp", what, self.rpms[name]).split("\n")

    def test_a_package_for_each_part(self):
        plugins = {f"ccm-{kind}-{name}" for kind, names in PLUGINS.items() for name in names}
        self.assertEqual(set(self.rpms), plugins | {"ccm", "ccm-host", "ccm-tools", "ccm-sandbox", "ccm-devel"})
        self.assertEqual(len(self.sources), 1)

    def test_plugins_are_where_the_host_looks(self):
        for kind, names in PLUGINS.items():
            for name in names:
                self.assertIn(f"/usr/lib64/ccm/{kind}s/{name}.so", self.query(f"ccm-{kind}-{name}", "-l"))
        self.assertIn("/usr/lib64/cmake/ccm/ccm-config.cmake", self.query("ccm-devel", "-l"))

    def test_the_tools_are_a_plugin_of_kubectl_with_a_page(self):
        for file in ("/usr/bin/ccmctl", "/usr/bin/kubectl-ccm", "/usr/share/man/man1/kubectl-ccm.1.gz"):
            self.assertIn(file, self.query("ccm-tools", "-l"))

    def test_the_abi_is_the_tie_and_comes_from_the_manifest(self):
        self.assertIn("ccm-abi-1 = 1.1", self.query("ccm-host", "--provides"))
        for kind, names in PLUGINS.items():
            for name in names:
                [manifest] = parts_test.ROOT.glob(f"plugins/*/{name}/plugin.json")
                said = json.loads(manifest.read_text())["abi"]
                self.assertIn(f"ccm-abi-1 >= {said}", self.query(f"ccm-{kind}-{name}", "--requires"), name)

    def test_the_generator_for_packages_of_others_reads_the_manifest(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            attributes = folder / "fileattrs"
            attributes.mkdir()
            text = (parts_test.ROOT / "deploy/rpm/ccm.attr").read_text()
            (attributes / "ccm.attr").write_text(text.replace("%{_rpmconfigdir}", f"{parts_test.ROOT}/deploy/rpm"))
            (folder / "rack.spec").write_text(RACK.replace("PLUGIN", str(self.plugin)))
            parts_test.run("rpmbuild", "-bb", folder / "rack.spec", "--define", f"_topdir {folder}/rpm", "--define", f"_fileattrsdir {attributes}",
                           "--load", attributes / "ccm.attr")
            [made] = folder.glob("rpm/RPMS/*/*.rpm")
            self.assertIn("ccm-abi-1 >= 1.0", parts_test.run("rpm", "-qp", "--requires", made).split("\n"))

    def test_the_spec_has_the_versions_of_the_sources(self):
        self.assertIn(f"-{self.version}-", self.rpms["ccm-host"].name)
        header = (parts_test.ROOT / "sdk/include/ccm/abi/plugin.h").read_text()
        spec = (parts_test.ROOT / "deploy/rpm/ccm.spec").read_text()
        for name, macro in (("MAJOR", "abi"), ("MINOR", "abi_minor")):
            number = re.search(rf"CCM_ABI_{name} (\d+)", header)[1]
            self.assertIn(f"%global {macro} {number}\n", spec)


if __name__ == "__main__":
    unittest.main()
