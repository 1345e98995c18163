#!/usr/bin/env python3
"""Checks the Debian packages in a folder: tests/packages/check.py build-package/packages

Each holds what its name says and ties itself to nothing but the plugin ABI. dpkg installs, replaces and purges them in a
folder of their own, which has this machine's list of packages, so that dependencies count; this machine stays as it is. The
host runs from there with just the plugins that are installed, and so does the demo. Needs curl, jq, gcc and cmake.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CONTROLLERS = ["node", "node-lifecycle", "service", "route", "ipam"]
PROVIDERS = ["aws", "digitalocean", "openstack", "static", "sandbox"]
PLUGINS = [f"ccm-controller-{name}" for name in CONTROLLERS] + [f"ccm-provider-{name}" for name in PROVIDERS]
ABI = "ccm-abi-1"
LIBRARIES = f"usr/lib/{subprocess.run(['dpkg-architecture', '-qDEB_HOST_MULTIARCH'], capture_output=True, text=True, check=True).stdout.strip()}"
FILES = {
    "ccm-host": {"usr/bin/cloud-controller-manager", "usr/share/man/man8/cloud-controller-manager.8.gz",
                 "etc/default/cloud-controller-manager", "usr/lib/systemd/system/cloud-controller-manager.service"},
    "ccm-tools": {"usr/bin/ccmctl", "usr/bin/kubectl-ccm", "usr/share/man/man1/ccmctl.1.gz", "usr/share/lintian/overrides/ccm-tools"},
    "ccm-sandbox": {f"usr/{file}" for program in ("ccm-sandbox", "ccm-demo")
                    for file in (f"bin/{program}", f"share/man/man1/{program}.1.gz")},
    "ccm": set(),
    "dh-ccm": {"usr/bin/dh_ccm", "usr/share/man/man1/dh_ccm.1.gz", "usr/share/perl5/Debian/Debhelper/Sequence/ccm.pm"},
    **{f"ccm-controller-{name}": {f"usr/lib/ccm/controllers/{name}.so"} for name in CONTROLLERS},
    **{f"ccm-provider-{name}": {f"usr/lib/ccm/providers/{name}.so"} for name in PROVIDERS},
}
for name in ("aws", "openstack", "static"):
    FILES[f"ccm-provider-{name}"].add(f"usr/share/lintian/overrides/ccm-provider-{name}")
SOURCES = pathlib.Path(__file__).resolve().parents[2]
TEMPLATES = SOURCES / "tools/templates"
FILES["ccm-tools"].update(f"usr/share/ccm/templates/{path.relative_to(TEMPLATES)}" for path in TEMPLATES.glob("*/**/*") if path.is_file())
FOLDER = pathlib.Path("build-package/packages")


def package(name):
    found = list(FOLDER.glob(f"{name}_*.deb"))
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def run(*command, **settings):
    return subprocess.run(command, capture_output=True, text=True, **settings)


def field(name, field_name):
    return run("dpkg-deb", "-f", package(name), field_name, check=True).stdout.strip()


def files(name):
    listing = run("dpkg-deb", "-c", package(name), check=True).stdout
    lines = [line.split(None, 5) for line in listing.splitlines()]
    return {line[5].removeprefix("./") for line in lines if not line[0].startswith("d")}


class Machine:
    """A folder with dpkg's lists, into which packages are installed."""

    def __init__(self, test):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.test = test
        self.root = pathlib.Path(folder.name)
        for name in ("info", "updates", "triggers"):
            (self.root / "var/lib/dpkg" / name).mkdir(parents=True)
        # As though what is installed here were there, but for our packages.
        here = pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n")
        kept = [entry for entry in here if entry.strip() and not re.match(r"Package: ccm(-|\n)", entry)]
        (self.root / "var/lib/dpkg/status").write_text("\n\n".join(kept) + "\n\n")
        self.before = self.files()

    def dpkg(self, *arguments):
        return run("dpkg", f"--root={self.root}", "--force-not-root", "--force-bad-path", f"--log={os.devnull}", *arguments)

    def install(self, *debs):
        done = self.dpkg("-i", *debs)
        self.test.assertEqual(done.returncode, 0, done.stderr)

    def files(self):
        """All but dpkg's own lists."""
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*")
                if not str(path.relative_to(self.root)).startswith("var/lib/dpkg")}

    def plugins(self):
        """Version by file."""
        listed = run(self.root / "usr/bin/ccmctl", "plugin", "list")
        self.test.assertEqual(listed.returncode, 0, listed.stderr)
        return {pathlib.Path(line.split()[-1]).name: line.split()[-2] for line in listed.stdout.splitlines()[1:]}


def manifest_of(name):
    """As ccmctl reads it in the file of the package."""
    with tempfile.TemporaryDirectory() as folder:
        for one in (name, "ccm-tools"):
            subprocess.run(["dpkg-deb", "-x", package(one), folder], check=True)
        [plugin] = pathlib.Path(folder).glob("usr/lib/ccm/*/*.so")
        return json.loads(run(f"{folder}/usr/bin/ccmctl", "plugin", "inspect", plugin, "-o", "json", check=True).stdout)["manifest"]


def names_of(relation):
    return {re.split("[(:]", entry)[0].strip() for entry in relation.split(",") if entry.strip()}


class Packages(unittest.TestCase):
    def test_there_are_these_and_no_others(self):
        found = {path.name.split("_")[0] for path in FOLDER.glob("*.deb")}
        self.assertEqual(found, set(FILES) | {"ccm-dev"})

    def test_each_holds_its_own_files(self):
        for name, expected in FILES.items():
            documents = {f"usr/share/doc/{name}/{file}" for file in ("copyright", "changelog.gz")}
            self.assertEqual(files(name), expected | documents, name)

    def test_each_has_the_version_of_its_part(self):
        for name in CONTROLLERS + PROVIDERS:
            [manifest] = SOURCES.glob(f"plugins/*/{name}/plugin.json")
            kind = "controller" if name in CONTROLLERS else "provider"
            self.assertEqual(field(f"ccm-{kind}-{name}", "Version"), json.loads(manifest.read_text())["version"])
        for part, name in (("host", "ccm-host"), ("host", "ccm"), ("tools", "ccm-tools"), ("sdk", "ccm-dev"),
                           ("ccm-sandbox", "ccm-sandbox")):
            version = run(SOURCES / "tools/release", "version", part, check=True).stdout.strip()
            self.assertEqual(field(name, "Version"), version)

    def test_the_sdk_holds_what_authors_need(self):
        held = files("ccm-dev")
        for file in ("usr/include/ccm/abi/base.h", "usr/include/ccm/c/provider.h", "usr/include/ccm/provider.hpp",
                     "usr/include/ccm/testing/fake_host.hpp", f"{LIBRARIES}/libccm_sdk_testing.a",
                     f"{LIBRARIES}/cmake/ccm/ccm-config.cmake", "usr/share/pkgconfig/ccm.pc",
                     "usr/share/ccm/rust/ccm/src/lib.rs", "usr/share/ccm/rust/ccm-sys/src/abi.rs"):
            self.assertIn(file, held)

    def abi(self):
        text = (SOURCES / "sdk/include/ccm/abi/plugin.h").read_text()
        return ".".join(re.search(rf"define CCM_ABI_{name} (\d+)", text)[1] for name in ("MAJOR", "MINOR"))

    def test_the_abi_is_the_only_tie(self):
        self.assertEqual(field("ccm-host", "Provides"), f"{ABI} (= {self.abi()})")
        for name in PLUGINS:
            ties = {tie for tie in names_of(field(name, "Depends")) if not tie.startswith("lib")}
            self.assertEqual(ties, {ABI}, name)
            self.assertIn(f"{ABI} (>= {manifest_of(name)['abi']})", field(name, "Depends"), name)
        for name in ("ccm-host", "ccm-tools", "ccm-sandbox", "ccm-dev"):
            ties = names_of(field(name, "Depends"))
            self.assertFalse({tie for tie in ties if tie.startswith("ccm")}, name)
        self.assertEqual(names_of(field("ccm", "Depends")),
                         {"ccm-host", "ccm-tools"} | {f"ccm-controller-{n}" for n in CONTROLLERS})

    def test_no_package_runs_a_script(self):
        for name in list(FILES) + ["ccm-dev"]:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(["dpkg-deb", "-e", package(name), folder], check=True)
                expected = {"control", "md5sums"} | ({"conffiles"} if name == "ccm-host" else set())
                self.assertEqual(set(os.listdir(folder)), expected, name)

    def test_a_plugin_needs_a_host_of_its_abi(self):
        machine = Machine(self)
        refused = machine.dpkg("-i", package("ccm-controller-node"))
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"ccm-controller-node depends on {ABI}", refused.stderr)
        machine.install(package("ccm-host"), package("ccm-controller-node"))
        refused = machine.dpkg("-r", "ccm-host")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(f"ccm-controller-node depends on {ABI}", refused.stderr)

    def test_the_host_has_the_plugins_whose_packages_are_installed(self):
        machine = Machine(self)
        machine.install(*map(package, ("ccm-host", "ccm-tools", "ccm-controller-node", "ccm-provider-digitalocean")))
        self.assertEqual(set(machine.plugins()), {"node.so", "digitalocean.so"})
        host = machine.root / "usr/bin/cloud-controller-manager"
        shown = run(host, "--help").stdout
        self.assertIn("Flags of plugin ccm.controller-node:", shown)
        self.assertNotIn("Flags of plugin ccm.controller-service:", shown)
        told = run(host, "--cloud-provider=openstack")
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("openstack", told.stderr)

    def test_one_plugin_is_replaced_alone(self):
        machine = Machine(self)
        machine.install(*map(package, ["ccm-host", "ccm-tools", "ccm-dev", *PLUGINS]))
        before = {path: (machine.root / path).stat().st_ino for path in machine.files()}
        # A plugin of somebody else that is built with the package of headers, and then packaged under our name.
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder, "build")
            for command in (("cmake", "-S", machine.root / "usr/share/ccm/examples/provider-c", "-B", build,
                             f"-DCMAKE_PREFIX_PATH={machine.root}/usr"), ("cmake", "--build", build)):
                done = run(*command)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            built = next(build.rglob("*.so"))
            contents = pathlib.Path(folder, "contents")
            subprocess.run(["dpkg-deb", "-R", package("ccm-provider-sandbox"), contents], check=True)
            control = contents / "DEBIAN/control"
            control.write_text(re.sub(r"(?m)^Version: .*$", r"\g<0>+1", control.read_text()))
            shutil.copy(built, contents / "usr/lib/ccm/providers/sandbox.so")
            subprocess.run(["dpkg-deb", "--root-owner-group", "-b", contents, f"{folder}/new.deb"], check=True,
                           capture_output=True)
            machine.install(f"{folder}/new.deb")
        changed = {path for path in machine.files() if before.get(path) != (machine.root / path).stat().st_ino}
        self.assertEqual({path for path in changed if (machine.root / path).is_file()},
                         {f"usr/share/doc/ccm-provider-sandbox/{name}" for name in ("changelog.gz", "copyright")} |
                         {"usr/lib/ccm/providers/sandbox.so"})
        self.assertEqual(len(machine.plugins()), len(PLUGINS))
        checked = run(machine.root / "usr/bin/ccmctl", "plugin", "check",
                      machine.root / "usr/lib/ccm/providers/sandbox.so")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_demo_runs_from_packages_alone(self):
        machine = Machine(self)
        machine.install(package("ccm-sandbox"))
        demo = machine.root / "usr/bin/ccm-demo"
        refused = run(demo)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        needed = ["ccm-host", "ccm-provider-sandbox", *(f"ccm-controller-{name}" for name in CONTROLLERS)]
        self.assertEqual(refused.stderr.split(": ")[-1].split(), needed)
        machine.install(*map(package, needed))
        began = time.monotonic()
        shown = run(demo)
        self.assertEqual(shown.returncode, 0, shown.stdout + shown.stderr)
        self.assertRegex(shown.stdout, r"worker-4 +True +sandbox://m-4 ")
        self.assertIn("external address: 198.18.0.2", shown.stdout)
        # Five minutes for a newcomer, of which apt takes most.
        self.assertLess(time.monotonic() - began, 120)

    def test_a_plugin_of_somebody_else_gets_its_dependency_from_its_manifest(self):
        if not shutil.which("dh"):
            self.skipTest("no debhelper")
        machine = Machine(self)
        machine.install(package("ccm-dev"))
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "rack")
            shutil.copytree(machine.root / "usr/share/ccm/examples/provider-c", source)
            (source / "debian").mkdir()
            for name, text in {
                    "changelog": "ccm-provider-rack (1.0) unstable; urgency=medium\n\n  * New.\n\n -- A <a@b.invalid>  Thu, 26 Nov 2026 00:00:00 +0000\n",
                    "control": "Source: ccm-provider-rack\nMaintainer: A <a@b.invalid>\nBuild-Depends: debhelper-compat (= 13)\n"
                               "Rules-Requires-Root: no\n\nPackage: ccm-provider-rack\nArchitecture: any\n"
                               "Depends: ${ccm:Depends}, ${misc:Depends}, ${shlibs:Depends}\nDescription: rack\n A rack.\n",
                    "rules": "#!/usr/bin/make -f\n%:\n\tdh $@ --with ccm --buildsystem=cmake\n"
                             f"override_dh_auto_configure:\n\tdh_auto_configure -- -DCMAKE_PREFIX_PATH={machine.root}/usr\n"
                             "override_dh_auto_test:\noverride_dh_auto_install:\n\tdh_auto_install --destdir=debian/ccm-provider-rack\n"}.items():
                (source / "debian" / name).write_text(text)
            (source / "debian/rules").chmod(0o755)
            with tempfile.TemporaryDirectory() as addon:
                subprocess.run(["dpkg-deb", "-x", package("dh-ccm"), addon], check=True)
                done = run("dpkg-buildpackage", "-b", "-us", "-uc", "-d", cwd=source, env={
                    **os.environ, "PERL5LIB": f"{addon}/usr/share/perl5", "PATH": f"{addon}/usr/bin:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            [made] = pathlib.Path(folder).glob("ccm-provider-rack_*.deb")
            depends = run("dpkg-deb", "-f", made, "Depends", check=True).stdout
            said = json.loads((source / "plugin.json").read_text())["abi"]
            self.assertIn(f"{ABI} (>= {said})", depends)
            self.assertIn("./usr/lib/ccm/providers/rack.so", run("dpkg-deb", "-c", made).stdout)
            machine.install(package("ccm-host"), made)

    def test_a_purge_leaves_nothing(self):
        machine = Machine(self)
        names = [*FILES, "ccm-dev"]
        machine.install(*map(package, names))
        edited = machine.root / "etc/default/cloud-controller-manager"
        edited.write_text('CCM_OPTIONS="--cloud-provider=sandbox"\n')
        # An upgrade keeps what was edited.
        machine.install(package("ccm-host"))
        self.assertIn("sandbox", edited.read_text())
        done = machine.dpkg("--purge", *names)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(machine.files() - machine.before, set())

    def test_the_service_is_well_formed_and_confined(self):
        machine = Machine(self)
        machine.install(package("ccm-host"))
        unit = "cloud-controller-manager.service"
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze")
        # 0 is a service that may do nothing, 10 one that may do all.
        rated = run("systemd-analyze", "security", "--offline=true", "--threshold=15",
                    machine.root / "usr/lib/systemd/system" / unit)
        self.assertEqual(rated.returncode, 0, rated.stdout + rated.stderr)
        self.assertNotIn(":", rated.stderr)

    def test_the_sums_are_those_of_the_files(self):
        lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
        sums = {line.split()[1].lstrip("*"): line.split()[0] for line in lines}
        self.assertEqual(sums, {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                                for path in FOLDER.iterdir() if path.suffix in (".deb", ".json")})

    def test_each_has_a_document_of_its_parts(self):
        for name in [*FILES, "ccm-dev"]:
            deb = package(name)
            document = json.loads(deb.with_suffix(".spdx.json").read_text())
            own = document["packages"][0]
            self.assertEqual((own["name"], own["packageFileName"]), (name, deb.name))
            self.assertEqual(own["checksums"][0]["checksumValue"], hashlib.sha256(deb.read_bytes()).hexdigest())
            names = {entry["SPDXID"]: entry["name"] for entry in document["packages"]}
            self.assertEqual(len(names), len(document["packages"]), name)
            linked = {names[relation["relatedSpdxElement"]] for relation in document["relationships"]
                      if relation["relationshipType"] in ("DYNAMIC_LINK", "DEPENDS_ON")}
            self.assertTrue(all(entry["supplier"] and entry["externalRefs"][0]["referenceLocator"].startswith("pkg:deb/")
                                for entry in document["packages"]), name)
            self.assertEqual(linked, {need for need in names_of(field(name, "Depends")) if not need.startswith("ccm")})
        host = package("ccm-host").with_suffix(".spdx.json").read_text()
        self.assertRegex(host, r'"libboost1\.\d+-dev"')


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        FOLDER = pathlib.Path(sys.argv.pop(1))
    unittest.main()
