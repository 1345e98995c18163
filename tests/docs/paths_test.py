#!/usr/bin/env python3
"""paths.py finds what it is there to find, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import paths


class PathsTest(unittest.TestCase):
    def findings(self, text, page="docs/guide.md"):
        """The findings in a small tree with that page."""
        tree = {
            "README.md": "# The project\n\n## How it works (in short)\n", "docs/facts/host.md": "", "core/app/main.cpp": "",
            "core/app/manager.cpp": "void Manager::lead() {}", "sdk/include/ccm/abi/base.h": "",
            "plugins/controllers/node/plugin.json": "", "tests/a_test.py": "",
        }
        tree[page] = text
        with tempfile.TemporaryDirectory() as root:
            for name, content in tree.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            return paths.check(root)

    def test_what_is_there(self):
        for text in (
                "[the project](../README.md)", "[how](../README.md#how-it-works-in-short)", "[core](../core) and [app](../core/app/)",
                "[guide](#top)\n# Top", "[elsewhere](https://example.com/core/none.cpp)", "`core/app/main.cpp`.", "core/app,",
                "core/app/ma{in,nager}.cpp", "core/*/main.cpp", "plugins/controllers/NAME/plugin.json", "`ccm/abi/base.h`",
                "`base.h`", "docs/facts/<page>.md", "`core/app/manager.cpp`: `lead()` starts", "lib/ccm/core/none.so", "example.com/docs/none", "`ccm_plugin_manifest.h`",
                "hardcore/none"):
            with self.subTest(text):
                self.assertEqual(self.findings(text), [])

    def test_what_is_not_there(self):
        for text, missing in {
            "[x](README.md)": "the link README.md leads to docs/README.md, which is not there",
            "[x](../../out.md)": "the link ../../out.md leads out of the repository",
            "[x](../README.md#how-it-works)": "README.md has no heading for #how-it-works",
            "`core/app/none.cpp`": "core/app/none.cpp is not there",
            "see core/none.": "core/none is not there",
            "core/app/manager{,_none}.cpp": "core/app/manager_none.cpp is not there",
            "core/*/none.cpp": "core/*/none.cpp is not there",
            "plugins/NAME/plugin.json": "plugins/NAME/plugin.json is not there",
            "`abi/none.h`": "no file is called abi/none.h",
            "`ase.h`": "no file is called ase.h",
            "`core/app/manager.cpp`: `le` starts": "core/app/manager.cpp has no le",
        }.items():
            with self.subTest(text):
                self.assertEqual(self.findings("\n" + text), [f"docs/guide.md:2: {missing}"])

    def test_a_template_is_a_repository_of_its_own(self):
        page = "tools/templates/cpp/README.md"
        self.assertEqual(self.findings("tests/a_test.py", page), [f"{page}:1: tests/a_test.py is not there"])
        self.assertEqual(self.findings("`tests/a_test.py`", "README.md"), [])

    def test_which_pages_are_read(self):
        wrong = "core/none.cpp"
        for page in ("docs/guide.md", "docs/decisions/0001.md", "core/README.md", "README.md", "CONTRIBUTING.md", "SECURITY.md"):
            with self.subTest(page):
                self.assertEqual(self.findings(wrong, page), [f"{page}:1: core/none.cpp is not there"])
        for page in ("CHANGELOG.md", "core/app/notes.txt", "docs/facts/nodes.md"):
            with self.subTest(page):
                self.assertEqual(self.findings(wrong, page), [])
        self.assertEqual(len(self.findings("[x](none.md)", "docs/facts/nodes.md")), 1)


if __name__ == "__main__":
    unittest.main()
