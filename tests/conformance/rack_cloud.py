#!/usr/bin/env python3
"""The cloud of the examples, a file of machines, as a command of `ccmctl plugin check --cloud`.

One JSON object in each line of standard input, one answer in each line of standard output, until the input ends.
"""
import itertools
import json
import pathlib
import sys

MACHINES = {}
NUMBERS = itertools.count(1)


def text():
    return "# SERIAL HOST ADDRESS MODEL ROW on|off\n" + "".join(MACHINES.values())


def start(question):
    global balancers
    balancers = pathlib.Path(question["directory"], "balancers")
    balancers.mkdir()
    return {"cloudConfig": text(),
            "flags": {"rack-balancer-folder": str(balancers), "rack-balancer-address": "192.0.2.100"}}


def add(number):
    name = f"worker-{number}"
    MACHINES[name] = f"S{number} {name} 10.{number // 250}.{number % 250}.7 r640 2 on\n"
    return {"name": name, "providerID": f"rack://S{number}"}


# The machines are in the configuration, which changes with them.
def add_machines(question):
    machines = [add(next(NUMBERS)) for _ in range(question["count"])]
    return {"machines": machines, "cloudConfig": text()}


def remove_machine(question):
    MACHINES.pop(question["name"])
    return {"cloudConfig": text()}


def switch_off_machine(question):
    MACHINES[question["name"]] = MACHINES[question["name"]].replace(" on\n", " off\n")
    return {"cloudConfig": text()}


def snapshot(_):
    files = {file.name: file.read_text() for file in sorted(balancers.iterdir())}
    return {"snapshot": files, "loadBalancers": len(files)}


ANSWERS = {"start": start, "snapshot": snapshot, "add-machines": add_machines, "remove-machine": remove_machine,
           "switch-off-machine": switch_off_machine}
for line in sys.stdin:
    question = json.loads(line)
    answer = ANSWERS.get(question["do"], lambda _: {"unsupported": True})(question)
    print(json.dumps(answer), flush=True)
