#!/usr/bin/env python3
"""Links to the sections that docs/operators.md once had still lead to a heading there, and that to the page which has the text."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTIONS = """What runs; From the Go managers; Dry run; Nodes that register; Pod ranges for nodes; Routes to the nodes' Pods;
Load balancers for Services; One tenant and the others; Two controllers of load balancers; Credentials for Kubernetes;
An identity for each controller; Nodes whose instances stop or vanish; Leader election; The API server chooses the leader;
Controllers that move between managers; Health; Exit codes; Plugins are trusted code; Is all well?; What waits, and why;
The cloud's limit of calls; Logs; Reporting a bug; When the machine runs out of something; Access to the endpoint; Clients without rights"""


class MovedTest(unittest.TestCase):
    def test_old_links_lead_somewhere(self):
        text = (ROOT / "docs/operators.md").read_text()
        headings = dict(re.findall(r"^#{2,3} (.+)\n(.*)", text, re.M))
        for section in re.split(r";\s+", SECTIONS):
            with self.subTest(section):
                self.assertIn(section, headings)
                moved = re.match(r"See \[.*\]\(([^)#]+)", headings[section])
                if moved:
                    self.assertGreater(len((ROOT / "docs" / moved[1]).read_text().splitlines()), 5)

    def test_each_page_for_users_is_in_the_list_of_pages(self):
        listed = (ROOT / "docs/README.md").read_text()
        for page in sorted((ROOT / "docs").glob("*.md")):
            if page.name != "README.md":
                self.assertRegex(listed, rf"\({page.name}[#)]")


if __name__ == "__main__":
    unittest.main()
