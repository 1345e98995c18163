#!/usr/bin/env python3
"""The repository of a template passes by the steps of its own CI file:   template_test.py BUILD LANGUAGE FOLDER

BUILD is a build tree, FOLDER has the language's programs. Nothing but installed files is used.
"""
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from newcomer import NAME, STEPS, environment, run, step, try_it

BUILD, LANGUAGE, PROGRAMS = sys.argv[1:]


class TemplateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The host loads no file below a folder to which others may write; a sticky one such as /tmp is fine.
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name, "prefix")
        cls.repository = pathlib.Path(folder.name, "repository")
        for component in ("sdk", "tools", "host", "node", "service", "ccm-sandbox"):
            run("cmake", "--install", BUILD, "--component", component, "--prefix", cls.prefix)
        cls.ccmctl = cls.prefix / "bin/ccmctl"
        run(cls.ccmctl, "plugin", "new", "--lang", LANGUAGE, "--directory", cls.repository, NAME)
        # Go fetches nothing, and the author's settings do not count.
        offline = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": ""}
        cls.variables = {**environment(cls.prefix, PROGRAMS), **offline, "HOME": folder.name}
        cls.said = {name: step(cls.repository, name, cls.variables) for name in STEPS}

    def only(self, pattern):
        found = [path for path in self.repository.rglob(pattern) if path.is_file() and "CPack" not in str(path)]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def cloud(self):
        """The command of the template's own cloud: a program that the build made, or a script."""
        program = self.repository / "build/cloud"
        return program if program.exists() else f"{sys.executable} {self.repository / 'tests/cloud.py'}"

    def test_nothing_is_left_to_be_replaced(self):
        for path in self.repository.rglob("*"):
            if path.is_file() and not path.is_relative_to(self.repository / "build"):
                self.assertNotRegex(str(path) + path.read_text(errors="replace"), "@(NAME|IDENTIFIER|VARIABLE|PREFIX)@")

    def test_the_manifest_is_without_a_warning(self):
        file = json.loads(run(self.ccmctl, "plugin", "inspect", "-o", "json", self.only(f"{NAME}.so")))
        self.assertEqual({check["state"] for check in file["checks"]}, {"ok"}, file["checks"])
        component, = file["manifest"]["components"]
        self.assertEqual((component["kind"], component["name"]), ("provider", NAME))

    def test_the_cases_are_among_its_tests_and_pass(self):
        report = json.loads(run(self.ccmctl, "plugin", "check", self.only(f"{NAME}.so"), "-o", "json", f"--cloud={self.cloud()}"))
        counts = {}
        for case in report["cases"]:
            counts[case["result"]] = counts.get(case["result"], 0) + 1
        print(f"{LANGUAGE}: {counts}")
        self.assertEqual(set(counts), {"pass", "skip"})
        self.assertGreaterEqual(counts["pass"], 60)
        # The name of a test of its own, or the last line of the command.
        self.assertRegex(self.said["Test"], r"\bconformance\b|\b0 failed, 0 crashed\b")

    def test_the_package_has_the_plugin_and_depends_on_the_abi(self):
        package = self.only("*.deb")
        listed = run("dpkg-deb", "-c", package)
        self.assertIn(f"./usr/lib/ccm/providers/{NAME}.so", listed)
        self.assertEqual(len([line for line in listed.splitlines() if not line.startswith("d")]), 1, listed)
        self.assertEqual(run("dpkg-deb", "-f", package, "Package").strip(), f"ccm-provider-{NAME}")
        self.assertRegex(run("dpkg-deb", "-f", package, "Depends"), r"\bccm-abi-\d")

    def test_the_layer_of_an_image_is_the_plugin(self):
        source = re.search(r"^COPY .* (\S+) /usr/lib/ccm/providers/$", (self.repository / "Dockerfile").read_text(), re.M).group(1)
        self.assertEqual(self.repository / source, self.only(f"{NAME}.so"))

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_its_readme_leads_to_a_service_with_an_address(self):
        try_it(self.repository, self.variables)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
