#!/usr/bin/env python3
"""deploy/release: what a tag of a part builds and publishes, with the commands printed instead of run; and the workflow, which calls
these scripts and names no registry's path of its own."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = ROOT / "deploy/release"


def run(*command, **environment):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, "DRY_RUN": "1", "GITHUB_REPOSITORY": "owner/name", **environment})
    return done.returncode, done.stdout, done.stderr


def version(part):
    return subprocess.run([ROOT / "tools/release", "version", part], capture_output=True, text=True, check=True).stdout.strip()


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, part, **environment):
        code, said, fault = run(RELEASE / "build", f"{part}-v{version(part)}", "release", **environment)
        self.assertEqual(code, 0, fault)
        return said

    def test_a_tag_of_a_part_takes_the_packages_of_that_part(self):
        parts = [line.split()[0] for line in subprocess.run([ROOT / "tools/release", "parts"], capture_output=True, text=True, check=True).stdout.splitlines()]
        control = set(re.findall(r"^Package: (\S+)", (ROOT / "debian/control").read_text(), re.M))
        taken = []
        for part in parts:
            said = self.build(part)
            taken += re.findall(r"build-package/packages/(\S+)_\*", said)
            self.assertEqual("make image" in said, part == "host", part)
            self.assertEqual("deploy/chart" in said, part == "host", part)
        # Each package is released by one part, and none by two.
        self.assertEqual(sorted(taken), sorted(control))

    def test_the_host_has_image_chart_site_and_sources(self):
        said = self.build("host")
        for words in ("ARCH=amd64", "ARCH=arm64", "join.py", "make dist", "make site", "helm package deploy/chart", "sha256sum"):
            self.assertIn(words, said)
        self.assertNotIn("deploy/sign", said)
        self.assertIn("deploy/sign ABCD", self.build("host", CCM_SIGNING_KEY="ABCD"))

    def test_a_tag_that_is_not_the_version_is_refused(self):
        code, said, fault = run(RELEASE / "build", "host-v99.0.0", "release")
        self.assertEqual((code, said), (1, ""))
        self.assertIn("is not the version of host", fault)

    def test_what_is_published_goes_where_names_says(self):
        (self.folder / "ccm-host_0_amd64.deb").write_text("")
        layout = self.folder / "image-sbom-package"
        (layout / "blobs/sha256").mkdir(parents=True)
        (layout / "index.json").write_text(json.dumps({"manifests": [{"digest": "sha256:a"}]}))
        (layout / "blobs/sha256/a").write_text(json.dumps({"subject": {"digest": "sha256:1234"}}))
        number = version("host")
        code, said, fault = run(RELEASE / "publish", f"host-v{number}", self.folder)
        self.assertEqual(code, 0, fault)
        self.assertIn(f"skopeo copy --all oci-archive:{self.folder}/cloud-controller-manager.tar docker://ghcr.io/owner/name:{number}", said)
        self.assertIn("docker://ghcr.io/owner/name:sha256-1234", said)
        self.assertIn(f"helm push {self.folder}/cloud-controller-manager-{number}.tgz oci://ghcr.io/owner/name/charts", said)
        self.assertIn(f"{self.folder}/ccm-host_0_amd64.deb", said.splitlines()[-1])
        # What the workflow makes the provenance of.
        told = self.folder / "told"
        self.assertEqual(run(RELEASE / "publish", f"host-v{number}", self.folder, GITHUB_OUTPUT=str(told))[0], 0)
        self.assertEqual(told.read_text().split("\n", 1), ["image=ghcr.io/owner/name",
                         f"+ skopeo inspect --format digest={{{{.Digest}}}} docker://ghcr.io/owner/name:{number}\n"])
        plugin = version("digitalocean")
        code, said, fault = run(RELEASE / "publish", f"digitalocean-v{plugin}", self.folder)
        self.assertEqual(code, 0, fault)
        self.assertEqual([line.split()[1] for line in said.splitlines()], ["gh"])

    def test_the_workflow_runs_the_scripts_and_names_no_place(self):
        text = (ROOT / ".github/workflows/release.yml").read_text()
        for script in ("deploy/release/build", "deploy/release/publish"):
            self.assertIn(f'{script} "$GITHUB_REF_NAME" release', text)
        # tools/release and go.sh need it before install-packages runs; the container has no Python.
        self.assertRegex(text, r"apt-get install .*\bpython3-venv\b")
        self.assertEqual(set(re.findall(r"ghcr\.io\S*", text)), {"ghcr.io"})
        for script in ("build", "publish"):
            self.assertNotIn("ghcr.io", (RELEASE / script).read_text())
        self.assertTrue(re.search(r"^IMAGE=ghcr\.io/", (RELEASE / "names").read_text(), re.M))

    def test_the_versions_of_debian_and_chart_are_the_hosts(self):
        number = version("host")
        self.assertTrue((ROOT / "debian/changelog").read_text().startswith(f"ccm ({number}) "))
        self.assertIn(f"\nappVersion: {number}\n", (ROOT / "deploy/chart/Chart.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
