"""Reference pages from the programs: flags, commands, roles, metrics, annotations, Events, exit codes."""
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROVIDERS = ["aws", "digitalocean", "openstack", "static"]
COMMANDS = ["", "plugin list", "plugin inspect", "plugin check", "plugin cases", "plugin try", "plugin new", "rbac", "permissions", "lint", "status", "explain", "doctor",
            "orphans", "cleanup"]
UNVERIFIED = ssl.create_default_context()
UNVERIFIED.check_hostname = False
UNVERIFIED.verify_mode = ssl.CERT_NONE


def printed(*command):
    text = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
    return text.replace(str(pathlib.Path(command[0]).parent) + "/", "")


def block(heading, text, language="text"):
    return "## %s\n\n```%s\n%s\n```\n\n" % (heading, language, text.rstrip())


def flags(programs):
    text = "# Flags\n\nThe host's flags, and those of each provider with its controllers, as `--help` prints them.\n\n"
    for provider in PROVIDERS:
        text += block("With " + provider, printed(programs / "cloud-controller-manager", "--cloud-provider=" + provider, "--help"))
    return text


def ccmctl(programs):
    text = "# ccmctl\n\nThe commands, as `--help` prints them.\n\n"
    for command in COMMANDS:
        text += block(("ccmctl " + command).strip(), printed(programs / "ccmctl", *command.split(), "--help"))
    return text


def roles(programs):
    text = "# Roles\n\nThe rights of the manager with all controllers that run by default, as `ccmctl rbac` prints them.\n\n"
    for provider in PROVIDERS:
        for more in [[], ["--use-service-account-credentials"]]:
            command = ["rbac", "--cloud-provider=" + provider, *more]
            text += block("ccmctl " + " ".join(command), printed(programs / "ccmctl", *command), "yaml")
    return text


def cell(value):
    return str(value).replace("|", "\\|").replace("<", "&lt;")


def annotations(programs):
    text = "# Annotations of Services\n\nAs the providers' manifests list them, for `ccmctl lint`.\n"
    for provider in PROVIDERS:
        file = programs.parent / "lib/ccm/providers" / (provider + ".so")
        manifest = json.loads(printed(programs / "ccmctl", "plugin", "inspect", "-o", "json", file))["manifest"]
        text += "\n## %s\n\n| annotation | values | default | what |\n| --- | --- | --- | --- |\n" % provider
        for known in manifest["serviceAnnotations"]["known"]:
            text += "| `%s` | %s |\n" % (known["name"], " | ".join(cell(known.get(key, "")) for key in ("values", "default", "description")))
    return text


def scraped(programs, folder):
    """/metrics of a manager that has initialised three nodes of ccm-sandbox."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    started = []

    def start(*command):
        started.append(subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def get(path):
        try:
            return urllib.request.urlopen("https://127.0.0.1:%d%s" % (port, path), timeout=5, context=UNVERIFIED).read().decode()
        except OSError:
            return None

    def wait(condition):
        until = time.monotonic() + 60
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError("the manager for the page of metrics is not ready")
            time.sleep(0.1)
    try:
        start(programs / "ccm-sandbox", "--directory", folder, "--nodes=3")
        wait((folder / "ready").exists)
        start(programs / "cloud-controller-manager", "--kubeconfig=%s" % (folder / "kubeconfig"), "--cloud-provider=sandbox",
              "--cloud-config=%s" % (folder / "cloud.json"), "--cluster-cidr=10.244.0.0/16", "--secure-port=%d" % port,
              "--authorization-always-allow-paths=/metrics,/readyz")
        wait(lambda: get("/readyz"))
        return get("/metrics")
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def metrics(programs):
    with tempfile.TemporaryDirectory() as folder:
        page = scraped(programs, pathlib.Path(folder))
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", page, re.M))
    text = ("# Metrics of a running manager\n\nAs a manager with the sandbox's provider names them at its start; those of work that did not "
            "happen yet are missing. [All of them, with labels](../metrics.md).\n\n| name | type | what |\n| --- | --- | --- |\n")
    for name, about in sorted(re.findall(r"^# HELP (\S+) (.*)$", page, re.M)):
        text += "| `%s` | %s | %s |\n" % (name, kinds.get(name, ""), cell(about))
    return text


# The operators' pages that have tables of Events.
PAGES = ("nodes", "pod-ranges", "routes", "services")


def guide(name):
    """A page of docs/, with links that lead from the folder of these pages."""
    folder = os.path.dirname(f"docs/{name}.md")
    def moved(link):
        return "](" + os.path.relpath(os.path.normpath(os.path.join(folder, link[1] or f"{os.path.basename(name)}.md")), "docs/reference/generated")
    return re.sub(r"\]\((?!https?:)([^)#]*)", moved, (ROOT / f"docs/{name}.md").read_text())


def events():
    text = "# Events\n\nThe tables of [the operators' pages](../../operators.md); each reason is in the code.\n"
    tables = [table for page in PAGES for table in re.findall(r"^\| Event on a (\w+) (\|.*\n(?:\|.*\n)+)", guide(page), re.M)]
    # Not the programs: a compiler may make a long text of two pieces.
    code = "".join(file.read_text() for folder in ("core", "plugins", "sdk/include") for file in sorted((ROOT / folder).rglob("*.[ch]pp")) if file.is_file())
    for kind, table in tables:
        heading = "\n## On a %s\n\n" % kind
        text += ("" if heading in text else heading) + "| Event " + table + "\n"
        for row in table.splitlines()[2:]:
            for reason in re.findall(r"`([A-Z][A-Za-z]+)`", row.split(" | ")[0]):
                if '"%s"' % reason not in code:
                    raise LookupError("docs has the Event %s, which the code does not have" % reason)
    if not tables:
        raise LookupError("docs has no tables of Events")
    return text


def exit_codes(programs):
    own = guide("reference/exit-codes").split("\n", 1)[1]
    others = re.findall(r"^Exit codes: .*$", printed(programs / "ccmctl", "--help"), re.M)
    return "# Exit codes\n\n## cloud-controller-manager\n\n%s\n## ccmctl\n\n%s\n" % (own, others[0])


def pages(build):
    programs = build / "bin"
    return {"flags": flags(programs), "ccmctl": ccmctl(programs), "roles": roles(programs), "annotations": annotations(programs),
            "metrics": metrics(programs), "events": events(), "exit-codes": exit_codes(programs)}
