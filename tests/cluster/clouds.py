"""The clouds of the tests: machines come and go, and load balancers are looked at."""
import json
import pathlib
import urllib.request

import cluster


def request(method, url, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    asked = urllib.request.Request(url, method=method, headers=headers, data=None if body is None else json.dumps(body).encode())
    with urllib.request.urlopen(asked, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


class Sandbox:
    """ccm-sandbox, with routes."""
    flags = ["--cloud-provider=sandbox", "--cluster-cidr=" + cluster.POD_RANGES]
    environment = {}

    def __init__(self, programs, build):
        self.folder = programs.folder / "cloud"
        self.folder.mkdir()
        programs.start("cloud", build / "bin/ccm-sandbox", "--no-apiserver", "--directory", self.folder)
        assert cluster.eventually((self.folder / "ready").exists), programs.log("cloud")
        self.control = json.loads((self.folder / "ready").read_text())["cloud"] + "/control"
        self.flags = self.flags + ["--cloud-config=%s" % (self.folder / "cloud.json")]

    def add(self, name, number):
        request("PUT", "%s/machines/m-%d" % (self.control, number), {
            "name": name, "status": "running", "type": "small", "region": "eu-1", "zone": "eu-1a",
            "addresses": [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": "10.0.0.%d" % number}]})

    def remove(self, name, number):
        request("DELETE", "%s/machines/m-%d" % (self.control, number))

    @staticmethod
    def provider_id(number):
        return "sandbox://m-%d" % number

    def backends(self):
        """For each load balancer the provider IDs of its machines."""
        return [sorted(self.provider_id(int(backend.split("-")[1])) for backend in balancer["backends"])
                for balancer in request("GET", self.control + "/load_balancers")["load_balancers"]]

    def routes(self):
        return [route["destination"] for route in request("GET", self.control + "/routes")["routes"]]


class DigitalOcean:
    """The fake of its API, which has no routes."""
    def __init__(self, programs, build):
        program = pathlib.Path(build) / "bin/digitalocean-api"
        self.ready, _ = programs.start_ready("cloud", program)
        self.flags = ["--cloud-provider=digitalocean", "--configure-cloud-routes=false"]
        self.environment = {"DO_OVERRIDE_URL": self.ready["url"], "DO_ACCESS_TOKEN": self.ready["token"], "REGION": "nyc3"}

    def add(self, name, number):
        request("PUT", "%s/droplets/%d" % (self.ready["control"], number), {"name": name})

    def remove(self, name, number):
        request("DELETE", "%s/droplets/%d" % (self.ready["control"], number))

    @staticmethod
    def provider_id(number):
        return "digitalocean://%d" % number

    def backends(self):
        balancers = request("GET", self.ready["url"] + "/v2/load_balancers", token=self.ready["token"])["load_balancers"]
        return [sorted(self.provider_id(droplet) for droplet in balancer["droplet_ids"]) for balancer in balancers]

    def routes(self):
        return None
