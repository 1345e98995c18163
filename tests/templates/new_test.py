#!/usr/bin/env python3
"""`ccmctl plugin new`:   new_test.py CCMCTL"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CCMCTL = pathlib.Path(sys.argv.pop(1)).resolve()


class NewTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.templates = self.folder / "share/ccm/templates"
        language = self.templates / "basic"
        (language / ".hidden").mkdir(parents=True)
        (language / ".hidden/@NAME@.txt").write_text("@NAME@ @IDENTIFIER@ @VARIABLE@ @PREFIX@ @PROJECT_VERSION@\n")
        (language / "run").write_text("#!/bin/sh\n")
        (language / "run").chmod(0o555)

    def new(self, *arguments):
        return subprocess.run([CCMCTL, "plugin", "new", f"--templates={self.templates}", *arguments], cwd=self.folder,
                              capture_output=True, text=True)

    def refused(self, *arguments):
        ended = self.new(*arguments)
        self.assertEqual(ended.returncode, 1, ended.stdout)
        return ended.stderr

    def test_every_file_is_copied_with_the_name_in_place(self):
        made = self.new("--lang=basic", "my-cloud")
        self.assertEqual(made.returncode, 0, made.stderr)
        text = (self.folder / "my-cloud/.hidden/my-cloud.txt").read_text()
        self.assertEqual(text, f"my-cloud my_cloud MY_CLOUD {self.folder} @PROJECT_VERSION@\n")
        mode = (self.folder / "my-cloud/run").stat().st_mode & 0o777
        self.assertEqual(mode, 0o755)
        self.assertEqual(made.stdout.splitlines()[:2], ["my-cloud/.hidden/my-cloud.txt", "my-cloud/run"])

    def test_nothing_is_overwritten(self):
        (self.folder / "there").mkdir()
        (self.folder / "there/mine").write_text("mine")
        self.assertIn("there already", self.refused("--lang=basic", "--directory=there", "my-cloud"))
        self.assertEqual([path.name for path in (self.folder / "there").iterdir()], ["mine"])

    def test_a_name_that_is_none_is_refused(self):
        for name in ("", "My", "7up", "a--b", "a-", "a_b", "../a", "a" * 64):
            with self.subTest(name):
                self.assertIn("NAME is lower-case letters", self.refused("--lang=basic", "--directory=made", name))
        self.assertFalse((self.folder / "made").exists())

    def test_another_language_is_refused_with_those_that_there_are(self):
        for language in ("cobol", "..", "basic/.hidden"):
            with self.subTest(language):
                self.assertIn("there are: basic", self.refused(f"--lang={language}", "my-cloud"))


if __name__ == "__main__":
    unittest.main()
