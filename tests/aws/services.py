#!/usr/bin/env python3
"""Starts moto, a stand-in for AWS, on a free port of the loopback interface, and ends it:

    VENV/bin/python services.py DIRECTORY [COMMAND...]

DIRECTORY takes the file `ready`, which says (JSON) where it is, whose keys it takes and what is there. With COMMAND: runs
it with CCM_AWS naming that file, ends with its exit code. Without: waits for SIGTERM. VENV is what ./install makes.
A call that is not signed, or is none that Amazon describes, is refused and noted; `violations` is the path of the notes, and /journal says which were made since it was asked last.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from io import BytesIO
from pathlib import Path

warnings.filterwarnings("ignore")
from moto.server import DomainDispatcherApplication, create_backend_app  # noqa: E402
from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: E402

import checks  # noqa: E402
import contents  # noqa: E402
import mends  # noqa: E402

KEYS = {"AKIDTEST": "secret"}


class Gate:
    """In front of moto: takes only calls that are right."""

    def __init__(self, application):
        self.application = application
        self.violations = []
        self.journal = []  # actions since it was asked for

    def __call__(self, environment, start):
        if environment["PATH_INFO"] == "/violations":
            return reply(start, "200 OK", "application/json", json.dumps(self.violations).encode())
        if environment["PATH_INFO"] == "/journal":
            seen, self.journal = self.journal, []
            return reply(start, "200 OK", "application/json", json.dumps(seen).encode())
        if environment.get("HTTP_USER_AGENT", "").startswith("Boto3"):  # contents.py
            return self.application(environment, start)
        body = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
        environment["wsgi.input"] = BytesIO(body)
        headers = {name[5:].lower().replace("_", "-"): value for name, value in environment.items() if name.startswith("HTTP_")}
        headers["content-type"] = environment.get("CONTENT_TYPE", "")
        _, action, faults = checks.call_of(body)
        self.journal.append(action)
        unsigned = checks.fault_of_signature(environment["REQUEST_METHOD"], headers, body, KEYS)
        if unsigned:
            faults.append(unsigned)
        if faults:
            self.violations += [{"side": "request", "action": action, "what": fault} for fault in faults]
            return refusal(start, "Violation", "; ".join(faults).replace("&", "").replace("<", ""))
        if action in mends.UNSUPPORTED:
            return refusal(start, "UnsupportedOperation", "The functionality you requested is not available")
        return self.application(environment, start)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


def reply(start, status, kind, body):
    start(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return [body]


def refusal(start, code, message):
    text = f"<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors></Response>"
    return reply(start, "400 Bad Request", "text/xml", text.encode())


def main():
    directory, command = Path(sys.argv[1]), sys.argv[2:]
    directory.mkdir(parents=True, exist_ok=True)
    os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_DEFAULT_REGION=contents.REGION)
    begun = time.monotonic()
    mends.apply()
    server = make_server("127.0.0.1", 0, Gate(DomainDispatcherApplication(create_backend_app)), threaded=True,
                         request_handler=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    key, secret = next(iter(KEYS.items()))
    ready = {"url": url, "access_key_id": key, "secret_access_key": secret, "violations": "/violations",
             "names": contents.populate(url, key, secret)}
    (directory / "ready").write_text(json.dumps(ready, indent=1) + "\n")
    print(f"moto is ready after {time.monotonic() - begun:.0f} s: {directory}/ready", flush=True)
    if command:
        return subprocess.run(command, env={**os.environ, "CCM_AWS": str((directory / "ready").resolve())}).returncode
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    return 0


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM} if len(sys.argv) == 2 else set())
    sys.exit(main())
