#!/usr/bin/env python3
"""A plugin passes all cases that apply:   conformance_test.py CCMCTL PLUGIN LEAST [CLOUD...]

LEAST cases pass at the least, so that one which is skipped by mistake shows. CLOUD: command of --cloud; a controller
needs none.
"""
import json
import os
import shlex
import signal
import subprocess
import sys

ccmctl, plugin, least, *cloud = sys.argv[1:]
world = "--cloud=" + shlex.join(cloud) if cloud else "--conformance"
slowdown = int(os.environ.get("CCM_TEST_SLOWDOWN", "1"))  # of a sanitizer
limits = [f"--timeout={10 * slowdown}", f"--case-timeout={60 * slowdown}"]
run = subprocess.run([ccmctl, "plugin", "check", plugin, world, *limits, "-o", "json"], stdout=subprocess.PIPE, text=True,
                     # As nohup does.
                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
report = json.loads(run.stdout)
counts = {}
for case in report.get("cases", []):
    counts[case["result"]] = counts.get(case["result"], 0) + 1
    if case["result"] in ("fail", "crashed"):
        print(f"{case['id']} {case['result']}: {case['title']}\n  {case['text']}\n  rule: {case['header']} ({case['rule']})")
print(f"{plugin}: {counts}")
if run.returncode != 0 or not report["ok"]:
    sys.exit(f"ccmctl ended with {run.returncode}: {[c for c in report['checks'] if c['state'] == 'failed']}")
if counts.get("pass", 0) < int(least):
    sys.exit(f"fewer than {least} cases passed")
