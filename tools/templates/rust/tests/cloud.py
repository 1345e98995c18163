#!/usr/bin/env python3
"""A cloud in memory.
Without arguments it is that of `ccmctl plugin check --cloud`: one JSON object in each line of standard input, one answer in each
line of standard output, until the input ends. `cloud.py PORT` has one machine, worker-1, and serves http://127.0.0.1:PORT/v1."""
import http.server
import itertools
import json
import sys

MACHINES = {}
BALANCERS = {}
NUMBERS = itertools.count(1)
URL = "https://api.example.com/v1"


def start(_):
    return {"flags": {"@NAME@-endpoint": URL}, "secrets": {"@VARIABLE@_TOKEN": "s3cret"}}


def exchange(question):
    method, path = question["method"], question["url"].removeprefix(URL)
    if question["headers"].get("authorization") != "Bearer s3cret":
        return {"status": 401}
    if (method, path) == ("GET", "/machines"):
        return {"status": 200, "body": json.dumps({"machines": list(MACHINES.values())})}
    name = path.removeprefix("/load-balancers/")
    if method == "PUT":
        known = BALANCERS.get(name, {"address": f"203.0.113.{next(NUMBERS) % 250}"})
        BALANCERS[name] = {**known, "spec": json.loads(question["body"])}
    elif name not in BALANCERS:
        return {"status": 404}
    elif method == "DELETE":
        BALANCERS.pop(name)
        return {"status": 204}
    return {"status": 200, "body": json.dumps(BALANCERS[name])}


def add_machines(question):
    added = []
    for _ in range(question["count"]):
        number = str(next(NUMBERS))
        added.append({"id": number, "name": "worker-" + number, "type": "small", "zone": "a", "running": True,
                      "address": f"10.0.{int(number) // 250}.{int(number) % 250}"})
    others = dict(MACHINES)
    if question.get("first"):
        MACHINES.clear()
    MACHINES.update({machine["id"]: machine for machine in added})
    MACHINES.update(others)
    return {"machines": [{"name": machine["name"], "providerID": "@NAME@://" + machine["id"]} for machine in added]}


def remove_machine(question):
    MACHINES.pop(question["providerID"].removeprefix("@NAME@://"))
    return {}


ANSWERS = {"start": start, "http": exchange, "add-machines": add_machines, "remove-machine": remove_machine,
           "snapshot": lambda _: {"snapshot": BALANCERS}, "secrets": lambda _: {"secrets": ["s3cret"]}}


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        answer = exchange({"method": self.command, "url": URL + self.path.removeprefix("/v1"), "body": body,
                           "headers": {name.lower(): value for name, value in self.headers.items()}})
        self.send_response(answer["status"])
        self.send_header("content-length", str(len(answer.get("body", ""))))
        self.end_headers()
        self.wfile.write(answer.get("body", "").encode())

    do_PUT = do_DELETE = do_GET


if len(sys.argv) > 1:
    add_machines({"count": 1})
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Web).serve_forever()
for line in sys.stdin:
    question = json.loads(line)
    answer = ANSWERS.get(question["do"], lambda _: {"unsupported": True})(question)
    print(json.dumps(answer), flush=True)
