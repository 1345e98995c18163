#!/usr/bin/env python3
"""helpers.py finds what it is there to find, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import helpers

README = helpers.HEADING + """
| for | C++ | C | Go | Rust |
| --- | --- | --- | --- | --- |
"""
FILES = {"sdk/include/ccm/taints.hpp": 'inline constexpr std::string_view kOldTaint =\n    "old";\ninline int read_all(int a);\n',
         "sdk/include/ccm/c/taints.h": '#define CCM_OLD_TAINT "old"\nstatic inline int ccm_read_all(int a) {\n',
         "sdk/go/taints.go": 'const OldTaint = "old"\nfunc ReadAll() {}\n',
         "sdk/rust/ccm/src/taints.rs": 'pub const OLD_TAINT: &str = "old";\npub fn read_all() {}\n// fn other\n'}


class HelpersTest(unittest.TestCase):
    def findings(self, row, **changes):
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**FILES, **changes.get("files", {}), "sdk/README.md": README + row + "\n"}.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return helpers.check(root)

    def test_all_are_there(self):
        self.assertEqual(self.findings("| all | `read_all` | `ccm_read_all` | `ReadAll` | `read_all` |"), [])
        self.assertEqual(self.findings("| time | `read_all` | no | `time.RFC3339` | `str::from_utf8` |"), [])

    def test_one_lacks(self):
        self.assertEqual(self.findings("| all | `other` | `read_all` | `readAll` | `Host::other` |"),
                         [f"sdk/README.md:4: {what}" for what in
                          ("C++ has no other", "C has no read_all", "Go has no readAll", "Rust has no Host::other")])
        self.assertEqual(self.findings("| all | `read_all` | | `ReadAll` | `read_all` |"),
                         ["sdk/README.md:4: the cell of C names nothing: a helper, or \"no\""])

    def test_another_taint(self):
        row = "| all | `read_all` | no | no | no |"
        self.assertEqual(self.findings(row, files={"sdk/go/taints.go": 'const OldTaint = "new"'}),
                         ["sdk/go/taints.go: old_taint is new, and in C++ old"])
        self.assertEqual(self.findings(row, files={"sdk/include/ccm/c/taints.h": ""}),
                         ["sdk/include/ccm/c/taints.h: old_taint is None, and in C++ old"])


if __name__ == "__main__":
    unittest.main()
