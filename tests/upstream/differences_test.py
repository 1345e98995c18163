#!/usr/bin/env python3
"""tools/upstream/compare tells each difference that its table does not explain, and each row that explains none."""
import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools/upstream"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS))
from differences import TABLE, differences, findings, rows_of  # noqa: E402

HEADER = "kind\tname\tours\treason\n"


def facts(**kinds):
    return {"flag": {}, "gate": {}, "rbac": {}, **kinds}


class DifferencesTest(unittest.TestCase):
    def found(self, upstream, ours, table=""):
        return list(findings(list(differences(upstream, ours)), list(rows_of(HEADER + table))))

    def test_the_same_has_no_finding(self):
        one = facts(flag={"v": {"type": "int", "default": ""}}, rbac={"get nodes": {}})
        self.assertEqual(self.found(one, one), [])

    def test_something_missing_is_a_finding(self):
        self.assertEqual(self.found(facts(gate={"WatchList": {"default": True}}), facts()), ["gate WatchList: upstream there, ours -"])

    def test_only_rights_of_ours_alone_are_findings(self):
        self.assertEqual(self.found(facts(), facts(flag={"dry-run": {}}, rbac={"list pods": {}})), ["rbac list pods: upstream -, ours there"])

    def test_each_fact_is_compared(self):
        upstream = facts(flag={"v": {"type": "Level", "default": "", "hidden": False}})
        ours = facts(flag={"v": {"type": "int", "default": "2", "hidden": True}})
        self.assertEqual(self.found(upstream, ours), ["flag-type v: upstream Level, ours int", 'flag-default v: upstream "", ours 2',
                                                      "flag-hidden v: upstream false, ours true"])

    def test_a_fact_that_ours_does_not_tell_is_no_finding(self):
        self.assertEqual(self.found(facts(flag={"v": {"type": "int", "hidden": True}}), facts(flag={"v": {"hidden": True}})), [])

    def test_a_row_explains_one_fact_with_one_value(self):
        upstream, ours = facts(flag={"v": {"default": "0s"}}), facts(flag={"v": {"default": "1s"}})
        self.assertEqual(self.found(upstream, ours, "flag-default\tv\t1s\ta reason\n"), [])
        for row in ("flag-default\tv\t2s\ta reason\n", "flag\tv\t1s\ta reason\n", "flag-default\tvmodule\t1s\ta reason\n"):
            self.assertEqual(len(self.found(upstream, ours, row)), 2, row)

    def test_a_pattern_explains_all_of_its_names(self):
        upstream = facts(gate={"GoFirst": {}, "GoSecond": {}, "Other": {}})
        self.assertEqual(self.found(upstream, facts(), "gate\tGo*\t-\ta reason\n"), ["gate Other: upstream there, ours -"])

    def test_a_row_that_explains_nothing_is_a_finding(self):
        self.assertEqual(self.found(facts(), facts(), "gate\tGo*\t-\ta reason\n"), [TABLE + ":2: no difference needs gate Go* any more"])

    def test_a_table_that_is_not_well_formed_is_refused(self):
        for table in ("gate\tGo*\t-\n", HEADER + "gate\tGo*\t-\n", HEADER + "gate\tGo*\t-\t\n"):
            with self.assertRaises(ValueError):
                list(rows_of(table))

    def test_the_table_of_the_tree_is_well_formed(self):
        self.assertTrue(list(rows_of((TOOLS / TABLE).read_text())))


if __name__ == "__main__":
    unittest.main(verbosity=2)
