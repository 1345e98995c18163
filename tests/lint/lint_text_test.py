#!/usr/bin/env python3
"""tools/lint_text.py finds the words, files and lines that are not allowed, and nothing else."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import lint_text  # noqa: E402


class LintTextTest(unittest.TestCase):
    def found(self, text, path="core/net/url.cpp"):
        """How many findings this text has."""
        return len(list(lint_text.findings(path, text)))

    def test_words(self):
        for text in ("A longer one is no such thing.", "after it: behind the end", "behind its size"):
            self.assertEqual(self.found("// " + text), 1, text)
        for text in ("The cache is behind.", "as long as it waits", "so many that they clash", "the nodes behind a load balancer"):
            self.assertEqual(self.found("// " + text), 0, text)

    def test_ordinary_english_is_fine(self):
        for text in ("What waits, and why.", "Who asks is told.", "It shall go.", "It begins anew.", "It is tried again.",
                     "It is not read again but shared.", "It begins again and again."):
            self.assertEqual(self.found("// " + text), 0, text)

    def test_a_comment_names_its_subject(self):
        for text in ("// Of a Node.", "int a;\n  // Those of the Service: two.", "/// The same, for an answer.", "/* That of the host. */",
                     "#pragma once\n// The one that leads.", "// The same"):
            self.assertEqual(self.found(text, "tools/ccmctl/output.hpp"), 1, text)
        self.assertEqual(self.found("a = 1\n# Of `ccmctl plugin new`.", "tests/install/a.py"), 1)
        self.assertEqual(self.found('def name(self):\n    """Of a Node."""', "tests/install/a.py"), 1)
        for path in ("core/CMakeLists.txt", "cmake/a.cmake", "deploy/chart/values.yaml", "tests/a.sh"):
            self.assertEqual(self.found("a: 1\n# Of the Pods.", path), 1, path)
        for text in ("// The port\n// Of a Node.", "/* The port\n * Of a Node. */", "// Often.", "// Offers it.", "int a;  // Of a Node.",
                     "// As Node(), of a Service.", "auto text = \"// Of a Node.\";"):
            self.assertEqual(self.found(text, "tools/ccmctl/output.hpp"), 0, text)
        self.assertEqual(self.found("# One.\n# Of two.", "tests/install/a.py"), 0)
        self.assertEqual(self.found("# Of a Node.", "docs/operators.md"), 0)
        for folder in ("core/app/", "plugins/providers/aws/", "sdk/include/ccm/", "tests/unit/", "examples/hello/"):
            self.assertEqual(self.found("// Of a Node.", folder + "a.hpp"), 1, folder)

    def test_long_files_and_lines(self):
        self.assertEqual(self.found("\n" * 800), 0)
        self.assertEqual(self.found("\n" * 801), 1)
        self.assertEqual(self.found("\n" * 801, "tools/release.py"), 1)
        self.assertEqual(self.found("\n" * 801, "docs/operators.md"), 0)
        self.assertEqual(self.found("x" * 161, "tests/scenarios/node/a.yaml"), 1)
        self.assertEqual(self.found("x" * 160, "tests/scenarios/node/a.yaml"), 0)
        self.assertEqual(self.found("x" * 161, "tests/scenarios/README.md"), 0)

    def test_one_source_on_a_line(self):
        self.assertEqual(self.found("add_library(a\n  a.cpp\n  b.cpp)", "core/CMakeLists.txt"), 0)
        self.assertEqual(self.found("add_library(a\n  a.cpp b.cpp)", "core/CMakeLists.txt"), 1)


if __name__ == "__main__":
    unittest.main()
