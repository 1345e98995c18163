#!/usr/bin/env python3
"""The manager's own Pod comes onto any new node: the chart's default and each manifest tolerate every taint. Needs no helm and no YAML
library; tests/cluster/taints_test.py asks the real scheduler."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cluster"))
from taints import TAINTS, first  # noqa: E402

# Beside the API servers of a hosted control plane: on nodes of another cluster, which are initialised already.
HOSTED = "hosted-control-plane"
FILES = [ROOT / "deploy/chart/values.yaml"] + [
    file for file in sorted((ROOT / "deploy/manifests").glob("*/*.yaml")) if HOSTED not in file.name]
POD = re.compile(r"^kind: (Deployment|DaemonSet|Pod)$", re.M)


def tolerations(text):
    """The tolerations of the only list of that name: the generated files have one member a line."""
    found = re.findall(r"^( *)tolerations:\n((?:\1  .*\n)+)", text, re.M)
    if len(found) != 1:
        return []
    items = []
    for line in found[0][1].splitlines():
        dash, name, value = re.fullmatch(r' *(- )?([A-Za-z]+): "?(.*?)"?', line).groups()
        if dash:
            items.append({})
        items[-1][name] = value
    return items


class TolerationsTest(unittest.TestCase):
    def test_every_taint_is_tolerated(self):
        seen = 0
        for file in FILES:
            text = file.read_text()
            if file.parent.name != "chart" and not POD.search(text):
                continue
            seen += 1
            for taint in TAINTS:
                with self.subTest(file=file.name, taint=taint):
                    self.assertIsNotNone(first(tolerations(text), taint))
                    self.assertNotIn("tolerationSeconds", first(tolerations(text), taint))
        self.assertGreaterEqual(seen, 7)

    def test_a_node_that_is_unreachable_loses_its_pod_after_5_minutes(self):
        for file in FILES:
            text = file.read_text()
            if file.parent.name == "chart" or POD.search(text):
                with self.subTest(file=file.name):
                    one = first(tolerations(text), ("node.kubernetes.io/unreachable", "", "NoExecute"))
                    self.assertEqual(one["tolerationSeconds"], "300")


if __name__ == "__main__":
    unittest.main()
