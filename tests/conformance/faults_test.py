#!/usr/bin/env python3
"""Each misbehaving plugin of tests/abi/faults fails the case that is meant for it, and no other:
faults_test.py CCMCTL FOLDER
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ccmctl, folder = sys.argv[1:]

# By plugin, as FILE or FILE/FAULT of its table: the cases that do not pass. First the controllers, then the providers.
EXACTLY = {
    "controllers/body_is_no_json": ["CONTROLLER-83"],
    "controllers/cache_not_watched": ["CONTROLLER-07"],
    "memory/completes_cancelled_in_destroy": ["CONTROLLER-10"],
    "controllers/cuts_letters": ["CONTROLLER-82"],
    "deletes/deletes_unknown_machines": ["CONTROLLER-63"],
    "deletes/deletes_when_listing_fails": ["CONTROLLER-51", "CONTROLLER-62"],
    "controllers/event_without_reason": ["CONTROLLER-80"],
    "controllers/field_not_declared": ["CONTROLLER-08"],
    "controllers/forgets_cancellation": ["CONTROLLER-70", "CONTROLLER-71"],
    "memory/forgets_second_write": ["CONTROLLER-25"],
    "controllers/gives_up_on_larger_status": ["CONTROLLER-61"],
    "controllers/holds_the_loop": ["CONTROLLER-27"],
    "controllers/keeps_contexts": ["CONTROLLER-13"],
    "controllers/keeps_objects": ["CONTROLLER-12"],
    "controllers/logs_a_secret": ["CONTROLLER-84"],
    "controllers/map_forgets_unknown_kinds": ["CONTROLLER-15"],
    "controllers/map_refuses_larger_events": ["CONTROLLER-16"],
    "controllers/metric_with_other_labels": ["CONTROLLER-81"],
    "controllers/mixes_reconciles_up": ["CONTROLLER-20", "CONTROLLER-26"],
    "controllers/needs_cloud_silently": ["CONTROLLER-04"],
    "controllers/needs_the_object": ["CONTROLLER-17"],
    "controllers/needs_whole_objects": ["CONTROLLER-22"],
    "requests/null_reconcile": ["CONTROLLER-02"],
    "controllers/period_of_nothing": ["CONTROLLER-03"],
    "requests/reconcile_completes_twice": ["CONTROLLER-20"],
    "controllers/reconcile_fails_with_result": ["CONTROLLER-21"],
    "requests/reconcile_ignores_unknown": ["CONTROLLER-42"],
    "requests/reconcile_never_completes": ["CONTROLLER-20"],
    "requests/reconcile_refuses_larger": ["CONTROLLER-43"],
    "requests/reconcile_unknown_class": ["CONTROLLER-20"],
    "controllers/repeats_throttled": ["CONTROLLER-54"],
    "right_not_declared": ["CONTROLLER-14"],
    "requests/setup_ignores_unknown": ["CONTROLLER-40"],
    "requests/setup_never_completes": ["CONTROLLER-01"],
    "requests/setup_refuses_larger": ["CONTROLLER-41"],
    "host_calls/setup_too_late": ["CONTROLLER-06"],
    "requests/short_controller": ["CONTROLLER-02"],
    "requests/stop_ignores_unknown": ["CONTROLLER-44"],
    "requests/stop_never_completes": ["CONTROLLER-09"],
    "requests/stop_refuses_larger": ["CONTROLLER-45"],
    "swallows/swallows_cancellation": ["CONTROLLER-72"],
    "swallows/swallows_conflict": ["CONTROLLER-50"],
    "swallows/swallows_deadline": ["CONTROLLER-60"],
    "swallows/swallows_internal_error": ["CONTROLLER-55"],
    "swallows/swallows_lost_lease": ["CONTROLLER-59"],
    "swallows/swallows_no_answer": ["CONTROLLER-51"],
    "swallows/swallows_quota": ["CONTROLLER-57"],
    "swallows/swallows_refusal": ["CONTROLLER-58"],
    "swallows/swallows_refused_credential": ["CONTROLLER-56"],
    "swallows/swallows_throttling": ["CONTROLLER-53"],
    "controllers/takes_finalizers_away": ["CONTROLLER-28"],
    "memory/takes_own_write_for_foreign": ["CONTROLLER-52"],
    "throwing_controllers/throws_in_map": ["CONTROLLER-05"],
    "throwing_controllers/throws_in_reconcile": ["CONTROLLER-20"],
    "throwing_controllers/throws_in_setup": ["CONTROLLER-01"],
    "controllers/watch_without_fields": ["CONTROLLER-03"],
    "controllers/works_in_destroy": ["CONTROLLER-11"],
    "memory/writes_at_each_start": ["CONTROLLER-24"],
    "controllers/writes_each_time": ["CONTROLLER-23"],
    "controllers/writes_when_cancelled": ["CONTROLLER-70", "CONTROLLER-72"],
    "balancers/balancer_completes_after_destroy": ["PLUGIN-09"],
    "balancers/balancer_completes_late": ["LOADBALANCERS-90"],
    "balancers/balancer_completes_twice": ["LOADBALANCERS-03"],
    "balancers/balancer_never_completes": ["LOADBALANCERS-90"],
    "balancers/balancer_unknown_class": ["LOADBALANCERS-04"],
    "listings/completes_after_destroy": ["PLUGIN-09"],
    "instances/describe_too_few": ["INSTANCES-12"],
    "instances/describe_too_many": ["INSTANCES-12"],
    "listings/garbage_count": ["INSTANCES-02"],
    "listings/garbage_machine_count": ["INSTANCES-02"],
    "listings/garbage_name": ["INSTANCES-02"],
    "listings/garbage_prefix_count": ["INSTANCES-02"],
    "listings/garbage_prefixes": ["INSTANCES-02"],
    "listings/garbage_status": ["INSTANCES-05"],
    "listings/garbage_texts": ["INSTANCES-02"],
    "listings/instance_too_short": ["INSTANCES-02"],
    "listings/list_completes_late": ["INSTANCES-59"],
    "listings/list_completes_twice": ["INSTANCES-04"],
    "listings/list_never_completes": ["INSTANCES-59"],
    "lives/no_component": ["PLUGIN-01"],
    "lives/no_destroy": ["PLUGIN-01"],
    "listings/no_result": ["INSTANCES-02"],
    "listings/null_addresses": ["INSTANCES-02"],
    "listings/null_element": ["INSTANCES-02"],
    "listings/null_labels": ["INSTANCES-02"],
    "listings/null_list": ["INSTANCES-02"],
    "listings/null_prefixes": ["INSTANCES-02"],
    "lives/open_completes_twice": ["PLUGIN-02"],
    "lives/open_never_completes": ["PLUGIN-02"],
    "listings/panics_in_list": ["INSTANCES-03"],
    "routes/routes_absurd": ["ROUTES-02", "ROUTES-04"],
    "routes/routes_complete_after_destroy": ["PLUGIN-09"],
    "routes/routes_complete_late": ["ROUTES-51"],
    "routes/routes_complete_twice": ["ROUTES-05"],
    "routes/routes_never_complete": ["ROUTES-51"],
    "routes/routes_unknown_class": ["ROUTES-04"],
    "listings/short_status": ["INSTANCES-05"],
    "throwing_providers/throws_in_create": ["PLUGIN-01"],
    "throwing_providers/throws_in_destroy": ["PLUGIN-10"],
    "throwing_providers/throws_in_list": ["INSTANCES-03"],
    "blocking_listings/throws_on_worker": ["INSTANCES-03"],
    "undeclared_provider_id": ["INSTANCES-06"],
    "listings/unknown_state": ["INSTANCES-02"],
}
# Plugins with whose faults the host lives: nothing fails.
RIGHT = ["balancers/balancer_completes_elsewhere", "listings/instance_of_the_future", "controllers/no_fault", "listings/list_completes_elsewhere", "listings/null_string",
         "lives/open_gives_nothing", "controllers/requeues_for_ever", "routes/routes_complete_elsewhere"]


def run(plugin):
    file, _, fault = plugin.partition("/")
    command = [ccmctl, "plugin", "check", str(pathlib.Path(folder, file + ".so")), "--conformance", "-o", "json"]
    environment = os.environ | {"FAULT": fault}
    report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment).stdout)
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
