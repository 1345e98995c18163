#!/usr/bin/env python3
"""check.py finds what it is there to find, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import check


class CheckTest(unittest.TestCase):
    def findings(self, **changes):
        """The findings in a small tree in which all is well, with these files changed or added; `__` stands for `/`."""
        tree = {
            "docs__facts__nodes.md": "- **NODE-1** One.\n- **NODE-2** Two, after NODE-1.\n  - **NODE-2a** A part.\n",
            "docs__facts__host.md": "| fact | |\n| **HOST-8** | flag |\n| **HOST-9** | flag |\n| **HOST-10** | flag |\n",
            "docs__facts__openstack.md": "- **OS-1** One.\n",
            "core__a.cpp": "// NODE-1: because (NODE-2, 2a is cited below).\n// HOST-8..10\n",
            "tests__a_test.cpp": "TEST(A, NODE_1_2_WorksWithHTTP_2) {}  // NODE-2a, OS-1\n",
            "sdk__include__a.hpp": "// The rule in words.\n",
        }
        tree.update(changes)
        with tempfile.TemporaryDirectory() as root:
            for name, text in tree.items():
                path = Path(root, name.replace("__", "/").replace("_cpp", ".cpp").replace("_md", ".md"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check.check(root)

    def test_all_is_well(self):
        self.assertEqual(self.findings(), [])

    def test_a_citation_that_leads_nowhere(self):
        finding, = self.findings(core__b_cpp="\n// NODE-3\n")
        self.assertEqual(finding, 'core/b.cpp:2: no fact NODE-3; write "- **NODE-3** ..." into docs/facts/nodes.md, '
                                  "or correct the number")

    def test_in_names_lists_and_ranges(self):
        for text, missing in {
            "TEST(A, NODE_3_X)": ["NODE-3"], "TEST(A, NODE_1_4_X)": ["NODE-4"], "TEST(A, HOST_9_to_11)": ["HOST-11"],
            "NODE_1_to_NODE_3_X": ["NODE-3"], "X_NODE_5": ["NODE-5"], "facts: [NODE-1, HOST-7]": ["HOST-7"],
            "(NODE-1, 3, 4..5).": ["NODE-3", "NODE-4", "NODE-5"], "HOST-9..HOST-11": ["HOST-11"],
            "HOST-10 to HOST-12": ["HOST-11", "HOST-12"], "NODE-2b": ["NODE-2b"], "NODE_2b_X": ["NODE-2b"],
        }.items():
            with self.subTest(text):
                found = [finding.split("no fact ")[1].split(";")[0] for finding in self.findings(core__b_cpp=text)]
                self.assertEqual(sorted(found), sorted(missing))

    def test_what_is_no_citation(self):
        for text in ("node-3", "A_NODE-3B", "XNODE-3", "NODE-1, 3 times", "NODE_1_200Nodes", "SHA-256, UTF-8", "NODE-X",
                     "NODE-1, 5 ms"):
            with self.subTest(text):
                self.assertEqual(self.findings(core__b_cpp=text), [])

    def test_a_citation_in_a_files_name(self):
        finding, = self.findings(tests__scenarios__NODE_3_cpp="")
        self.assertTrue(finding.startswith("tests/scenarios/NODE_3.cpp: no fact NODE-3"), finding)

    def test_a_fact_that_code_alone_cites(self):
        tree = {"docs__facts__openstack_md": "- **OS-1** One.\n- **OS-2** Two.\n", "core__b_cpp": "// OS-2\n"}
        finding, = self.findings(**tree)
        self.assertTrue(finding.startswith("docs/facts/openstack.md:2: no test and no line of its page of reasons cites OS-2"), finding)
        self.assertEqual(self.findings(**tree, tests__b_cpp="// OS-2\n"), [])
        self.assertEqual(self.findings(**tree, **{"docs__openstack-facts_md": "| OS-2 | why |\n"}), [])
        self.assertEqual(self.findings(**tree, docs__b_md="As OS-2 says.\n"), [finding])

    def test_a_long_range_cites_its_ends_alone(self):
        facts = "".join(f"- **DO-{number}** One.\n" for number in range(1, 203))
        found = self.findings(docs__facts__digitalocean_md=facts, core__b_cpp="// DO-1..DO-101 and DO-102..DO-202\n")
        self.assertEqual(found, [])
        found = self.findings(docs__facts__digitalocean_md=facts, core__b_cpp="// DO-1 to DO-202\n")
        self.assertEqual(len(found), 200)

    def test_a_fact_that_stands_twice(self):
        finding, = self.findings(docs__facts__routes_md="- **NODE-1** Again.\n")
        self.assertEqual(finding, "docs/facts/routes.md:1: NODE-1 stands at docs/facts/nodes.md:1 already")

    def test_a_fact_that_nothing_cites(self):
        finding, = self.findings(docs__facts__routes_md="- **ROUTE-1** One.\n- **NODE-9**, NODE-1.\n",
                                 core__b_cpp="// NODE-9\n")
        self.assertEqual(finding, "docs/facts/routes.md:1: nothing cites ROUTE-1; delete it, or cite it where it is "
                                  "made use of")

    def test_pages_do_not_keep_each_other_alive(self):
        finding, = self.findings(docs__facts__routes_md="- **ROUTE-1** One.\n\nSee ROUTE-1.\n")
        self.assertIn("nothing cites ROUTE-1", finding)

    def test_installed_headers_cite_nothing(self):
        for folder in ("sdk__include", "sdk__testing__include"):
            finding, = self.findings(**{folder + "__b_cpp": "// (NODE-1)\n"})
            self.assertIn("b.cpp:1: cites NODE-1; installed headers write the rule out", finding)

    def test_bytes_that_are_no_text(self):
        self.assertEqual(self.findings(core__b_cpp="NODE-3\0"), [])


if __name__ == "__main__":
    unittest.main()
