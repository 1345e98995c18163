#!/usr/bin/env python3
"""Each misbehaving provider of tests/abi/faults fails the case that is meant for it, and no other:
faults_test.py CCMCTL FOLDER
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

ccmctl, folder = sys.argv[1:]

# By plugin: the cases that do not pass.
EXACTLY = {
    "balancer_completes_after_destroy": ["PLUGIN-09"],
    "balancer_completes_late": ["LOADBALANCERS-90"],
    "balancer_completes_twice": ["LOADBALANCERS-03"],
    "balancer_never_completes": ["LOADBALANCERS-90"],
    "balancer_unknown_class": ["LOADBALANCERS-04"],
    "completes_after_destroy": ["PLUGIN-09"],
    "describe_too_few": ["INSTANCES-12"],
    "describe_too_many": ["INSTANCES-12"],
    "garbage_count": ["INSTANCES-02"],
    "garbage_machine_count": ["INSTANCES-02"],
    "garbage_name": ["INSTANCES-02"],
    "garbage_prefix_count": ["INSTANCES-02"],
    "garbage_prefixes": ["INSTANCES-02"],
    "garbage_status": ["INSTANCES-05"],
    "garbage_texts": ["INSTANCES-02"],
    "instance_too_short": ["INSTANCES-02"],
    "list_completes_late": ["INSTANCES-59"],
    "list_completes_twice": ["INSTANCES-04"],
    "list_never_completes": ["INSTANCES-59"],
    "no_component": ["PLUGIN-01"],
    "no_destroy": ["PLUGIN-01"],
    "no_result": ["INSTANCES-02"],
    "null_addresses": ["INSTANCES-02"],
    "null_element": ["INSTANCES-02"],
    "null_labels": ["INSTANCES-02"],
    "null_list": ["INSTANCES-02"],
    "null_prefixes": ["INSTANCES-02"],
    "open_completes_twice": ["PLUGIN-02"],
    "open_never_completes": ["PLUGIN-02"],
    "panics_in_list": ["INSTANCES-03"],
    "routes_absurd": ["ROUTES-02", "ROUTES-04"],
    "routes_complete_after_destroy": ["PLUGIN-09"],
    "routes_complete_late": ["ROUTES-51"],
    "routes_complete_twice": ["ROUTES-05"],
    "routes_never_complete": ["ROUTES-51"],
    "routes_unknown_class": ["ROUTES-04"],
    "short_status": ["INSTANCES-05"],
    "throws_in_create": ["PLUGIN-01"],
    "throws_in_destroy": ["PLUGIN-10"],
    "throws_in_list": ["INSTANCES-03"],
    "throws_on_worker": ["INSTANCES-03"],
    "undeclared_provider_id": ["INSTANCES-06"],
    "unknown_state": ["INSTANCES-02"],
}
# Of these the host makes no fault of the plugin's: nothing fails.
RIGHT = ["balancer_completes_elsewhere", "instance_of_the_future", "list_completes_elsewhere", "null_string", "open_gives_nothing",
         "routes_complete_elsewhere"]


def run(plugin):
    command = [ccmctl, "plugin", "check", str(pathlib.Path(folder, plugin + ".so")), "--conformance", "-o", "json"]
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout)
    if "cases" not in report:
        return {"load": [c["text"] for c in report["checks"] if c["state"] == "failed"]}
    return {c["id"]: f"{c['result']}: {c['text']}" for c in report["cases"] if c["result"] in ("fail", "crashed")}


wrong = 0
expected = EXACTLY | {name: [] for name in RIGHT}
with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
    for (plugin, cases), found in zip(expected.items(), pool.map(run, expected)):
        if sorted(found) != sorted(cases):
            wrong += 1
            print(f"{plugin}: expected {cases}, found {json.dumps(found, indent=2)}")
print(f"{len(expected)} plugins, {len({case for cases in expected.values() for case in cases})} cases")
sys.exit(1 if wrong else 0)
