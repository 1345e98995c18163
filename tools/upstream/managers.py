"""Both managers with a cloud each: what their command lines say, and how they are started."""
import json
import re
import ssl
import subprocess
import urllib.error
import urllib.request

import clouds

UNSET = "unset"  # the default of a flag that means something else when it is not given
CLUSTER_CIDR = "10.244.0.0/16"
PROVIDER = "sandbox"
HEADING = re.compile(r"^(\S.*) flags:$")
FLAG = re.compile(r"^ {2,6}(?:-(?P<short>\w), )?--(?P<name>[a-z0-9-]+)(?:\[=(?P<implied>[^\]]*)\])?(?: (?P<type>\S+))?$")
DEFAULT = re.compile(r'\(default "?(.*?)"?\)$')
CLIENT_GATE = re.compile(r'^\s*\{(?:"(?P<name>\w+)"|(?P<constant>k\w+)), (?P<default>true|false)(?:, (?P<locked>true|false))?\},')
GATE = re.compile(r'^\s*\{(?:"(?P<name>\w+)"|(?P<constant>k\w+)), (?P<stage>alpha|beta|ga|deprecated), (?P<default>true|false)(?:, (?P<locked>true|false))?')


class Api:
    """JSON over HTTPS, with a client certificate or a token. Fails with urllib's errors."""

    def __init__(self, address, authority=None, certificate=None, token=None):
        self.address = address
        self.token = token
        self.context = ssl.create_default_context(cafile=authority)
        if authority is None:  # a certificate that the manager made for itself
            self.context.check_hostname = False
            self.context.verify_mode = ssl.CERT_NONE
        if certificate:
            self.context.load_cert_chain(*certificate)

    def text(self, method, path, body=None, kind="application/json"):
        headers = {"Content-Type": kind}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.address + path, method=method, headers=headers,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30, context=self.context) as answer:
            return answer.read().decode()

    def call(self, method, path, body=None, kind="application/json"):
        return json.loads(self.text(method, path, body, kind))

    def get(self, path):
        """None when it is not there."""
        try:
            return self.call("GET", path)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise


class FileCloud:
    """The cloud of the Go manager: a file with its instances."""

    def __init__(self, folder):
        self.file = folder / "instances.json"
        self.config = folder / "cloud.json"
        self.config.write_text(json.dumps({"instances": str(self.file)}))
        self.instances = {}
        self.failure = ""
        self.write()

    def write(self):
        entries = [*self.instances.values(), {"name": "cloud", "failure": self.failure}]
        written = self.file.with_suffix(".new")
        written.write_text(json.dumps(entries))
        written.rename(self.file)

    def put(self, name, number, running=True):
        self.instances[name] = {
            "name": name, "id": "m-%d" % number, "type": "small", "region": "eu-1", "zone": "eu-1a",
            "state": "running" if running else "shutdown", "addresses": {"Hostname": name, "InternalIP": "10.0.0.%d" % number}}
        self.write()

    def remove(self, name, number):
        del self.instances[name]
        self.write()

    def fail(self, failing):
        self.failure = "the cloud fails" if failing else ""
        self.write()


class ServedCloud(clouds.Sandbox):
    """The cloud of ours: ccm-sandbox."""

    def __init__(self, programs, build):
        super().__init__(programs, build)
        self.config = self.folder / "cloud.json"

    def put(self, name, number, running=True):
        clouds.request("PUT", "%s/machines/m-%d" % (self.control, number), {
            "name": name, "status": "running" if running else "stopped", "type": "small", "region": "eu-1", "zone": "eu-1a",
            "addresses": [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": "10.0.0.%d" % number}]})

    def fail(self, failing):
        changes = ["CreateLoadBalancer", "UpdateLoadBalancer", "UpdateBackends", "DeleteLoadBalancer", "ApplyRoutes"]
        clouds.request("PUT", self.control + "/faults", {"operations": {change: "error" for change in changes}} if failing else {})


class Go:
    """The manager that `build` made in a folder."""
    name = "upstream"

    def __init__(self, folder):
        self.program = folder / "upstream"

    def described(self):
        found = json.loads(subprocess.run([self.program, "describe"], check=True, capture_output=True, text=True).stdout)
        flags = {flag["name"]: {"group": group_name(flag["group"]), "type": type_name(flag["type"]), "default": default(flag["default"]),
                                "shorthand": flag.get("shorthand", ""), "hidden": flag.get("hidden", False)} for flag in found["flags"]}
        gates = {gate["name"]: {"stage": gate["stage"].lower() or "ga", "default": gate["default"], "locked": gate.get("locked", False)}
                 for gate in found["gates"]}
        client_gates = {gate["name"]: {"default": gate["default"], "locked": gate.get("locked", False)} for gate in found["clientGates"]}
        return {"flag": flags, "gate": gates, "client-gate": client_gates}

    def complete(self, flags, scenario):
        """`describe` told everything."""

    def start_cloud(self, programs):
        return FileCloud(programs.folder)


class Ours:
    name = "ours"

    def __init__(self, build, sources):
        self.build = build
        self.program = build / "bin/cloud-controller-manager"
        self.sources = sources

    def described(self):
        every = {"stage": "alpha", "default": False, "locked": False}  # program has these two
        gates = {**self.gates("feature_gates.cpp", GATE), "AllAlpha": every, "AllBeta": {**every, "stage": "beta"}}
        return {"flag": self.flags(), "gate": gates, "client-gate": self.gates("client_feature_gates.cpp", CLIENT_GATE)}

    def flags(self):
        """The flags that --help shows; complete() adds the rest."""
        text = subprocess.run([self.program, "--help"], check=True, capture_output=True, text=True).stdout
        self.usage, flags, group, name = {}, {}, "", None
        for line in text.split("\n"):
            heading, shown = HEADING.match(line), FLAG.match(line)
            if heading:
                group = group_name(heading.group(1))
            elif shown:
                name, implied = shown.group("name"), shown.group("implied") or ""
                kind = shown.group("type") or ("bool" if implied in ("", "true|false") else implied)
                flags[name] = {"group": group, "type": kind, "shorthand": shown.group("short") or "", "hidden": False}
                self.usage[name] = ""
            elif name and line:
                self.usage[name] += line.strip() + " "
        return flags

    def gates(self, file, pattern):
        """The program does not print all of them, so the table in its source is read."""
        source = self.sources / "core/app/flags" / file
        constants = dict(re.findall(r'string_view (k\w+) = "(\w+)"', source.with_suffix(".hpp").read_text()))
        found = {}
        for gate in filter(None, map(pattern.match, source.read_text().split("\n"))):
            facts = gate.groupdict()
            name = facts.pop("name") or constants[facts["constant"]]
            del facts["constant"]
            found[name] = {**facts, "default": facts["default"] == "true", "locked": facts["locked"] == "true"}
        if not found:
            raise RuntimeError("no gates in %s" % source)
        return found

    def complete(self, flags, scenario):
        """/flagz has the values of all flags: the defaults of those that the scenario did not give. --help has these."""
        for line in scenario.page("/flagz").split("\n"):
            name, equals, value = line.partition("=")
            if not equals or " " in name:
                continue
            usage = self.usage.get(name, "").strip()
            if name in scenario.given:
                shown = DEFAULT.search(usage)
                value = shown.group(1) if shown else ""
            # A hidden flag has no heading and no type.
            flag = flags.setdefault(name, {"shorthand": "", "hidden": True})
            flag["default"] = UNSET if default(value) and "If unset, " in usage else default(value)

    def start_cloud(self, programs):
        return ServedCloud(programs, self.build)


def group_name(text):
    return text.lower().replace("-", " ")


def type_name(text):
    """Types as --help of a Go program abbreviates them; widths are not compared."""
    return {"stringSlice": "strings", "int32Slice": "ints", "int32": "int", "int64": "int", "float32": "float", "Level": "int"}.get(text, text)


def default(text):
    """Nothing, however it is written, is nothing."""
    text = text.removeprefix("[").removesuffix("]")
    return "" if text in ("0", "0s", "false") else text
