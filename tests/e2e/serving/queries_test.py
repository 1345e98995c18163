#!/usr/bin/env python3
"""queries_test.py PROMTOOL DASHBOARD RULES RULES_TEST METRICS_DOC: the dashboard's queries parse, the alerts fire for
their faults and not otherwise, and both ask for nothing that the reference of metrics does not name."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

promtool, dashboard, rules, rules_test, document = sys.argv[1:]
faults = []


def run(*command):
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        faults.append(" ".join(command) + "\n" + ended.stdout + ended.stderr)


run(promtool, "check", "rules", rules)
run(promtool, "test", "rules", str(pathlib.Path(rules_test).resolve()))

queries = [target["expr"] for panel in json.load(open(dashboard))["panels"] for target in panel.get("targets", [])]
if not queries:
    faults.append("the dashboard has no queries")
with tempfile.TemporaryDirectory() as folder:
    # promtool parses expressions of rules only.
    concrete = [query.replace("$__rate_interval", "5m").replace("$job", ".*") for query in queries]
    records = [{"record": "dashboard:query%d" % number, "expr": query} for number, query in enumerate(concrete)]
    file = pathlib.Path(folder) / "dashboard.rules.yaml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": records}]}))
    run(promtool, "check", "rules", str(file))

known = pathlib.Path(document).read_text() + " up node_controller_initial_node_sync_delay_seconds "
alerts = re.findall(r"expr: (?:\|\n((?: {10,}.*\n)+)|(.*))", pathlib.Path(rules).read_text())
for query in queries + [one or other for one, other in alerts]:
    bare = re.sub(r"\{[^}]*\}|\b(?:by|on) \([^)]*\)|\[[^]]*\]", " ", query)
    for name in re.findall(r"\b[a-z][a-z0-9]*_[a-z0-9_]+\b", bare):
        if name in ("histogram_quantile", "min_over_time"):
            continue
        if re.sub("_(bucket|count|sum)$", "", name) not in known:
            faults.append(name + " is asked for, but not described in the reference")

print("\n".join(faults) or "%d queries and %d alerts are good" % (len(queries), len(alerts)))
sys.exit(1 if faults else 0)
