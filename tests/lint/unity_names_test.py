#!/usr/bin/env python3
"""tools/unity_names.py finds what the unity build would refuse, and nothing else."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import unity_names  # noqa: E402


class UnityNamesTest(unittest.TestCase):
    def names(self, one, other, lists="", unity=False):
        """The names that two files of a target share, with these lines in an anonymous namespace."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "CMakeLists.txt").write_text(lists)
            sources = []
            for name, text in (("one.cpp", one), ("other.cpp", other)):
                sources.append(root / name)
                sources[-1].write_text(f"namespace ccm {{\nnamespace {{\n{text}\n}}\nint open();\n}}\n")
            if unity:
                whole = root / "unity_0_cxx.cxx"
                whole.write_text("".join(f'#include "{source}"\n' for source in sources))
                sources = [whole]
            (root / "compile_commands.json").write_text(json.dumps([
                {"file": str(source), "command": f"c++ -o core/CMakeFiles/lib.dir/{source.name}.o -c {source}"}
                for source in sources]))
            found = unity_names.findings(root, root)
        return [line.split(" define ")[1].split(" in ")[0] for line in found]

    def test_the_same_name_twice(self):
        for one, other in (
                ("constexpr int kMost = 3;", "const int kMost{4};"),
                ("struct Entry { int a; };", "class Entry final : public Base {};"),
                ("int count(int a) { return a; }", "double count(double b) { return b; }"),
                ("bool wrong(std::string what) { return {}; }", "int wrong(std::string_view text) { return 0; }"),
                ("int made(int a) { return a; }", "int made(int a, bool b = false) { return a; }"),
                ("template <typename T>\nT read(const T& a) {}", "template <class T>\nT read(const T& a) {}")):
            with self.subTest(one):
                self.assertEqual(len(self.names(one, other)), 1)
                self.assertEqual(len(self.names(one, other, unity=True)), 1)

    def test_overloads_and_repeated_declarations_are_fine(self):
        for one, other in (
                ("int of(const Node& a) { return 1; }", "int of(const Service& a) { return 1; }"),
                ("int of(int a) { return 1; }", "int of(int a, int b) { return 1; }"),
                ("using std::min;\nclass Later;", "using std::min;\nclass Later;"),
                ("// int count() {}\nconst char* const kOne = \"int count() {\";", "int count() { return 0; }"),
                ("TEST(Suite, One) { int x = 0; }", "TEST(Suite, Two) { int x = 0; }"),
                ("int a() { int x = 0; return x; }", "int b() { int x = 0; return x; }")):
            with self.subTest(one):
                self.assertEqual(self.names(one, other), [])

    def test_targets_that_are_never_joined(self):
        lists = "set_target_properties(lib PROPERTIES UNITY_BUILD OFF)"
        self.assertEqual(self.names("int a() { return 0; }", "int a() { return 0; }", lists), [])


if __name__ == "__main__":
    unittest.main()
