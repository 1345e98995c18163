#!/usr/bin/env python3
"""A release of one part changes one package and one layer: in a copy of the repository one plugin gets a new version, and the
bytes of all other packages, SPDX documents and layers stay. Programs and plugins are stand-ins, ELF files with each plugin's
own manifest, since packages and layers are what is looked at. Needs a checkout of git, and what make deb and make image do."""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUMPED = "openstack"
PROGRAM = "int main(void) { return 0; }\n"
PAGE = b".TH STAND-IN 1\n.SH NAME\nstand-in \\- of a page\n"
PLUGIN = "#include <ccm_plugin_manifest.h>\nconst char* const ccm_release = RELEASE;\n"


def run(*command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **settings)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Copy:
    """The repository, with what is not committed as one more commit, and a tree that packages and images are made of."""

    def __init__(self, folder):
        self.root = folder / "copy"
        self.tree = self.root / "build-package"
        run("git", "clone", "-q", ROOT, self.root)
        for name in run("git", "ls-files", "-z", "-c", "-o", "--exclude-standard", cwd=ROOT).split("\0"):
            if name and (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        for key, value in (("name", "Release"), ("email", "release@example.com")):
            self.git("config", f"user.{key}", value)
        self.commit("2026-11-24T00:00:00Z")
        # What takes longest finds nothing to say of stand-ins.
        (folder / "bin").mkdir()
        (folder / "bin/lintian").symlink_to("/bin/true")
        self.environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
        self.environment["PATH"] = f"{folder}/bin:{os.environ['PATH']}"

    def git(self, *arguments, **settings):
        return run("git", *arguments, cwd=self.root, **settings)

    def commit(self, when):
        self.git("add", "-A")
        self.git("commit", "-qm", "change", "--allow-empty", env={**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when})

    def bump(self, name, version):
        [manifest] = self.root.glob(f"plugins/*/{name}/plugin.json")
        old = json.loads(manifest.read_text())["version"]
        manifest.write_text(manifest.read_text().replace(f'"version": "{old}"', f'"version": "{version}"'))
        changelog = manifest.parent / "CHANGELOG.md"
        changelog.write_text(changelog.read_text().replace(f"## {old}", f"## {version} (2026-12-24)\n\nFixed\n- One thing.\n\n## {old}", 1))
        self.commit("2026-12-24T00:00:00Z")

    def compile(self, text, file, *flags):
        file.parent.mkdir(parents=True, exist_ok=True)
        run("gcc", "-x", "c", "-", "-o", file, *flags, input=text)

    def configure(self, *flags):
        run("cmake", "--preset", "package", *flags, cwd=self.root, env=self.environment)

    def stand_ins(self, release, folder="lib/ccm"):
        for name in ("cloud-controller-manager", "ccmctl", "ccm-sandbox"):
            self.compile(PROGRAM, self.tree / "bin" / name)
        for header in self.tree.glob("plugins/**/*.plugin/ccm_plugin_manifest.h"):
            name = header.parent.name.removesuffix(".plugin")
            kind = "controllers" if "controllers" in header.parts else "providers"
            what = release if name == BUMPED else "first"
            self.compile(PLUGIN, self.tree / folder / kind / f"{name}.so", "-shared", "-fPIC", f"-I{header.parent}",
                         f"-I{self.root}/sdk/include", f'-DRELEASE="{what}"')
        (self.tree / "sdk/testing").mkdir(parents=True, exist_ok=True)
        (self.tree / "sdk/testing/libccm_sdk_testing.a").write_bytes(b"!<arch>\n")
        shutil.copy(self.root / "sandbox/ccm-demo", self.tree / "bin/ccm-demo")
        for page in ("cloud-controller-manager.8", "ccmctl.1", "ccm-sandbox.1", "ccm-demo.1"):
            (self.tree / f"debian/{page}.gz").write_bytes(gzip.compress(PAGE, mtime=0))

    def make(self, release):
        """Bytes by name of all packages and documents, and digest by title of all layers."""
        self.configure()
        self.stand_ins(release)
        run(self.root / "deploy/debian/build", self.tree, env=self.environment)
        names = ",".join(path.stem for path in self.tree.glob("lib/ccm/*/*.so"))
        run(self.root / "deploy/image/build.py", self.tree, "--plugins", names, "--version", "1.2.3", env=self.environment)
        index = json.loads((self.tree / "image/index.json").read_text())
        manifest = json.loads((self.tree / "image/blobs" / index["manifests"][0]["digest"].replace(":", "/")).read_text())
        return ({path.name: path.read_bytes() for path in (self.tree / "packages").iterdir() if path.name != "SHA256SUMS"},
                {layer["annotations"]["org.opencontainers.image.title"]: layer["digest"] for layer in manifest["layers"]})


class PartsTest(unittest.TestCase):
    def test_a_release_of_one_plugin_changes_one_package_and_one_layer(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Copy(pathlib.Path(folder))
            packages, layers = copy.make("first")
            declared = re.findall(r"^Package: (.+)$", (copy.root / "debian/control").read_text(), re.M)
            self.assertEqual({name.split("_")[0] for name in packages if name.endswith(".deb")}, set(declared))
            plugins = list(copy.root.glob("plugins/*/*/plugin.json"))
            self.assertEqual(len(layers), len(plugins) + 2, "the program and the libraries have theirs")
            copy.bump(BUMPED, "7.0.0")
            new_packages, new_layers = copy.make("second")
            changed = {name for name in packages.keys() | new_packages.keys() if packages.get(name) != new_packages.get(name)}
            self.assertEqual({name.split("_")[0] for name in changed}, {"ccm-provider-openstack"}, changed)
            self.assertTrue([name for name in new_packages if name.startswith("ccm-provider-openstack_7.0.0_")])
            self.assertEqual({title for title in layers if layers[title] != new_layers[title]}, {"ccm.provider-openstack"})
            self.assertEqual(layers.keys(), new_layers.keys())


if __name__ == "__main__":
    unittest.main()
