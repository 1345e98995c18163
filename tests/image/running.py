"""An API server in memory, and a host that runs as a container would: in the image's files alone, without rights."""
import base64
import json
import os
import pathlib
import re
import ssl
import subprocess
import time
import urllib.request

TAINT = "node.cloudprovider.kubernetes.io/uninitialized"
# As a Pod with readOnlyRootFilesystem, runAsNonRoot, no new privileges and no capabilities: /box is its volume.
CONTAINER = """
mount --bind "$1" "$1"
mount --bind "$2" "$1/box"
[ "$3" = bare ] || mount -t proc proc "$1/proc"
mount -o remount,bind,ro "$1"
root=$1; shift 3
cd /
exec setpriv --no-new-privs --inh-caps=-all chroot --userspec=65532:65532 --groups= "$root" "$@"
"""


def await_it(seconds, condition, told):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(told())
        time.sleep(0.1)


class Server:
    """An API server, and an administrator's requests to it."""

    def __init__(self, server, context, headers=()):
        self.server, self.context, self.headers = server, context, dict(headers)

    def request(self, method, path, body=None):
        request = urllib.request.Request(self.server + path, method=method, data=json.dumps(body).encode() if body else None,
                                         headers={**self.headers, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, context=self.context, timeout=10) as answer:
            return json.load(answer)

    def join(self, name):
        """Registers a Node as a kubelet with --cloud-provider=external does."""
        self.request("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": {
            "taints": [{"key": TAINT, "value": "true", "effect": "NoSchedule"}]}})

    def nodes(self):
        return {node["metadata"]["name"]: node for node in self.request("GET", "/api/v1/nodes")["items"]}

    def waiting(self):
        """Nodes that no manager has initialised."""
        return [name for name, node in self.nodes().items()
                if any(taint["key"] == TAINT for taint in node["spec"].get("taints", []))]


class Sandbox(Server):
    def __init__(self, test, program, folder, *flags):
        self.folder = pathlib.Path(folder)
        process = subprocess.Popen([*program, "--directory", folder, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        test.addCleanup(process.wait)
        test.addCleanup(process.kill)
        await_it(20, (self.folder / "ready").exists, lambda: "ccm-sandbox is not ready")
        kubeconfig = (self.folder / "kubeconfig").read_text()
        token = re.search(r'token: "?([^"\s]+)', kubeconfig).group(1)
        authority = base64.b64decode(re.search(r'certificate-authority-data: "?([^"\s]+)', kubeconfig).group(1)).decode()
        super().__init__(json.loads((self.folder / "ready").read_text())["server"], ssl.create_default_context(cadata=authority),
                         {"Authorization": f"Bearer {token}"})
        for path in self.folder.iterdir():
            path.chmod(0o644)
        self.folder.chmod(0o755)


def start(test, root, box, entrypoint, *flags, proc=True):
    """Runs the image's program in these files, without /proc if that is asked for. Returns the path of its log."""
    for folder in ("box", "proc"):
        (root / folder).mkdir(exist_ok=True)
    log = pathlib.Path(f"{root}.log")
    with open(log, "w", encoding="utf-8") as out:
        process = subprocess.Popen(["unshare", "--mount", "--propagation=private", "sh", "-euc", CONTAINER, "sh", root, box,
                                    "proc" if proc else "bare", *entrypoint, *flags], stdout=out, stderr=out,
                                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    test.addCleanup(process.wait)
    test.addCleanup(process.terminate)
    return process, log


def confinement(process):
    """The kernel's word on the program: user, capabilities, new privileges, and whether its root can be written to."""
    status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
                  if ":\t" in line)
    mounts = pathlib.Path(f"/proc/{process.pid}/mounts").read_text().splitlines()
    root = [line.split()[3].split(",")[0] for line in mounts if line.split()[1] == "/"]
    return {"user": status["Uid"].split()[0], "group": status["Gid"].split()[0], "groups": status["Groups"].strip(),
            "capabilities": int(status["CapEff"], 16), "new privileges": status["NoNewPrivs"], "root": root[-1:],
            "program": os.path.basename(os.readlink(f"/proc/{process.pid}/exe"))}
