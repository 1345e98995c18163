#!/usr/bin/env python3
"""docs/site makes lists of the site that read as on the repository's host, and Events in the docs are those of the code."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/site"))
import build  # noqa: E402
import reference  # noqa: E402


class SiteTest(unittest.TestCase):
    def wide(self, text):
        return "\n".join(build.with_wide_lists(text.split("\n")))

    def test_code_of_an_item_stays_code(self):
        self.assertEqual(self.wide("1. One:\n\n       ls\n\n   after it"), "1. One:\n\n        ls\n\n    after it")
        self.assertEqual(self.wide("- One:\n\n  ```sh\n  ls\n  ```"), "- One:\n\n    ```sh\n    ls\n    ```")
        self.assertEqual(self.wide("10. Ten:\n\n        ls"), "10. Ten:\n\n        ls")

    def test_an_item_after_a_paragraph_is_one(self):
        self.assertEqual(self.wide("1. One\n\n   more\n2. Two"), "1. One\n\n    more\n\n2. Two")
        self.assertEqual(self.wide("1. One\n   more\n2. Two"), "1. One\n    more\n2. Two")

    def test_what_is_in_no_list_stays(self):
        for text in ("Text\n\n    ls\n    - a", "```\n- a\n  b\n```\n  c", "- One\n\nText\n\n    ls", "1. One\n\n```sh\n   ls\n```"):
            self.assertEqual(self.wide(text), text)

    def test_each_event_of_the_docs_is_in_the_code(self):
        self.assertIn("`InvalidProvidedNodeIP`", reference.events())


if __name__ == "__main__":
    unittest.main()
