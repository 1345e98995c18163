#!/usr/bin/python3
"""Checks the images that deploy/image makes of a build tree: tests/image/check.py build-package [SYSROOT]

They follow OCI's specification, hold what was asked for, are the same bytes whoever builds them, and initialise Nodes from a
folder of their own without rights, also with one more layer of somebody else. Needs root for that folder, and what
`make test-image` installs. The variable CCM_KUBE_APISERVER names a real kube-apiserver as
tests/kube-apiserver/build.sh makes it; without it the test there is skipped. With the libraries of another architecture, as tools/sysroot unpacks them, all runs in an emulator.
"""
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
import unittest

import kube
import running
from specification import Specification

SOURCES = pathlib.Path(__file__).resolve().parents[2]
TREE = pathlib.Path("build-package")
SYSROOT = pathlib.Path("/")
EMULATOR = "/usr/bin/qemu-aarch64-static"
SCHEMAS = pathlib.Path("/usr/share/gocode/src/github.com/opencontainers/image-spec/schema")
CHOSEN = ["node", "service", "sandbox"]
TITLE, VERSION = "org.opencontainers.image.title", "org.opencontainers.image.version"


def run(*command, **settings):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **settings)


def output(*command):
    done = run(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def foreign():
    return SYSROOT != pathlib.Path("/")


def program(name):
    """The command that runs a program of the tree."""
    return [EMULATOR, "-L", SYSROOT, TREE / "bin" / name] if foreign() else [TREE / "bin" / name]


def packages(*arguments):
    return output("dpkg-query", f"--admindir={SYSROOT / 'var/lib/dpkg'}", *arguments)


def build(folder, plugins=",".join(CHOSEN), tree=None):
    return run(SOURCES / "deploy/image/build.py", tree or TREE, "--plugins", plugins, "--version", "1.2.3",
               "--output", folder, "--sysroot", SYSROOT,
               env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path)))


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.common = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.common.cleanup)
        cls.layout = pathlib.Path(cls.common.name, "image")
        done = build(cls.layout)
        assert done.returncode == 0, done.stdout + done.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)

    def image(self, layout=None):
        images = Specification(self, layout or self.layout).images()
        self.assertEqual(len(images), 1)
        return images[0]

    def unpack(self, layout=None, name="root"):
        root = self.folder / name
        root.mkdir(mode=0o755)
        for archive in self.image(layout)[2]:
            with tarfile.open(fileobj=io.BytesIO(archive)) as entries:
                entries.extractall(root, numeric_owner=True)
        return root

    def add(self, plugin, layout, output):
        return run(SOURCES / "deploy/image/add_plugin.py", layout, plugin, output, "--sysroot", SYSROOT)

    def test_it_follows_the_specification(self):
        config, manifest, archives = self.image()
        self.assertEqual(config["config"]["User"], "65532:65532")
        self.assertEqual(config["config"]["Entrypoint"], ["/usr/bin/cloud-controller-manager"])
        self.assertEqual([layer["annotations"][TITLE] for layer in manifest["layers"]],
                         ["base", "cloud-controller-manager", "ccm.controller-node", "ccm.controller-service", "ccm.provider-sandbox"])
        self.assertEqual(len(archives), 5)

    def test_the_schemas_accept_it(self):
        if not SCHEMAS.exists():
            self.skipTest("no golang-github-opencontainers-image-spec-dev")
        import jsonschema
        # Their references are names of files, whatever ids stand beside them.
        store = {f"file:///{path.name}": json.loads(re.sub(r'"id": "https://[^"]*",?', "", path.read_text()))
                 for path in SCHEMAS.glob("*.json")}
        index = json.loads((self.layout / "index.json").read_text())
        manifest = json.loads((self.layout / "blobs" / index["manifests"][0]["digest"].replace(":", "/")).read_text())
        config = json.loads((self.layout / "blobs" / manifest["config"]["digest"].replace(":", "/")).read_text())
        layout = json.loads((self.layout / "oci-layout").read_text())
        for name, document in (("image-index", index), ("image-manifest", manifest), ("config", config), ("image-layout", layout)):
            base = f"file:///{name}-schema.json"
            schema = store[base]
            resolver = jsonschema.RefResolver(base, schema, store=store)
            jsonschema.Draft4Validator(schema, resolver=resolver).validate(document)
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.Draft4Validator(schema, resolver=resolver).validate({})

    def test_other_programs_read_it(self):
        if not shutil.which("skopeo") or not shutil.which("umoci"):
            self.skipTest("no skopeo, no umoci")
        for source in (f"oci:{self.layout}:1.2.3", f"oci-archive:{self.layout}.tar:1.2.3",
                       f"docker-archive:{self.layout}.tar:cloud-controller-manager:1.2.3"):
            of_it = f"--override-arch={self.image()[0]['architecture']}"
            seen = json.loads(output("skopeo", of_it, "inspect", source))
            self.assertEqual((seen["Os"], seen["Labels"][VERSION]), ("linux", "1.2.3"))
            output("skopeo", of_it, "copy", "--insecure-policy", source, f"dir:{self.folder}/copy")
        output("umoci", "unpack", "--image", f"{self.layout}:1.2.3", self.folder / "bundle")
        self.assertEqual(self.tree(self.folder / "bundle/rootfs"), self.tree(self.unpack()))

    def tree(self, root):
        found = set()
        for path in root.rglob("*"):
            content = os.readlink(path) if path.is_symlink() else path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest()
            found.add((str(path.relative_to(root)), path.lstat().st_mode, path.lstat().st_uid, content))
        return found

    def test_it_holds_what_was_chosen_and_nothing_else(self):
        root = self.unpack()
        files = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
        known = r"etc/(passwd|group|os-release|ssl/certs/ca-certificates\.crt)|lib64/ld-linux-x86-64\.so\.2|lib/ld-linux-aarch64\.so\.1"
        known += r"|usr/lib/ssl/cert\.pem|usr/lib/[a-z0-9_]+-linux-gnu/lib[^/]*\.so[.0-9]*"
        known += r"|usr/share/(doc/[^/]*/copyright|common-licenses/[^/]*)|var/lib/dpkg/status\.d/[^/]*"
        rest = {name for name in files if not re.fullmatch(known, name)}
        self.assertEqual(rest, {"usr/bin/cloud-controller-manager", "usr/local/bin/cloud-controller-manager", "usr/lib/ccm/controllers/node.so",
                                "usr/lib/ccm/controllers/service.so", "usr/lib/ccm/providers/sandbox.so"})
        for path in root.rglob("*"):
            state = path.lstat()
            self.assertEqual((state.st_uid, state.st_gid), (0, 0), path)
            if not path.is_symlink():
                self.assertEqual(state.st_mtime, 1700000000, path)
                self.assertIn(oct(state.st_mode & 0o7777), ("0o755", "0o644"), path)

    def test_its_libraries_are_those_that_are_needed(self):
        root = self.unpack()
        libraries = {path.name: path for path in [*root.glob("usr/lib/*-linux-gnu/*"), *root.glob("lib*/ld-linux*")]}
        waiting = needed(root / "usr/bin/cloud-controller-manager").union(*map(needed, root.glob("usr/lib/ccm/*/*.so")))
        reached = set()
        while waiting:
            name = waiting.pop()
            self.assertIn(name, libraries)
            reached.add(name)
            waiting |= needed(libraries[name]) - reached
        self.assertEqual(reached, set(libraries))

    def test_each_library_has_its_licence_and_version(self):
        root = self.unpack()
        entries = {path.name: path.read_text() for path in root.glob("var/lib/dpkg/status.d/*")}
        listed = {name: packages("-L", name) for name in entries}
        for path in root.glob("usr/lib/*-linux-gnu/*"):
            owners = [name for name, files in listed.items() if f"/{path.name}\n" in files]
            self.assertEqual(len(owners), 1, path)
        for name, entry in entries.items():
            self.assertIn(f"\nVersion: {packages('-W', '-f', '${Version}', name)}\n", entry)
            self.assertEqual((root / f"usr/share/doc/{name}/copyright").read_bytes(),
                             (SYSROOT / f"usr/share/doc/{name}/copyright").read_bytes())
        for notice in root.glob("usr/share/doc/*/copyright"):
            for licence in re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", notice.read_text()):
                self.assertTrue((root / "usr/share/common-licenses" / licence).is_file(), f"{notice} names {licence}")

    def test_its_roots_are_debians(self):
        bundle = self.unpack() / "etc/ssl/certs/ca-certificates.crt"
        shipped = [name for name in packages("-L", "ca-certificates").splitlines()
                   if re.fullmatch(r"/usr/share/ca-certificates/.*\.crt", name)]
        stored = ssl.create_default_context(cafile=bundle).cert_store_stats()
        self.assertEqual(stored["x509"], len(shipped))

    def test_its_labels_have_the_versions(self):
        labels = self.image()[0]["config"]["Labels"]
        self.assertEqual(labels[VERSION], "1.2.3")
        for name in CHOSEN:
            plugin = next(TREE.glob(f"lib/ccm/*/{name}.so"))
            manifest = json.loads(output(*program("ccmctl"), "plugin", "inspect", plugin, "-o", "json"))["manifest"]
            self.assertEqual(labels[f"{manifest['id']}.version"], manifest["version"])

    def test_whoever_builds_it_it_is_the_same(self):
        elsewhere = self.folder / "elsewhere/tree"
        for path in [TREE / "bin/cloud-controller-manager", *TREE.glob("lib/ccm/*/*.so")]:
            place = elsewhere / path.relative_to(TREE)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
            place.chmod(0o700)
        old = os.umask(0o077)
        self.addCleanup(os.umask, old)
        done = build(self.folder / "again", ",".join(reversed(CHOSEN)), elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)
        for one, other in ((self.layout / "index.json", self.folder / "again/index.json"),
                           (f"{self.layout}.tar", self.folder / "again.tar")):
            self.assertEqual(pathlib.Path(one).read_bytes(), pathlib.Path(other).read_bytes())

    def test_images_share_the_layers_that_they_have_in_common(self):
        self.assertEqual(build(self.folder / "other", "node,digitalocean").returncode, 0)
        one, other = (self.image(layout)[1]["layers"] for layout in (self.layout, self.folder / "other"))
        self.assertEqual([layer["digest"] for layer in one[:3]], [layer["digest"] for layer in other[:3]])

    def of_another_architecture(self):
        """The image with another word in its configuration."""
        layout = self.folder / "another"
        shutil.copytree(self.layout, layout)

        def rewrite(holder, change):
            path = layout / "blobs" / holder["digest"].replace(":", "/")
            document = json.loads(path.read_bytes())
            change(document)
            path.unlink()
            contents = json.dumps(document).encode()
            digest = hashlib.sha256(contents).hexdigest()
            (layout / "blobs/sha256" / digest).write_bytes(contents)
            holder.update(digest=f"sha256:{digest}", size=len(contents))

        other = {"amd64": "arm64", "arm64": "amd64"}[self.image()[0]["architecture"]]
        index = json.loads((layout / "index.json").read_bytes())
        [descriptor] = index["manifests"]
        rewrite(descriptor, lambda manifest: rewrite(manifest["config"], lambda config: config.update(architecture=other)))
        descriptor["platform"]["architecture"] = other
        (layout / "index.json").write_text(json.dumps(index))
        return layout

    def test_an_artifact_that_refers_to_it_tells_what_is_inside(self):
        bill = pathlib.Path(f"{self.layout}-sbom")
        [artifact] = json.loads((bill / "index.json").read_text())["manifests"]
        blob = lambda folder, digest: (folder / "blobs" / digest.replace(":", "/")).read_text()  # noqa: E731
        manifest = json.loads(blob(bill, artifact["digest"]))
        self.assertEqual(manifest["artifactType"], "application/spdx+json")
        [described] = json.loads((self.layout / "index.json").read_text())["manifests"]
        self.assertEqual(manifest["subject"], {key: described[key] for key in ("mediaType", "digest", "size")})
        document = json.loads(blob(bill, manifest["layers"][0]["digest"]))
        names = {package["SPDXID"]: package["name"] for package in document["packages"]}
        related = {(relation["relationshipType"], names[relation["relatedSpdxElement"]]) for relation in document["relationships"]}
        for layer in json.loads(blob(self.layout, described["digest"]))["layers"][1:]:
            self.assertIn(("CONTAINS", layer["annotations"]["org.opencontainers.image.title"]), related)
        self.assertTrue({("CONTAINS", "ca-certificates"), ("STATIC_LINK", "nlohmann-json3-dev")} <= related, related)
        if shutil.which("skopeo"):
            copied = run("skopeo", "copy", "--preserve-digests", f"oci:{bill}", f"oci:{self.folder}/copy:sbom")
            self.assertEqual(copied.returncode, 0, copied.stderr)
            self.assertIn(artifact["digest"], (self.folder / "copy/index.json").read_text())

    def test_images_for_two_architectures_have_one_name(self):
        another, joined = self.of_another_architecture(), self.folder / "joined"
        done = run(SOURCES / "deploy/image/join.py", joined, self.layout, another)
        self.assertEqual(done.returncode, 0, done.stderr)
        images = Specification(self, joined).images()
        self.assertEqual({config["architecture"] for config, _, _ in images}, {"amd64", "arm64"})
        if shutil.which("skopeo"):
            for architecture in ("amd64", "arm64"):
                for kind, name in (("oci", joined), ("oci-archive", f"{joined}.tar")):
                    seen = json.loads(output("skopeo", f"--override-arch={architecture}", "inspect", f"{kind}:{name}:1.2.3"))
                    self.assertEqual(seen["Architecture"], architecture)
        done = run(SOURCES / "deploy/image/join.py", joined, self.layout, self.layout)
        self.assertEqual((done.returncode, "the same architecture" in done.stderr), (1, True))

    def test_with_all_plugins_it_has_at_most_25_MB(self):
        names = sorted(path.stem for path in TREE.glob("lib/ccm/*/*.so"))
        self.assertEqual(build(self.folder / "all", ",".join(names)).returncode, 0)
        self.assertLess(pathlib.Path(f"{self.folder}/all.tar").stat().st_size, 25_000_000)

    def test_a_plugin_that_is_not_there_is_named(self):
        done = build(self.folder / "none", "node,mycloud")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no plugin mycloud", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def box(self):
        """The folder that is mounted into the container."""
        box = self.folder / "box"
        box.mkdir()
        return box

    def initialises_nodes(self, root, box, server, *flags, command=None, proc=True):
        self.assertTrue(server.waiting())
        entrypoint = command or self.image()[0]["config"]["Entrypoint"]
        if foreign():
            shutil.copy(EMULATOR, root / "emulator")
            entrypoint = ["/emulator", *entrypoint]
        process, log = running.start(self, root, box, entrypoint,
                                     "--kubeconfig=/box/kubeconfig", "--secure-port=0", *flags, proc=proc)
        running.await_it(30, lambda: not server.waiting(), log.read_text)
        self.assertEqual(running.confinement(process), {
            "user": "65532", "group": "65532", "groups": "", "capabilities": 0, "new privileges": "1", "root": ["ro"],
            "program": os.path.basename(entrypoint[0])})
        process.terminate()
        self.assertEqual(process.wait(timeout=20), 0, log.read_text())
        return server.nodes()

    @unittest.skipIf(os.geteuid() != 0, "a folder as a root needs root")
    def test_its_contents_initialise_nodes_without_rights(self):
        box = self.box()
        server = running.Sandbox(self, program("ccm-sandbox"), box, "--nodes", "3")
        nodes = self.initialises_nodes(self.unpack(), box, server, "--cloud-provider=sandbox", "--cloud-config=/box/cloud.json")
        self.assertEqual(len(nodes), 3)
        for node in nodes.values():
            self.assertTrue(node["spec"]["providerID"].startswith("sandbox://"))

    @unittest.skipIf(os.geteuid() != 0, "a folder as a root needs root")
    def test_it_initialises_nodes_where_nothing_is_mounted_at_proc(self):
        if foreign():
            self.skipTest("the emulator needs /proc")
        box = self.box()
        server = running.Sandbox(self, program("ccm-sandbox"), box, "--nodes", "1")
        root = self.unpack()
        nodes = self.initialises_nodes(root, box, server, "--cloud-provider=sandbox", "--cloud-config=/box/cloud.json", proc=False)
        self.assertEqual(len(nodes), 1)
        self.assertEqual(list((root / "proc").iterdir()), [])

    @unittest.skipIf(os.geteuid() != 0, "a folder as a root needs root")
    def test_the_command_of_kubernetes_own_example_runs(self):
        box = self.box()
        server = running.Sandbox(self, program("ccm-sandbox"), box, "--nodes", "1")
        nodes = self.initialises_nodes(self.unpack(), box, server, "--cloud-provider=sandbox", "--cloud-config=/box/cloud.json",
                                       command=["/usr/local/bin/cloud-controller-manager"])
        self.assertEqual(len(nodes), 1)

    @unittest.skipIf(os.geteuid() != 0, "a folder as a root needs root")
    @unittest.skipUnless(os.path.exists(kube.PROGRAM), "CCM_KUBE_APISERVER names no program; make test-kube builds one")
    def test_its_contents_initialise_nodes_on_a_real_kube_apiserver(self):
        box, manager = self.box(), ("--cloud-provider=sandbox", "--controllers=cloud-node-controller", "--secure-port=0")
        server = kube.Kube(self, self.folder / "kube", box, program("ccm-sandbox"), program("ccmctl"), 3, *manager)
        self.assertEqual([server.manager_may("patch", "nodes"), server.manager_may("create", "nodes"),
                          server.manager_may("list", "services"), server.manager_may("list", "secrets")], [True, False, False, False])
        nodes = self.initialises_nodes(self.unpack(), box, server, "--cloud-config=/box/cloud.json", *manager)
        self.assertEqual(len(nodes), 3)
        for node in nodes.values():
            self.assertTrue(node["spec"]["providerID"].startswith("sandbox://"))
            self.assertTrue([entry for entry in node["status"]["addresses"] if entry["type"] == "InternalIP"])
            self.assertIn("topology.kubernetes.io/zone", node["metadata"]["labels"])

    def example(self):
        """A provider of somebody else, built with the installed SDK; it needs a library that the image lacks."""
        output("cmake", "--install", TREE, "--component", "sdk", "--prefix", self.folder / "sdk")
        output("cmake", "-S", SOURCES / "examples/provider-c", "-B", self.folder / "example",
               f"-DCMAKE_PREFIX_PATH={self.folder}/sdk", "-DCMAKE_MODULE_LINKER_FLAGS=-Wl,--no-as-needed -lz",
               *([f"-DCMAKE_TOOLCHAIN_FILE={SOURCES}/cmake/CcmArm64.cmake",
                  f"-DCMAKE_FIND_ROOT_PATH={self.folder}/sdk"] if foreign() else []))
        output("cmake", "--build", self.folder / "example")
        return next((self.folder / "example").rglob("*.so"))

    @unittest.skipIf(os.geteuid() != 0, "a folder as a root needs root")
    def test_one_more_layer_brings_a_plugin_of_somebody_else(self):
        plugin, layout = self.example(), self.folder / "image"
        before = (self.layout / "index.json").read_bytes()
        done = self.add(plugin, self.layout, layout)
        self.assertEqual((done.returncode, done.stdout),
                         (0, f"Added example.provider-rack-c 0.1.0 with libz.so.1: {layout}.tar\n"), done.stderr)
        self.assertEqual((self.layout / "index.json").read_bytes(), before)
        before, after = self.image()[1]["layers"], self.image(layout)[1]["layers"]
        self.assertEqual(before, after[:-1])
        root = self.unpack(layout)
        held = root / "usr/lib/ccm/providers" / plugin.name
        self.assertEqual(hashlib.sha256(held.read_bytes()).digest(), hashlib.sha256(plugin.read_bytes()).digest())
        self.assertTrue((root / "usr/share/doc/zlib1g/copyright").is_file())
        self.assertEqual(self.image(layout)[0]["config"]["Labels"]["example.provider-rack-c.version"], "0.1.0")
        box = self.box()
        shutil.copy(SOURCES / "examples/machines.txt", box)
        server = running.Sandbox(self, program("ccm-sandbox"), box, "--no-cloud")
        server.join("worker-1")
        nodes = self.initialises_nodes(root, box, server, "--cloud-provider=rack", "--cloud-config=/box/machines.txt")
        self.assertTrue(nodes["worker-1"]["spec"]["providerID"].startswith("rack://"))

    def test_another_version_of_a_plugin_takes_the_place_of_its_layer(self):
        old = next(TREE.glob("lib/ccm/*/service.so")).read_bytes()
        version = json.loads(output(*program("ccmctl"), "plugin", "inspect", next(TREE.glob("lib/ccm/*/service.so")), "-o", "json"))["manifest"]["version"]
        plugin = self.folder / "service.so"
        # The manifest is a text in a note: another number of the same length.
        newer = version[:-1] + str((int(version[-1]) + 1) % 10)
        plugin.write_bytes(old.replace(f'"version": "{version}"'.encode(), f'"version": "{newer}"'.encode()))
        for at, folder in enumerate((self.layout, self.folder / "new-0")):
            layout = self.folder / f"new-{at}"
            done = self.add(plugin, folder, layout)
            self.assertEqual((done.returncode, done.stdout), (0, f"Replaced ccm.controller-service {newer}: {layout}.tar\n"), done.stderr)
        (config, before, _), (new, after, _) = self.image(), self.image(layout)
        self.assertEqual([one["digest"] == other["digest"] for one, other in zip(before["layers"], after["layers"])],
                         [True, True, True, False, True])
        self.assertEqual(len(before["layers"]), len(after["layers"]))
        self.assertEqual(new["config"]["Labels"]["ccm.controller-service.version"], newer)
        self.assertEqual({name: value for name, value in new["config"]["Labels"].items() if "service" not in name},
                         {name: value for name, value in config["config"]["Labels"].items() if "service" not in name})
        self.assertEqual((self.unpack(layout) / "usr/lib/ccm/controllers/service.so").read_bytes(), plugin.read_bytes())

    def test_an_image_is_written_neither_over_another_folder_nor_over_itself(self):
        plugin = next(TREE.glob("lib/ccm/*/node.so"))
        home = self.folder / "home"
        home.mkdir()
        (home / "letter").write_text("dear")
        for folder, told in ((home, "holds no image"), (self.layout, "name another folder")):
            done = self.add(plugin, self.layout, folder)
            self.assertEqual((done.returncode, told in done.stderr), (1, True), done.stderr)
        self.assertEqual(build(home).returncode, 1)
        self.assertEqual((home / "letter").read_text(), "dear")
        self.image()

    def test_a_file_that_is_no_plugin_for_it_is_refused(self):
        another = self.folder / "another.so"
        contents = bytearray(next(TREE.glob("lib/ccm/*/digitalocean.so")).read_bytes())
        # e_machine: the other architecture's.
        contents[18] = 62 if contents[18] == 183 else 183
        another.write_bytes(contents)
        (self.folder / "text.so").write_text("no ELF file")
        for file, told in ((TREE / "bin/ccmctl", "has no manifest"), (another, ", and the image for "), (self.folder / "text.so", "Magic")):
            done = self.add(file, self.layout, self.folder / "image")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(told, done.stderr)
        self.assertFalse((self.folder / "image").exists())


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        TREE = pathlib.Path(sys.argv.pop(1))
    if len(sys.argv) > 1 and pathlib.Path(sys.argv[1]).is_dir():
        SYSROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
