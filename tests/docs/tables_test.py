#!/usr/bin/env python3
"""tables.py finds what it is there to find, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import tables

FILES = ("ledger.hpp", "ledger.cpp", "plugin.cpp", "CMakeLists.txt", "main.go", "main_test.go", "compute/server.cpp",
         "compute/addresses.hpp")


class TablesTest(unittest.TestCase):
    def findings(self, *lines, folder="plugins/providers/own", names=FILES):
        """The findings in a folder with these files and a README with that table; without lines there is no README."""
        with tempfile.TemporaryDirectory() as root:
            for name in names:
                path = Path(root, folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")
            if lines:
                Path(root, folder, "README.md").write_text("\n".join(lines) + "\n")
            return tables.check(root)

    def table(self, *cells, head="| file | job |"):
        return self.findings("# own", "", head, "| --- | --- |", *(f"| {cell} | it works |" for cell in cells))

    def test_complete(self):
        self.assertEqual(self.table("`ledger`", "`main.go`", "`compute/server`, `addresses`"), [])
        self.assertEqual(self.table("`ledger`, `main.go`", "`compute/`", head="| file or folder | job |"), [])

    def test_a_file_in_the_other_column(self):
        self.assertEqual(self.findings("| file | job |", "| --- | --- |", "| `ledger`, `compute/` | started by `main.go` |"), [])

    def test_a_file_that_the_table_lacks(self):
        self.assertEqual(self.table("`ledger`", "`main.go`", "`compute/server`"),
                         ["plugins/providers/own/README.md: the table lacks compute/addresses; "
                          "add \"| `compute/addresses` | what it does |\""])

    def test_a_name_without_a_file(self):
        self.assertEqual(self.table("`ledger`", "`book`", "`main.go`, `compute/`"),
                         ["plugins/providers/own/README.md:6: book is no file here; remove it from the table"])

    def test_a_part_of_a_name_is_no_file(self):
        self.assertEqual(len(self.table("`ledge`", "`ledger`, `main.go`, `comp`, `compute/`")), 2)

    def test_no_table(self):
        self.assertIn("no table of files", self.findings("# own", "| kind | what |", "| --- | --- |", "| `ledger` | x |")[0])
        self.assertIn("README.md is not there", self.findings()[0])

    def test_which_folders(self):
        for folder in ("core/net", "plugins/controllers/node", "plugins/providers/cloud", "tools/ccmctl", "sdk/go", "examples/provider-hetzner"):
            with self.subTest(folder):
                self.assertEqual(len(self.findings(folder=folder)), 1)
        for folder in ("tools/templates", "sandbox/api", "tests/unit/net", "sdk/rust", "examples/hooks"):
            with self.subTest(folder):
                self.assertEqual(self.findings(folder=folder), [])


if __name__ == "__main__":
    unittest.main()
