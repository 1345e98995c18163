#!/usr/bin/env python3
"""The cloud of the static provider, its --cloud-config, as a command of `ccmctl plugin check --cloud`.

One JSON object in each line of standard input, one answer in each line of standard output, until the input ends.
"""
import itertools
import json
import sys

NODES = []
NUMBERS = itertools.count(1)
POOLS = [{"name": "default", "addresses": ["198.51.100.0/24", "2001:db8::/120"]}]


# JSON is YAML.
def text():
    return json.dumps({"nodes": NODES, "addressPools": POOLS})


def node(name, address):
    return {"name": name, "instanceType": "r640", "zone": "row-2", "region": "cellar",
            "addresses": [{"type": "InternalIP", "address": address}], "labels": {"rack.example.com/serial": name}}


def add_machines(question):
    numbers = [next(NUMBERS) for _ in range(question["count"])]
    added = [node(f"worker-{number}", f"10.{number // 250}.{number % 250}.7") for number in numbers]
    NODES[:] = added + NODES if question.get("first") else NODES + added
    return {"machines": [{"name": one["name"], "providerID": "static://" + one["name"]} for one in added], "cloudConfig": text()}


def remove_machine(question):
    NODES[:] = [one for one in NODES if one["name"] != question["name"]]
    return {"cloudConfig": text()}


ANSWERS = {"start": lambda _: {"cloudConfig": text()}, "add-machines": add_machines, "remove-machine": remove_machine}
for line in sys.stdin:
    question = json.loads(line)
    answer = ANSWERS.get(question["do"], lambda _: {"unsupported": True})(question)
    print(json.dumps(answer), flush=True)
