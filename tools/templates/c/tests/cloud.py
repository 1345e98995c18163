#!/usr/bin/env python3
"""A cloud in memory.
Without arguments it is that of `ccmctl plugin check --cloud`: one JSON object in each line of standard input, one answer in each
line of standard output, until the input ends. `cloud.py PORT` has one machine, worker-1, and serves http://127.0.0.1:PORT/v1."""
import http.server
import itertools
import json
import sys
import urllib.parse

MACHINES = {}  # by id, as are the load balancers
BALANCERS = {}
NUMBERS = itertools.count(1)
PAGE = 100
URL = "https://api.example.com/v1"
FULL = []


def start(_):
    return {"flags": {"@NAME@-endpoint": URL}, "secrets": {"@VARIABLE@_TOKEN": "s3cret"}}


def answer(status, body):
    return {"status": status, "body": json.dumps(body)}


def page(name, items, query):
    """In the order of the ids, which only grow: what comes or goes moves nothing to another page."""
    after = int(query.get("after", ["0"])[0])
    left = sorted(number for number in items if number > after)
    chosen = left[:PAGE]
    more = {"next": str(chosen[-1])} if len(left) > PAGE else {}
    return answer(200, {name: [items[number] for number in chosen], **more})


def add_balancer(body):
    number = next(NUMBERS)
    BALANCERS[number] = {"id": str(number), "address": f"203.0.113.{number % 250}", **body}
    return BALANCERS[number]


def exchange(question):
    method, url = question["method"], urllib.parse.urlsplit(question["url"].removeprefix(URL))
    query = urllib.parse.parse_qs(url.query)
    if question["headers"].get("authorization") != "Bearer s3cret":
        return {"status": 401}
    if (method, url.path) == ("GET", "/machines"):
        return page("machines", MACHINES, query)
    if (method, url.path) == ("GET", "/load-balancers"):
        return page("loadBalancers", BALANCERS, query)
    if (method, url.path) == ("POST", "/load-balancers"):
        return {"status": 402} if FULL else answer(201, add_balancer(json.loads(question["body"])))
    number = url.path.removeprefix("/load-balancers/")
    known = BALANCERS.get(int(number)) if number.isdecimal() else None
    if known is None:
        return {"status": 404}
    if method == "DELETE":
        BALANCERS.pop(int(number))
        return {"status": 204}
    if method == "PUT":
        known.update(json.loads(question["body"]))
    return answer(200, known)


def add_machines(question):
    added = []
    for _ in range(question["count"]):
        number = next(NUMBERS)
        MACHINES[number] = {"id": str(number), "name": f"worker-{number}", "type": "small", "zone": "a", "running": True,
                            "address": f"10.0.{number // 250}.{number % 250}"}
        added.append({"name": f"worker-{number}", "providerID": f"@NAME@://{number}"})
    return {"machines": added}


def number_of(question):
    return int(question["providerID"].removeprefix("@NAME@://"))


def remove_machine(question):
    MACHINES.pop(number_of(question))
    return {}


def switch_off_machine(question):
    MACHINES[number_of(question)]["running"] = False
    return {}


def plant_load_balancer(_):
    return {"id": add_balancer({"mark": "another/0000", "spec": {"ports": [], "machines": []}})["id"]}


def remove_load_balancer(question):
    BALANCERS.pop(int(question["id"]))
    return {}


def exhaust_quota(_):
    FULL.append(True)
    return {}


ANSWERS = {"start": start, "http": exchange, "add-machines": add_machines, "remove-machine": remove_machine,
           "switch-off-machine": switch_off_machine, "plant-load-balancer": plant_load_balancer,
           "remove-load-balancer": remove_load_balancer, "exhaust-quota": exhaust_quota,
           "snapshot": lambda _: {"snapshot": BALANCERS, "loadBalancers": len(BALANCERS)},
           "secrets": lambda _: {"secrets": ["s3cret"]}}


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        answered = exchange({"method": self.command, "url": URL + self.path.removeprefix("/v1"), "body": body,
                             "headers": {name.lower(): value for name, value in self.headers.items()}})
        self.send_response(answered["status"])
        self.send_header("content-length", str(len(answered.get("body", ""))))
        self.end_headers()
        self.wfile.write(answered.get("body", "").encode())

    do_POST = do_PUT = do_DELETE = do_GET


if len(sys.argv) > 1:
    add_machines({"count": 1})
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Web).serve_forever()
for line in sys.stdin:
    asked = json.loads(line)
    said = ANSWERS.get(asked["do"], lambda _: {"unsupported": True})(asked)
    print(json.dumps(said), flush=True)
