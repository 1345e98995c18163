#!/usr/bin/env python3
"""tools/release gives each part its version, notes and tag, in a checkout of their own."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUGIN = "plugins/providers/digitalocean"


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in [*ROOT.glob("plugins/*/*/plugin.json"), *ROOT.rglob("CHANGELOG.md"), ROOT / "cmake/CcmVersions.cmake",
                     ROOT / "tools/release"]:
            if "build" not in path.relative_to(ROOT).parts[0]:
                place = self.root / path.relative_to(ROOT)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, place)
        self.git("init", "-q")
        self.git("config", "user.name", "Release")
        self.git("config", "user.email", "release@example.com")
        self.commit()

    def git(self, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "change", "--allow-empty")

    def release(self, *arguments):
        return subprocess.run([self.root / "tools/release", *arguments], capture_output=True, text=True)

    def test_every_part_has_notes_for_its_version(self):
        parts = dict(line.split() for line in self.release("parts").stdout.splitlines())
        self.assertLessEqual({"host", "sdk", "tools", "ccm-sandbox", "node", "digitalocean", "openstack"}, set(parts))
        for name, version in parts.items():
            self.assertEqual(self.release("version", name).stdout, f"{version}\n")
            done = self.release("notes", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("\n- ", done.stdout)

    def test_a_plugin_is_released_alone(self):
        before = self.release("parts").stdout
        manifest = self.root / PLUGIN / "plugin.json"
        text = manifest.read_text().replace(f'"version": "{json.loads(manifest.read_text())["version"]}"', '"version": "0.4.0"')
        manifest.write_text(text)
        changelog = self.root / PLUGIN / "CHANGELOG.md"
        old = changelog.read_text()
        new = "## 0.4.0 (2026-12-24)\n\nFixed\n- # of calls.\n\n"
        changelog.write_text(old.replace("## 0.1.0", new + "## 0.1.0", 1))
        done = self.release("tag", "digitalocean")
        self.assertEqual((done.returncode, "files are changed" in done.stderr), (1, True), done.stderr)
        self.commit()
        done = self.release("tag", "digitalocean")
        self.assertEqual((done.returncode, done.stdout), (0, "digitalocean-v0.4.0\n"), done.stderr)
        self.assertEqual(self.git("cat-file", "-t", "digitalocean-v0.4.0"), "tag\n")
        self.assertEqual(self.git("tag", "-l", "--format=%(contents)", "digitalocean-v0.4.0").rstrip(),
                         "digitalocean 0.4.0\n\nFixed\n- # of calls.")
        again = self.release("tag", "digitalocean")
        self.assertEqual((again.returncode, "already exists" in again.stderr), (1, True), again.stderr)
        changed = set(self.release("parts").stdout.splitlines()) - set(before.splitlines())
        self.assertEqual(changed, {"digitalocean 0.4.0"})

    def dates(self, **variables):
        environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
        done = subprocess.run([self.root / "tools/release", "dates"], check=True, capture_output=True, text=True, env={**environment, **variables})
        return {name: int(date) for name, date in (line.split() for line in done.stdout.splitlines())}

    def test_a_part_has_the_date_of_its_own_last_change_and_then_of_its_tag(self):
        def changed(second, *files):
            for file in files:
                (self.root / file).parent.mkdir(exist_ok=True, parents=True)
                with open(self.root / file, "a", encoding="utf-8") as text:
                    text.write("\n")
            self.git("add", "-A")
            subprocess.run(["git", "commit", "-qm", "change"], cwd=self.root, check=True,
                           env={**os.environ, "GIT_COMMITTER_DATE": f"{second} +0000"})

        before = self.dates()
        changed(4000000001, f"{PLUGIN}/api.cpp")
        self.assertEqual(self.dates(), {**before, "digitalocean": 4000000001})
        changed(4000000002, "core/main.cpp", "docs/page.md")
        self.assertEqual(self.dates(), {**before, "digitalocean": 4000000001, "host": 4000000002})
        versions = self.root / "cmake/CcmVersions.cmake"
        versions.write_text(versions.read_text().replace("SDK_VERSION 0.1.0", "SDK_VERSION 7.0.0"))
        changed(4000000003, "README.md")
        self.assertEqual(self.dates()["sdk"], 4000000003)
        self.assertEqual(self.dates()["host"], 4000000002)
        self.git("tag", "digitalocean-v0.1.0", "HEAD~2")
        changed(4000000004, f"{PLUGIN}/api.cpp")
        self.assertEqual(self.dates()["digitalocean"], 4000000001)
        self.assertEqual(set(self.dates(SOURCE_DATE_EPOCH="7").values()), {7})

    def test_what_has_no_date_or_no_text_gets_no_tag(self):
        done = self.release("tag", "node")
        self.assertEqual((done.returncode, "has no date" in done.stderr), (1, True), done.stderr)
        versions = self.root / "cmake/CcmVersions.cmake"
        versions.write_text(versions.read_text().replace("SDK_VERSION 0.1.0", "SDK_VERSION 7.0.0"))
        done = self.release("notes", "sdk")
        self.assertEqual((done.returncode, "no text for 7.0.0" in done.stderr), (1, True), done.stderr)
        self.assertEqual(self.release("notes", "mycloud").returncode, 1)
        self.assertEqual(self.git("tag"), "")


if __name__ == "__main__":
    unittest.main()
