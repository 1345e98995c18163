#!/usr/bin/env python3
"""tools/lint_commits.py finds messages that say too little, and only those."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint_commits  # noqa: E402


class LintCommitsTest(unittest.TestCase):
    def found(self, message):
        return len(list(lint_commits.findings(message)))

    def test_good_messages(self):
        for subject in ("Let a source file hold a class", "openstack: Match patterns in linear time", "tests/abi: Feed it less", "x" * 72):
            self.assertEqual(self.found(subject + "\n\nBecause.\n"), 0, subject)

    def test_subjects(self):
        for subject in ("x" * 73, "Add it.", "Fixed the leak", "kube: adding a flag", "Adds a flag"):
            self.assertEqual(self.found(subject + "\n\nBecause.\n"), 1, subject)

    def test_bodies(self):
        self.assertEqual(self.found("Add a flag\n"), 1)
        self.assertEqual(self.found("Add a flag\nBecause.\n"), 1)


if __name__ == "__main__":
    unittest.main()
