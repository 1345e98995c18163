#!/usr/bin/env python3
"""`ccmctl plugin check --live` with aws.so on the server that CCM_AWS names:   live_test.py CCMCTL PLUGIN

The cases that do no harm pass, and nothing of what they made is left. Routes are those of the ranges that the check uses.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

CCMCTL, PLUGIN = sys.argv[1:3]
LEAST = 48  # cases that pass, so that one which is skipped by mistake shows


class LiveTest(unittest.TestCase):
    def test_the_cases_pass_and_what_they_made_is_gone(self):
        cloud = json.loads(pathlib.Path(os.environ["CCM_AWS"]).read_text())
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as config:
            config.write(f"[Global]\nRegion = us-east-1\nVPC = {cloud['names']['vpc']}\nKubernetesClusterID = c1\n")
            config.flush()
            told = subprocess.run([CCMCTL, "plugin", "check", PLUGIN, "--live", "--yes", "-o", "json",
                                   f"--cloud-config={config.name}", "--flag=cluster-cidr=198.18.0.0/16"],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "AWS_ENDPOINT_URL": cloud["url"], "AWS_ACCESS_KEY_ID": cloud["access_key_id"],
                                       "AWS_SECRET_ACCESS_KEY": cloud["secret_access_key"], "AWS_EC2_METADATA_DISABLED": "true"})
        report = json.loads(told.stdout)
        self.assertEqual([case for case in report["cases"] if case["result"] not in ("pass", "skip")], [], told.stderr)
        self.assertEqual((report["ok"], report["live"]["left"]), (True, []), told.stderr)
        self.assertGreaterEqual(sum(case["result"] == "pass" for case in report["cases"]), LEAST)
        with urllib.request.urlopen(cloud["url"] + cloud["violations"]) as answer:
            self.assertEqual(json.load(answer), [])
        print(told.stderr.strip().rpartition("\n")[2])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
