#!/usr/bin/env python3
"""commands.py finds what it is there to find, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import commands


class CommandsTest(unittest.TestCase):
    def findings(self, text, *rows, page="docs/guide.md"):
        """The findings in a small tree with that page and that table."""
        tree = {
            "README.md": "", "tests/guide_test.py": "def test_it(): read('docs/guide.md')\n",
            commands.TABLE: "".join("\t".join(row) + "\n" for row in rows), page: text,
        }
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / "docs").mkdir()
            for name, content in tree.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            return commands.check(root)

    def test_what_is_a_block(self):
        for text, found in {
            "Run\n\n    make x\n    make y\n": [(3, "make x")],
            "    make x\n\n    make y\n": [(1, "make x"), (3, "make y")],
            "## Run\n    make x\n": [(2, "make x")],
            "1. A paragraph,\n    make x is in it\n": [],
            "```sh\n\nmake x\nmake y\n```\n    make z\n": [(3, "make x"), (6, "make z")],
            "- item\n  ```\n  $ make x\n  ```\n": [(3, "$ make x")],
            "```yaml\n\n    make: x\n```\nText\n": [],
            "| as written | today |\n| --- | ---: |\n| `make x`, then | make y |\n\n| a | b |\n| --- | --- |\n| c | d |\n": [(3, "`make x`, then")],
        }.items():
            with self.subTest(text):
                self.assertEqual(list(commands.blocks(text)), found)

    def test_which_rows_are_right(self):
        for row in ("page tests/guide_test.py test_it", "page tests/guide_test.py test_it; without Pods", "same tests/guide_test.py test_it", "not run: needs a cloud",
                    "no command: output"):
            for page in ("docs/guide.md", "README.md"):
                with self.subTest(row=row, page=page):
                    wanted = [f"{commands.TABLE}:1: tests/guide_test.py does not read README.md"]
                    self.assertEqual(self.findings("\n    make x\n", (page, "make x", row), page=page),
                                     wanted if row.startswith("page") and page == "README.md" else [])

    def test_faults(self):
        for rows, wanted in [
                ([], f"docs/guide.md:2: {commands.TABLE} has no row for 'make x'"),
                ([("docs/guide.md", "make x")], f"{commands.TABLE}:1: not three columns with tabs between"),
                ([("docs/guide.md", "make x", "no command: a"), ("docs/guide.md", "make y", "no command: b")],
                 f"{commands.TABLE}:2: docs/guide.md has no such block"),
                ([("docs/guide.md", "make x", "no command: a")] * 2, f"{commands.TABLE}:2: a second row for this block"),
                ([("docs/guide.md", "make x", "same tests/none.py test_it")], f"{commands.TABLE}:1: tests/none.py is not there"),
                ([("docs/guide.md", "make x", "same tests/guide_test.py test_that")],
                 f"{commands.TABLE}:1: tests/guide_test.py has no 'test_that'"),
                ([("docs/guide.md", "make x", "same tests/guide_test.py")], f"{commands.TABLE}:1: tests/guide_test.py has no ''"),
                ([("docs/guide.md", "make x", "not run:")],
                 f"{commands.TABLE}:1: 'not run:' begins with none of: page, same, not run:, no command:")]:
            with self.subTest(wanted):
                self.assertIn(wanted, self.findings("\n    make x\n", *rows))


if __name__ == "__main__":
    unittest.main()
