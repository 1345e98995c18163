#!/usr/bin/env python3
"""`ccmctl plugin new` works from a build tree, of which nothing was installed:   tree_test.py BUILD"""
import pathlib
import re
import sys
import tempfile
import unittest

from newcomer import NAME, environment, run

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def new(self, language):
        repository = self.folder / language
        run(BUILD / "bin/ccmctl", "plugin", "new", "--lang", language, "--directory", repository, NAME)
        return repository

    def test_a_provider_in_c_builds_and_loads(self):
        repository = self.new("c")
        variables = environment(BUILD)
        run("cmake", "-S", repository, "-B", repository / "build", f"-DCMAKE_PREFIX_PATH={BUILD}", "-DBUILD_TESTING=OFF", env=variables)
        run("cmake", "--build", repository / "build", env=variables)
        plugin = repository / f"build/lib/ccm/providers/{NAME}.so"
        cloud = f"--cloud={sys.executable} {repository / 'tests/cloud.py'}"
        self.assertIn("1 passed", run(BUILD / "bin/ccmctl", "plugin", "check", plugin, cloud, "--case=INSTANCES-01"))

    def test_go_and_rust_find_the_sdk(self):
        for language, file, pattern in (("go", "go.mod", r"replace ccm => (\S+)"), ("rust", "Cargo.toml", r'ccm = .*path = "([^"]+)"')):
            with self.subTest(language):
                found = re.search(pattern, (self.new(language) / file).read_text())
                self.assertTrue(found, file)
                self.assertTrue(any(pathlib.Path(found.group(1), name).exists() for name in ("go.mod", "Cargo.toml")), found.group(1))


if __name__ == "__main__":
    unittest.main()
